/** A whole server for tests: a database with meta and access in it, generated in memory, listening on a free port. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Express } from 'express';
import { emit } from '../../generator/emitters/index.js';
import { introspect } from '../../generator/introspection/index.js';
import { buildModel } from '../../generator/model/build.js';
import { loadSpec } from '../../generator/spec/load.js';
import type { CollectionDeclaration } from '../../contract/collection.js';
import { loadConfig } from '../../runtime/config/config.js';
import type { Environment } from '../../runtime/config/environment.js';
import { openDatabase } from '../../runtime/databases/open.js';
import type { Database } from '../../runtime/databases/contract.js';
import type { Observation } from '../../runtime/observe.js';
import { packageRoot } from '../../runtime/config/package.js';
import type { QueueModelDeclaration } from '../../contract/queue-model.js';
import { bundle } from '../../runtime/processes/bundle.js';
import { bootstrap } from '../../runtime/schema/bootstrap.js';
import { catalogReader, createTestDatabase, dialects, type TestDialect } from '../databases.js';
import { createClient, type Client } from './harness/client.js';
import { doors, type Door } from './harness/doors.js';
import {
  adminToken,
  insertAccess,
  insertMeta,
  tokensOf,
  type AccessIds,
  type TestAccess,
  type TestMeta,
} from './harness/rows.js';

export type { Answer, RequestOptions } from './harness/client.js';
export type { Door } from './harness/doors.js';
export { adminToken, insertRow } from './harness/rows.js';
export type { TestAccess, TestMeta, TestPermission } from './harness/rows.js';

export interface TestServerOptions {
  readonly dialect: TestDialect;
  readonly door?: Door;
  /** Path of the schema's SQL. */
  readonly file?: string;
  /** SQL that is run after it. */
  readonly sql?: string;
  readonly meta?: TestMeta;
  readonly access?: TestAccess;
  /** Folder of a spec that comes after the package's own. */
  readonly spec?: string;
  /** As in `process.env`. */
  readonly environment?: Environment;
}

export interface TestServer extends Client {
  readonly url: string;
  /** Our Express application, where somebody else's holds it. */
  readonly app: Express | null;
  readonly dialect: TestDialect;
  readonly database: Database;
  /** Everything the server told, oldest first. */
  readonly observations: readonly Observation[];
  /** The whole document, as generated. */
  readonly openapi: Readonly<Record<string, unknown>>;
  readonly ids: AccessIds;
  readonly queueModels: readonly QueueModelDeclaration[];
  /** Runs a script beside the server, as somebody at a database shell would. */
  execute(script: string): Promise<void>;
  /** A second instance on the same database, with connections and caches of its own. */
  startAnother(environment?: Environment): Promise<TestServer>;
  close(): Promise<void>;
}

/** The modules of the models that come with the package. */
export const functions = {
  'demo/image': () => import('../../models/image.js'),
  'demo/ocr': () => import('../../models/ocr.js'),
  'demo/train': () => import('../../models/train.js'),
};

interface Setting {
  readonly dialect: TestDialect;
  readonly door: Door;
}

/** For what depends on how a request is read and an answer sent: every database through every door. */
export const allSettings: readonly Setting[] = dialects.flatMap((dialect) =>
  (Object.keys(doors) as Door[]).map((door) => ({ dialect, door })),
);

/**
 * For everything else: every database, each door with two of them, so that each test goes through both. That the doors
 * answer alike is tested by the recorded cases. `describe.each(settings)('… on $dialect through $door', …)`.
 */
export const settings: readonly Setting[] = [
  { dialect: 'sqlite', door: 'plain' },
  { dialect: 'mariadb', door: 'express' },
  { dialect: 'mysql', door: 'plain' },
  { dialect: 'postgres', door: 'express' },
];

/** Signs the tokens of a test. */
export const testSecret = 'test-secret-0123456789abcdef012345678';

const specFolder = join(packageRoot, 'spec');

export const startTestServer = async (options: TestServerOptions): Promise<TestServer> => {
  const { dialect, file, sql, spec, meta = {}, access = {} } = options;
  const place = await createTestDatabase(dialect, {
    ...(file !== undefined && { file }),
    ...(sql !== undefined && { sql }),
  });
  const folder = await mkdtemp(join(tmpdir(), 'svc-build-'));
  const end = async (): Promise<void> => {
    await place.drop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await createSystemTables(place.database);
    await insertMeta(place.database, meta);
    const ids = await insertAccess(place.database, access);
    const built = await build(place.database, folder, spec === undefined ? [] : [spec]);
    const { url, database, execute } = place;
    return await open({ ...options, url, database, execute, built, tokens: tokensOf(access), ids, end });
  } catch (error) {
    await end();
    throw error;
  }
};

const createSystemTables = async (database: Database): Promise<void> => {
  await bootstrap({
    database,
    spec: await loadSpec([specFolder]),
    introspect: () => introspect(catalogReader(database), { include: ['svc_*'] }),
    admin: { email: 'admin@example.com', token: adminToken, password: null },
    log: () => undefined,
  });
};

interface Built {
  readonly declarations: readonly CollectionDeclaration[];
  readonly queueModels: readonly QueueModelDeclaration[];
  /** File of the OpenAPI document. */
  readonly openapi: string;
  /** Folder of the GraphQL schemas. */
  readonly graphql: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** What `svc start` builds and loads. */
const build = async (database: Database, folder: string, specs: readonly string[]): Promise<Built> => {
  const catalog = await introspect(catalogReader(database), {});
  const { model } = buildModel({ catalog, spec: await loadSpec([specFolder, ...specs]) });
  const files = emit(model).filter(({ path }) => /^(server|graphql)\/|^openapi\.json$/.test(path));
  for (const { path, content } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const server = join(folder, 'server.mjs');
  await bundle(join(folder, 'server', 'index.ts'), server);
  const { collections, queueModels } = (await import(server)) as {
    readonly collections: readonly CollectionDeclaration[];
    readonly queueModels: readonly QueueModelDeclaration[];
  };
  const document = files.find(({ path }) => path === 'openapi.json')?.content ?? '{}';
  return {
    declarations: collections,
    queueModels,
    openapi: join(folder, 'openapi.json'),
    graphql: join(folder, 'graphql'),
    document: JSON.parse(document),
  };
};

interface OpenOptions extends TestServerOptions {
  readonly url: string;
  readonly database: Database;
  readonly built: Built;
  readonly tokens: ReadonlyMap<string, string>;
  readonly ids: AccessIds;
  execute(script: string): Promise<void>;
  end(): Promise<void>;
}

const open = async (options: OpenOptions): Promise<TestServer> => {
  const { dialect, url, database, built, tokens, ids, execute } = options;
  const observations: Observation[] = [];
  const server = await doors[options.door ?? 'plain']({
    config: loadConfig({
      DATABASE_URL: url,
      PORT: '0',
      LOG_LEVEL: 'silent',
      SECRET: testSecret,
      RATE_LIMITER_ENABLED: 'false',
      ...options.environment,
    }),
    declarations: built.declarations,
    queueModels: built.queueModels,
    loadFunctions: async () => functions,
    openapi: built.openapi,
    graphql: built.graphql,
    database,
    observe: (observation) => observations.push(observation),
  });
  return {
    ...createClient(server.url, tokens),
    url: server.url,
    app: server.app ?? null,
    dialect,
    database,
    observations,
    openapi: built.document,
    queueModels: built.queueModels,
    ids,
    execute,
    async startAnother(environment = options.environment ?? {}) {
      const another = await openDatabase({ url });
      return open({ ...options, environment, database: another, end: () => another.close() });
    },
    async close() {
      await server.close();
      await options.end();
    },
  };
};
