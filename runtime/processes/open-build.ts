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
import { createSchemaCheck } from './schema-check.js';
import { createSchemaLook, type SchemaLook } from './schema-look.js';

export interface OpenOptions {
  readonly config: Config;
  readonly observe: Observe;
  /** A build that is known to be current; without it, one is looked up or created. */
  readonly directory?: string;
  /** A database that is already open, which is closed with the build. */
  readonly database?: Database;
}

export interface OpenedBuild extends LoadedBuild {
  readonly database: Database;
  readonly directory: string;
  readonly schema: SchemaLook;
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
  const database = known.database ?? (await connect(config, observe));
  try {
    const present = ifExists(known.directory);
    const schema = createSchemaLook({ config, database, observe }, present);
    const directory = present ?? (await schema.look(true));
    let release = keepInUse(directory);
    const loading = timed('load', observe, () => loadBuild(directory, database));
    loading.catch(release);
    const build = await loading;
    return {
      ...build,
      database,
      directory,
      schema,
      load(next) {
        release();
        release = keepInUse(next);
        return loadBuild(next, database);
      },
      async close() {
        release();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
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
