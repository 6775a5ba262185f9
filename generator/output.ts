/**
 * Writes the output folder: compares bytes, writes changed files, removes obsolete ones. `.manifest` lists
 * the generated files; no other file is ever removed or overwritten.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { OutputFile } from './model/types.js';

/** Paths relative to the folder, each list sorted. */
export interface OutputReport {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
}

export interface OutputOptions {
  /** Writes nothing; the report lists what would change. */
  readonly check: boolean;
  /** Generated files below this folder are left unchanged. */
  readonly keptFolder?: string;
}

/** Files in the way that svc did not generate. */
export class OutputError extends Error {
  readonly paths: readonly string[];

  constructor(folder: string, paths: readonly string[]) {
    const list = paths.map((path) => join(folder, path)).join(', ');
    super(`svc generate did not write ${list}; move it away, or choose another folder for the output`);
    this.name = 'OutputError';
    this.paths = paths;
  }
}

const manifest = '.manifest';

/**
 * Makes the folder contain exactly these files. Equal files are not touched, and nothing is replaced before
 * all new files are on disk.
 * @throws OutputError when a foreign file would be overwritten; a check only counts it as changed
 */
export const writeOutput = (
  folder: string,
  files: readonly OutputFile[],
  { check, keptFolder }: OutputOptions,
): OutputReport => {
  const known = readManifest(folder);
  const keptFiles = keptFolder === undefined ? [] : known.filter((path) => path.startsWith(keptFolder));
  const current = sortUnique([...files.map(({ path }) => path), ...keptFiles]);
  const { changed, unchanged, foreign } = compare(folder, files, new Set(known));
  if (foreign.length > 0 && !check) throw new OutputError(folder, sortUnique(foreign));
  const currentPaths = new Set(current);
  const stale = known.filter((path) => !currentPaths.has(path) && existsSync(join(folder, path)));
  const listed = { path: manifest, content: printManifest(current) };
  const relisted = !isCurrent(folder, listed);
  const isDue = relisted || changed.length + stale.length > 0;
  if (!check && isDue) apply(folder, { changed, stale, listed, before: [...known, ...current] });
  const written = [...changed.map(({ path }) => path), ...foreign];
  return {
    written: sortUnique(relisted ? [...written, manifest] : written),
    removed: stale,
    unchanged: sortUnique(unchanged),
  };
};

interface Comparison {
  readonly changed: OutputFile[];
  readonly unchanged: string[];
  readonly foreign: string[];
}

const compare = (folder: string, files: readonly OutputFile[], known: ReadonlySet<string>): Comparison => {
  const result: Comparison = { changed: [], unchanged: [], foreign: [] };
  for (const file of files) {
    if (isCurrent(folder, file)) result.unchanged.push(file.path);
    else if (!known.has(file.path) && existsSync(join(folder, file.path))) result.foreign.push(file.path);
    else result.changed.push(file);
  }
  return result;
};

interface Changes {
  readonly changed: readonly OutputFile[];
  readonly stale: readonly string[];
  /** The future manifest. */
  readonly listed: OutputFile;
  /** Files that may be generated until the last step is done. */
  readonly before: readonly string[];
}

const apply = (folder: string, { changed, stale, listed, before }: Changes): void => {
  mkdirSync(folder, { recursive: true });
  const staging = mkdtempSync(join(folder, '.staging-'));
  const staged = { path: manifest, content: printManifest(sortUnique(before)) };
  try {
    const moves = [staged, ...changed].map((file, index) => stage(file, join(staging, String(index))));
    for (const { from, path } of moves) move(from, join(folder, path));
    for (const path of stale) remove(folder, path);
    move(stage(listed, join(staging, 'manifest')).from, join(folder, manifest));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
};

const stage = ({ path, content }: OutputFile, from: string): { from: string; path: string } => {
  writeFileSync(from, content);
  return { from, path };
};

const move = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
};

/** Removes a file and the folders that it leaves empty. */
const remove = (folder: string, path: string): void => {
  rmSync(join(folder, path), { force: true });
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    try {
      rmdirSync(join(folder, parent));
    } catch {
      return;
    }
  }
};

const isCurrent = (folder: string, { path, content }: OutputFile): boolean =>
  readIfThere(join(folder, path))?.equals(Buffer.from(content)) ?? false;

const printManifest = (paths: readonly string[]): string => paths.map((path) => `${path}\n`).join('');

const readManifest = (folder: string): string[] => {
  const lines = readIfThere(join(folder, manifest))?.toString('utf8').split('\n') ?? [];
  const paths = lines.filter((line) => line !== '');
  const outside = paths.find((path) => path.startsWith('/') || path.split('/').includes('..'));
  if (outside === undefined) return paths;
  throw new Error(
    `${join(folder, manifest)} names "${outside}", which is outside; restore or delete the manifest`,
  );
};

const readIfThere = (file: string): Buffer | null => {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

const sortUnique = (paths: readonly string[]): string[] => [...new Set(paths)].sort();
