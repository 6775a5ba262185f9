/** Compiles the TypeScript of a page against the generated client, and runs it. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import ts from 'typescript';
import { packageRoot } from '../../runtime/config/package.js';

const client = join(packageRoot, 'generated', 'client', 'src');

/** By the names that people import. */
const modules = {
  'content-api-client': join(client, 'index.ts'),
  'content-api-client/graphql': join(client, 'graphql', 'items.ts'),
  'content-api-client/graphql/system': join(client, 'graphql', 'system.ts'),
  '@svc-api/svc/runtime': join(packageRoot, 'dist', 'runtime', 'index.d.ts'),
};

const paths = Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, [file]]));

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [join(packageRoot, 'node_modules', '@types', 'node')],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  paths,
};

/** Writes the programs into a folder of ES modules. @returns their paths, and what the compiler says, a line each */
export const compilePrograms = (
  folder: string,
  programs: ReadonlyMap<string, string>,
): { readonly files: readonly string[]; readonly faults: readonly string[] } => {
  const files = [...programs].map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const program = ts.createProgram({ rootNames: files, options });
  const faults = files.flatMap((file) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).map(({ messageText, start = 0 }) => {
      const line = program.getSourceFile(file)?.text.slice(0, start).split('\n').length;
      return `${file}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    }),
  );
  return { files, faults };
};

/** Runs a program to its end. @throws Error with what it printed where it fails */
export const runProgram = async (
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> => {
  const outfile = file.replace(/\.ts$/, '.bundle.mjs');
  await build({
    entryPoints: [file],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    alias: modules,
    logLevel: 'silent',
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { env: environment });
  return stdout;
};
