/**
 * Compiles TypeScript as its users do: by `tsc`, of TypeScript 7, which is native and needs a fourth of the time of 6.
 * Clients are generated with 6, whose API the generators of clients use.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../runtime/config/package.js';

/** As `compilerOptions` of a `tsconfig.json`; paths are absolute. */
export type CompilerOptions = Readonly<Record<string, unknown>>;

export interface Compilation {
  readonly folder: string;
  /** Absolute, or in the folder. */
  readonly files: readonly string[];
  readonly options: CompilerOptions;
  /** Absolute path of settings that `options` overrides. */
  readonly extends?: string;
}

interface Fault {
  /** Absolute path; empty where a fault is of no file. */
  readonly file: string;
  readonly line: number;
  /** Code and message: `TS2322: …`. */
  readonly text: string;
}

export interface Compiled {
  readonly faults: readonly Fault[];
  /** Figures of `--extendedDiagnostics`, by name: `Types`, `Instantiations` and others. */
  readonly figures: ReadonlyMap<string, number>;
}

export const compilerPath = join(packageRoot, 'node_modules', 'typescript-7', 'bin', 'tsc');

/** Compiles, and writes what the options ask for even where there are faults. */
export const compile = async (compilation: Compilation): Promise<Compiled> => {
  const { folder, options } = compilation;
  const place = await mkdtemp(join(tmpdir(), 'svc-compile-'));
  try {
    const config = join(place, 'tsconfig.json');
    const files = compilation.files.map((file) => resolve(folder, file));
    const typeRoots = [join(packageRoot, 'node_modules', '@types')];
    const compilerOptions = { rootDir: folder, typeRoots, ...options };
    const settings = { extends: compilation.extends, compilerOptions, files, include: [] };
    await writeFile(config, JSON.stringify(settings));
    return parseOutput(folder, await runCompiler(folder, config));
  } finally {
    await rm(place, { recursive: true });
  }
};

const runCompiler = async (cwd: string, config: string): Promise<string> => {
  // other tests have the processors, and figures of several threads depend on their number
  const flags = ['--pretty', 'false', '--extendedDiagnostics', '--singleThreaded'];
  const args = [compilerPath, '-p', config, ...flags];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    // a compiler that could not start prints nothing
    if (stdout === '') throw error;
    return stdout;
  }
};

const parseOutput = (folder: string, output: string): Compiled => {
  const faults: Fault[] = [];
  const figures = new Map<string, number>();
  for (const line of output.split('\n')) {
    const [, file = '', at = '0', text = ''] = /^(?:(.+)\((\d+),\d+\): )?error (TS\d+: .*)$/.exec(line) ?? [];
    const [, name = '', figure = ''] = /^(\w[\w ]*):\s+([\d.]+)\w?$/.exec(line) ?? [];
    const last = faults.at(-1);
    if (text !== '') faults.push({ file: file === '' ? '' : resolve(folder, file), line: Number(at), text });
    else if (name !== '') figures.set(name, Number(figure));
    else if (last !== undefined && line.startsWith('  ')) {
      faults[faults.length - 1] = { ...last, text: `${last.text}\n${line}` };
    }
  }
  return { faults, figures };
};

/** Returns messages by file name, without folder. */
export const messagesByFile = ({ faults }: Compiled): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const { file, text } of faults) {
    const name = basename(file);
    found.set(name, [...(found.get(name) ?? []), text]);
  }
  return found;
};
