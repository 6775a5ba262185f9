/** Opens a database and its build, the first step of every process of a project. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CollectionDeclaration } from '../../contract/collection.js';
import type { Config } from '../config/config.js';
import { connect } from '../databases/connect.js';
import type { Database } from '../databases/contract.js';
import { timed, type Observe } from '../observe.js';
import type { Route } from '../../contract/routes.js';
import type { QueueModelDeclaration } from '../../contract/queue-model.js';
import { keepInUse } from './builds.js';
import { createBuilder, type Builder } from './builder.js';
import type { PrepareOptions } from './prepare.js';
import { createSchemaCheck } from './schema-check.js';
import { createBuildCheck, type BuildCheck } from './build-check.js';

export interface OpenOptions {
  readonly config: Config;
  readonly observe: Observe;
  /** A build that is known to be current; without it, one is looked up or created. */
  readonly directory?: string;
  /** Maker of builds; without it, a process that this one starts. */
  readonly builder?: Builder;
  /** A database that is already open, which is closed with the build. */
  readonly database?: Database;
}

export interface OpenedBuild extends LoadedBuild {
  readonly database: Database;
  readonly directory: string;
  /** Generation of the schema that the build is of; 0 where another process knows it. */
  readonly generation: number;
  readonly schema: BuildCheck;
  /** Loads another build, which is kept instead of the one before. */
  load(directory: string): Promise<LoadedBuild>;
  /** Closes the database; afterwards the build may be removed. */
  close(): Promise<void>;
}

/** A build in memory. */
export interface LoadedBuild {
  readonly declarations: readonly CollectionDeclaration[];
  readonly routes: readonly Route[];
  readonly queueModels: readonly QueueModelDeclaration[];
  /** File of the OpenAPI document. */
  readonly openapi: string;
  /** Folder of the GraphQL schemas. */
  readonly graphql: string;
  /** Module of the functions of models, which child processes load. */
  readonly functions: string;
  /** Returns what changed in the database since the build. */
  findSchemaChanges(): Promise<readonly string[]>;
}

/**
 * Opens a database and its build.
 * @throws Refusal when system tables are missing or the spec is faulty; nothing stays open then
 */
export const openBuild = async ({ config, observe, ...known }: OpenOptions): Promise<OpenedBuild> => {
  const own = createBuilder();
  const { builder = own } = known;
  const database = known.database ?? (await connect(config, observe));
  try {
    const present = ifExists(known.directory);
    const schema = createBuildCheck({ config, database, observe, builder }, present);
    const first = present === null ? await schema.check(true) : { directory: present, generation: 0 };
    // without the right to drop tables, none is left
    if (present === null) await database.removeScratch?.().catch(() => undefined);
    const isResumed = present === null && (await endCutOff({ config, database, observe }));
    const { directory, generation } = isResumed ? await schema.check(true) : first;
    let release = keepInUse(directory);
    const loading = timed('load', observe, () => loadBuild(directory, database));
    loading.catch(release);
    const build = await loading;
    return {
      ...build,
      database,
      directory,
      generation,
      schema,
      load(next) {
        release();
        release = keepInUse(next);
        return loadBuild(next, database);
      },
      async close() {
        release();
        await Promise.all([database.close(), own.close()]);
      },
    };
  } catch (error) {
    await Promise.all([database.close(), own.close()]);
    throw error;
  }
};

/** Milliseconds for which a start waits for other hosts, longer than those of killed processes count as alive. */
const resumeWait = 10_000;

/** Ends an apply of the schema that was cut off. Returns whether there was one. */
const endCutOff = async ({
  config,
  database,
  observe,
}: Omit<PrepareOptions, 'builder'>): Promise<boolean> => {
  const { openApply } = await import('../schema/apply/applies.js');
  try {
    const open = await openApply(database);
    if (open === undefined) return false;
    // Temporal has another worker go on with it
    if (open.state === 'running' && open.worker !== null && config.temporal.address !== null) return false;
    const { resumeApply } = await import('../schema/apply/resume.js');
    const wait = Math.min(config.schemaApplyWait, resumeWait);
    return await resumeApply({ database, tables: config.tables, wait, user: null });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `an apply of the schema was cut off: ${reason}; run svc schema apply --resume, or --abandon`;
    observe({ kind: 'warning', message });
    return false;
  }
};

const ifExists = (directory: string | undefined): string | null =>
  directory !== undefined && existsSync(directory) ? directory : null;

/** Exports of a build. */
interface Bundle {
  readonly collections: readonly CollectionDeclaration[];
  readonly routes: readonly Route[];
  readonly queueModels: readonly QueueModelDeclaration[];
}

const loadBuild = async (directory: string, database: Database): Promise<LoadedBuild> => {
  const { collections, routes, queueModels } = await load(directory);
  return {
    declarations: collections,
    routes,
    queueModels,
    openapi: join(directory, 'openapi.json'),
    graphql: join(directory, 'graphql'),
    functions: join(directory, 'functions.mjs'),
    findSchemaChanges: createSchemaCheck(directory, database),
  };
};

const load = (directory: string): Promise<Bundle> =>
  import(pathToFileURL(join(directory, 'server.mjs')).href) as Promise<Bundle>;
