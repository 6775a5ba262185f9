/** Compiles the TypeScript of a page against the generated client, and runs it. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { packageRoot } from '../../runtime/config/package.js';
import { compile, type CompilerOptions } from '../compiler.js';

const client = join(packageRoot, 'generated', 'client', 'src');

/** By the names that people import. */
const modules = {
  'content-api-client': join(client, 'index.ts'),
  'content-api-client/graphql': join(client, 'graphql', 'items.ts'),
  'content-api-client/graphql/system': join(client, 'graphql', 'system.ts'),
  '@svc-api/svc/runtime': join(packageRoot, 'dist', 'runtime', 'index.d.ts'),
};

const paths = Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, [file]]));

const options: CompilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [join(packageRoot, 'node_modules', '@types', 'node')],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  // the client lies elsewhere
  rootDir: '/',
  paths,
};

/** Writes the programs into a folder of ES modules. @returns their paths, and what the compiler says, a line each */
export const compilePrograms = async (
  folder: string,
  programs: ReadonlyMap<string, string>,
): Promise<{ readonly files: readonly string[]; readonly faults: readonly string[] }> => {
  const files = [...programs].map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const { faults } = await compile({ folder, files, options });
  const own = faults.filter(({ file }) => file === '' || files.includes(file));
  return { files, faults: own.map(({ file, line, text }) => `${file}:${line}: ${text}`) };
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
