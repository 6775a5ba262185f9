/**
 * Creates builds in a separate process, so that processes that serve requests never load the generator or esbuild. The
 * parent sends tasks, each of which receives one reply. What is the same in the next task is kept.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Catalog } from '../../generator/introspection/catalog.js';
import { countOutdated, makeFiles, servedTables } from '../../generator/main.js';
import { createPartCache, type PartCache } from '../../generator/part-cache.js';
import type { OutputFile } from '../../generator/model/types.js';
import { loadSpec } from '../../generator/spec/load.js';
import type { Spec } from '../../generator/spec/types.js';
import { pruneBuilds } from './builds.js';
import { bundleFunctions } from './bundle.js';
import type { Config } from '../config/config.js';
import { generatedFolder, isPackageOutput } from '../config/paths.js';
import { isRefusal, Refusal } from '../config/refusal.js';
import { catalogChanges } from '../schema/catalog-changes.js';
import { pendingSteps, pendingStepsToText } from '../schema/bootstrap.js';
import { createGeneratedSource, type GeneratedSource } from './generated-source.js';
import { hashFiles } from './sources.js';

/** Input of a build. */
export interface BuildTask {
  /** File of the catalog. */
  readonly catalog: string;
  /** Spec folders, starting with the package's own. */
  readonly specFolders: readonly string[];
  readonly tables: Config['tables'];
  /** Folder of the finished build, which appears in one step, complete or not at all. */
  readonly directory: string;
  /** Folder of the build that is served, with which the finished one is compared; null: none. */
  readonly served: string | null;
}

/** The description of a build, in its `build.json`. */
export interface BuildInfo {
  /** Number of outdated files in the committed output. */
  readonly changes: number;
  /** Parts of the spec that the database lacks; one sentence each. */
  readonly outdated: readonly string[];
  /** Patterns of the served tables. */
  readonly tables: Config['tables'];
}

export type BuildResult =
  /** `changes`: what differs from the build that is served, such as `column Album.Year added (int(11))`. */
  | { readonly kind: 'built'; readonly changes: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string; readonly refusal: boolean };

/** The spec and the parts of the last build, for the next task. */
interface Kept {
  readonly spec: Spec;
  /** Hash of the files of the spec. */
  readonly hash: string;
  readonly cache: PartCache;
}

let kept: Kept | null = null;
let source: GeneratedSource | null = null;

const runTask = async (task: BuildTask): Promise<readonly string[]> => {
  const { directory, served } = task;
  if (!existsSync(directory)) await makeBuild(task);
  return served === null ? [] : catalogChanges(readCatalog(served), readCatalog(directory));
};

const readCatalog = (directory: string): Catalog =>
  JSON.parse(readFileSync(join(directory, 'catalog.json'), 'utf8')) as Catalog;

const makeBuild = async (task: BuildTask): Promise<void> => {
  const catalog = JSON.parse(readFileSync(task.catalog, 'utf8')) as Catalog;
  const { spec, cache } = await keepSpec(task.specFolders);
  const missing = await pendingSteps(spec, catalog);
  if (missing.length > 0) throw new Refusal(pendingStepsToText(missing));
  const staging = `${task.directory}.${process.pid}`;
  mkdirSync(staging, { recursive: true });
  source ??= createGeneratedSource(dirname(task.directory));
  try {
    await buildIn(staging, { catalog, spec, cache, tables: task.tables, source });
    publish(staging, task.directory);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  pruneBuilds(dirname(task.directory), Date.now());
};

const keepSpec = async (folders: readonly string[]): Promise<Kept> => {
  const hash = hashFiles(folders);
  if (kept?.hash !== hash) kept = { spec: await loadSpec(folders), hash, cache: createPartCache() };
  return kept;
};

interface Input {
  readonly catalog: Catalog;
  readonly spec: Spec;
  readonly cache: PartCache;
  readonly tables: Config['tables'];
  readonly source: GeneratedSource;
}

const buildIn = async (staging: string, { cache, source, ...input }: Input): Promise<void> => {
  const { spec, tables } = input;
  // the package's own output differs from that of others
  const forPackage = isPackageOutput(generatedFolder);
  const { modules, emitDocuments, outdated } = makeFiles({ ...input, forPackage }, cache);
  const bundling = source.bundle(modules, join(staging, 'server.mjs'));
  let changes = 0;
  try {
    // esbuild works in a process of its own meanwhile
    const documents = emitDocuments();
    mkdirSync(join(staging, 'graphql'));
    for (const { path, content } of documents.filter(isServed)) writeFileSync(join(staging, path), content);
    const isCommitted = existsSync(join(generatedFolder, 'server'));
    if (isCommitted) changes = countOutdated(generatedFolder, [...modules, ...documents]);
    await bundleFunctions(spec.queueModels, join(staging, 'functions.mjs'));
  } finally {
    await bundling;
  }
  const info: BuildInfo = { changes, outdated, tables: servedTables(tables, spec) };
  writeFileSync(join(staging, 'build.json'), JSON.stringify(info));
};

/** Returns whether a server reads the file itself. */
const isServed = ({ path }: OutputFile): boolean =>
  ['openapi.json', 'catalog.json', `graphql/${basename(path)}`].includes(path);

/**
 * Moves the finished build into place, unless another process has published the same one meanwhile. Its files are on the disk
 * first: a loss of power would leave empty ones, with which no server starts.
 */
const publish = (staging: string, directory: string): void => {
  for (const entry of readdirSync(staging, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) flush(join(entry.parentPath, entry.name));
  try {
    renameSync(staging, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  }
};

const flush = (path: string): void => {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** Names the folder where a disk is full, as Node does not. */
const toFailure = (error: NodeJS.ErrnoException, { directory }: BuildTask): BuildResult => {
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  const message = isFull
    ? `no build can be written to ${dirname(directory)} (${error.code}); free space there`
    : error.message;
  return { kind: 'failed', message, refusal: isFull || isRefusal(error) };
};

const reply = (message: BuildResult): void => {
  process.send?.(message, () => undefined);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const end = (code: number): never => {
    source?.close();
    process.exit(code);
  };
  // If the parent exits, no one needs the build.
  process.once('disconnect', () => end(0));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end(1));
  if (!process.connected) end(1);
  process.on('message', (task: BuildTask) => {
    runTask(task).then(
      (changes) => reply({ kind: 'built', changes }),
      (error: Error) => reply(toFailure(error, task)),
    );
  });
}
