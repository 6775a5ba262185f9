/**
 * Creates a build in a separate process, so that processes that serve requests never load the generator or
 * esbuild. The parent sends one task and receives one reply.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Catalog } from '../../generator/introspection/catalog.js';
import { generate, servedTables, type GenerateOptions, type GenerateReport } from '../../generator/main.js';
import { loadSpec } from '../../generator/spec/load.js';
import type { Spec } from '../../generator/spec/types.js';
import { pruneBuilds } from './builds.js';
import { bundle, bundleFunctions } from './bundle.js';
import type { Config } from '../config/config.js';
import { generatedFolder, isPackageOutput } from '../config/paths.js';
import { isRefusal, Refusal } from '../config/refusal.js';
import { pendingSteps, pendingStepsToText } from '../schema/bootstrap.js';

/** Input of a build. */
export interface BuildTask {
  readonly catalog: Catalog;
  /** Spec folders, starting with the package's own. */
  readonly specFolders: readonly string[];
  readonly tables: Config['tables'];
  /** Folder of the finished build, which appears in one step, complete or not at all. */
  readonly directory: string;
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
  | { readonly kind: 'built' }
  | { readonly kind: 'failed'; readonly message: string; readonly refusal: boolean };

const runTask = async (task: BuildTask): Promise<void> => {
  const spec = await loadSpec(task.specFolders);
  const missing = await pendingSteps(spec, task.catalog);
  if (missing.length > 0) throw new Refusal(pendingStepsToText(missing));
  const staging = `${task.directory}.${process.pid}`;
  mkdirSync(staging, { recursive: true });
  try {
    await buildIn(staging, task, spec);
    publish(staging, task.directory);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  pruneBuilds(dirname(task.directory), Date.now());
};

/** Uses the committed output if it is current; otherwise leaves it alone and generates elsewhere. */
const buildIn = async (
  staging: string,
  { catalog, specFolders, tables }: BuildTask,
  spec: Spec,
): Promise<void> => {
  const from = join(staging, 'database.json');
  writeFileSync(from, JSON.stringify(catalog));
  const input = { ...tables, from, specFolders, spec, ignoresOutdated: true };
  const own = join(staging, 'generated');
  // the package's own output differs from that of others
  const forPackage = isPackageOutput(generatedFolder);
  const committed = await compareCommitted({
    ...input,
    forPackage,
    out: generatedFolder,
    check: true,
    ...(!forPackage && { elsewhere: own }),
  });
  const changes = committed === null ? 0 : committed.written.length + committed.removed.length;
  const isCurrent = committed !== null && changes === 0;
  const source = isCurrent ? generatedFolder : own;
  const isMade = committed !== null && (isCurrent || !forPackage);
  const { outdated } = isMade ? committed : await generate({ ...input, out: own, check: false });
  await bundle(join(source, 'server', 'index.ts'), join(staging, 'server.mjs'));
  await bundleFunctions(spec.queueModels, join(staging, 'functions.mjs'));
  for (const name of ['openapi.json', 'catalog.json'])
    await copyFile(join(source, name), join(staging, name));
  await cp(join(source, 'graphql'), join(staging, 'graphql'), { recursive: true });
  writeFileSync(
    join(staging, 'build.json'),
    JSON.stringify({ changes, outdated, tables: servedTables(tables, spec) } satisfies BuildInfo),
  );
  rmSync(from);
};

/** Compares the committed output, without changing it; null if there is none. */
const compareCommitted = async (options: GenerateOptions): Promise<GenerateReport | null> =>
  existsSync(join(options.out, 'server')) ? generate(options) : null;

/** Moves the finished build into place, unless another process has published the same one meanwhile. */
const publish = (staging: string, directory: string): void => {
  try {
    renameSync(staging, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error;
  }
};

const reply = (message: BuildResult): void => {
  process.send?.(message, () => process.exit(message.kind === 'built' ? 0 : 1));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // If the parent exits, no one needs the build.
  process.once('disconnect', () => process.exit(1));
  if (!process.connected) process.exit(1);
  process.once('message', (task: BuildTask) => {
    runTask(task).then(
      () => reply({ kind: 'built' }),
      (error: Error) => reply({ kind: 'failed', message: error.message, refusal: isRefusal(error) }),
    );
  });
}
