/**
 * Ensures that a build of the current database and spec exists. The check costs one introspection and one
 * hash; generator and esbuild are loaded only for a new build, in a separate process.
 */
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BuildInfo, BuildTask } from './build.js';
import type { Builder } from './builder.js';
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';
import { timed, type Observe } from '../observe.js';
import { modulePath, packageVersion } from '../config/package.js';
import { buildFolder, generatedFolder, specFolders } from '../config/paths.js';
import { Refusal } from '../config/refusal.js';
import { filesBelow, sourcesOf } from './sources.js';

export interface PrepareOptions {
  readonly config: Config;
  readonly database: Database;
  readonly observe: Observe;
  readonly builder: Builder;
}

/** A task whose catalog is not in a file yet. */
type NewTask = Omit<BuildTask, 'catalog' | 'served'> & {
  /** As JSON. */
  readonly catalog: string;
};

export interface PreparedBuild {
  /** `server.mjs`, `openapi.json`, `catalog.json`, `graphql/`. */
  readonly directory: string;
  /**
   * Resolves to what differs from the build that is served. Another process compares, so that large catalogs hold up no
   * request; the build can be served before.
   */
  readonly changes: Promise<readonly string[]>;
}

/**
 * Ensures that there is a current build.
 * @param served the build that is served; nothing is reported where that is the current one
 * @throws Refusal when system tables are missing or the spec is faulty
 */
export const prepareBuild = async (
  { config, database, observe, builder }: PrepareOptions,
  served: string | null = null,
): Promise<PreparedBuild> => {
  const task =
    served === null
      ? await timed('catalog', observe, () => createTask({ config, database, observe }))
      : await createTask({ config, database, observe: () => undefined });
  const { directory } = task;
  if (directory === served) return { directory, changes: nothing };
  const isPresent = existsSync(directory);
  const building = isPresent && served === null ? nothing : build({ ...task, served }, builder);
  if (!isPresent) await timed('build', observe, () => building);
  const { changes, outdated } = JSON.parse(readFileSync(join(directory, 'build.json'), 'utf8')) as BuildInfo;
  for (const fault of outdated) observe({ kind: 'warning', message: `${fault}; until then it is ignored` });
  if (changes > 0) observe({ kind: 'generatedStale', changes });
  return { directory, changes: building };
};

const nothing: Promise<readonly string[]> = Promise.resolve([]);

const createTask = async ({
  config,
  database,
  observe,
}: Omit<PrepareOptions, 'builder'>): Promise<NewTask> => {
  const { tables } = config;
  const { readServedCatalog } = await import('../schema/served-catalog.js');
  const served = await readServedCatalog(database, {
    ...tables,
    // a dropped table must not prevent a start
    onUnmatched({ include, exclude }) {
      for (const [name, patterns] of Object.entries({ TABLES_INCLUDE: include, TABLES_EXCLUDE: exclude }))
        for (const pattern of patterns)
          observe({ kind: 'warning', message: `${name}: the pattern "${pattern}" matches no table` });
    },
  });
  const catalog = JSON.stringify(served);
  const folders = specFolders();
  const directory = buildDirectory(fingerprint(catalog, folders));
  return { catalog, specFolders: folders, tables, directory };
};

/**
 * Returns the folder of a build: a temporary one where the working directory is read-only, as in an image.
 */
const buildDirectory = (name: string): string => {
  // absolute: where the working directory has been removed, Node tries to create a relative path for ever
  const folder = resolve(buildFolder);
  const usual = join(folder, name);
  if (existsSync(usual)) return usual;
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return usual;
  } catch {
    return join(temporaryFolder(folder), name);
  }
};

/**
 * Returns the temporary folder for the builds of a working directory: the same in all processes of a user, which would
 * otherwise take each other's builds for those of another schema.
 * @throws Refusal where it cannot be created, or is not of this user alone, since code is loaded from it
 */
const temporaryFolder = (folder: string): string => {
  const user = process.getuid?.();
  const id = createHash('sha256').update(folder).digest('hex').slice(0, 20);
  const path = join(tmpdir(), `svc-build-${user ?? 'user'}-${id}`);
  const remedy = `make ${folder} writable, or set TMPDIR to a folder of your own`;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(`no build can be written to ${folder} or ${path} (${code}); ${remedy}`);
  }
  const found = lstatSync(path);
  const isOwn = found.isDirectory() && (user === undefined || found.uid === user);
  // 0o022: others may write
  if (isOwn && (found.mode & 0o022) === 0) return path;
  throw new Refusal(`${path}, for builds, is not a folder of this user alone; remove it, ${remedy}`);
};

/** Hashes the inputs of a build and the code that compiles them: equal exactly when the build would be. */
const fingerprint = (catalog: string, folders: readonly string[]): string => {
  const hash = createHash('sha256');
  hash.update(`${packageVersion}\0${modulePath('index')}\0${catalog}\0`);
  const committed = [join(generatedFolder, 'catalog.json'), join(generatedFolder, 'openapi.json')];
  const folderNames = ['server', 'graphql'].map((name) => join(generatedFolder, name));
  const files = [...folders, ...folderNames].flatMap(filesBelow);
  const modules = sourcesOf(folders.flatMap(filesBelow).flatMap(functionModules));
  for (const file of [...files, ...modules, ...committed.filter((path) => existsSync(path))]) {
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 20);
};

/** Returns the project's own modules that a spec file names as model runners. */
const functionModules = (file: string): readonly string[] =>
  Array.from(readFileSync(file, 'utf8').matchAll(/\bfunction:\s*['"]?(\.[^'"\s},]+)/g), ([, path = '']) =>
    resolve(path),
  );

const build = async (
  { catalog, ...task }: NewTask & Pick<BuildTask, 'served'>,
  builder: Builder,
): Promise<readonly string[]> => {
  const file = `${task.directory}.${process.pid}.json`;
  writeFileSync(file, catalog);
  try {
    const result = await builder.build({ ...task, catalog: file });
    if (result.kind === 'built') return result.changes;
    throw result.refusal ? new Refusal(result.message) : new Error(result.message);
  } finally {
    rmSync(file, { force: true });
  }
};
