/** A whole server for tests: a database with meta and access in it, generated in memory, listening on a free port. */
import type { Express } from 'express';
import { loadConfig } from '../../runtime/config/config.js';
import type { Environment } from '../../runtime/config/environment.js';
import { openDatabase } from '../../runtime/databases/open.js';
import type { Database } from '../../runtime/databases/contract.js';
import { coalesceCalls } from '../../runtime/concurrency/call-coalescing.js';
import { replaceNothing, type BuildSource } from '../../runtime/reloading-service.js';
import type { Observation } from '../../runtime/observe.js';
import type { QueueModelDeclaration } from '../../contract/queue-model.js';
import type { Route } from '../../contract/routes.js';
import { createTestDatabase, dialects, dialectsOf, pairDialects, type TestDialect } from '../databases.js';
import { systemTemplate } from '../templates.js';
import { build, type Built } from './harness/build.js';
import { compiledFunctions } from './harness/compiled-functions.js';
import { createClient, type Client } from './harness/client.js';
import { listeners, type ListenerName } from './harness/listeners.js';
import {
  insertAccess,
  insertMeta,
  tokensOf,
  type AccessIds,
  type TestAccess,
  type TestMeta,
} from './harness/rows.js';

export type { Answer, RequestOptions } from './harness/client.js';
export type { ListenerName } from './harness/listeners.js';
export { adminToken, insertRow } from './harness/rows.js';
export type { TestAccess, TestMeta, TestPermission } from './harness/rows.js';

export interface TestServerOptions {
  readonly dialect: TestDialect;
  readonly listener?: ListenerName;
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
  /** True where a changed schema is followed; it is by default. */
  readonly followsSchema?: false;
  /** Has builds of a changed schema wait. */
  readonly beforeBuild?: () => Promise<void>;
  /** Milliseconds for which a request waits for such a build. */
  readonly buildLimit?: number;
}

export interface TestServer extends Client {
  readonly url: string;
  /** As in `DATABASE_URL`. */
  readonly databaseUrl: string;
  /** Our Express application, where somebody else's holds it. */
  readonly app: Express | null;
  readonly dialect: TestDialect;
  readonly database: Database;
  /** Observations of the server, oldest first. */
  readonly observations: readonly Observation[];
  /** The whole document, as generated. */
  readonly openapi: Readonly<Record<string, unknown>>;
  readonly ids: AccessIds;
  readonly routes: readonly Route[];
  readonly queueModels: readonly QueueModelDeclaration[];
  /** Runs a script beside the server, as somebody at a database shell would. */
  execute(script: string): Promise<void>;
  /** A second instance on the same database, or where `DATABASE_URL` points, with connections and caches of its own. */
  startAnother(environment?: Environment): Promise<TestServer>;
  close(): Promise<void>;
}

/** The module of the functions of models, for child processes. */
export const functions = await compiledFunctions();

export interface Setting {
  readonly dialect: TestDialect;
  readonly listener: ListenerName;
}

/** For what depends on how a request is read and an answer sent: every database through every listener. */
export const allSettings: readonly Setting[] = dialects.flatMap((dialect) =>
  (Object.keys(listeners) as ListenerName[]).map((listener) => ({ dialect, listener })),
);

/**
 * For everything else: every database, each listener with two of them, so that each test goes through both. That the listeners
 * answer alike is tested by the recorded cases. `describe.each(settings)('… on $dialect through $listener', …)`.
 */
export const settings: readonly Setting[] = [
  { dialect: 'sqlite', listener: 'plain' },
  { dialect: 'mariadb', listener: 'express' },
  { dialect: 'mysql', listener: 'plain' },
  { dialect: 'postgres', listener: 'express' },
];

/**
 * Those of `settings` whose databases `dialectsOf` returns.
 * @param file `import.meta.url` of the test
 */
export const settingsOf = (file: string): readonly Setting[] => {
  const chosen = dialectsOf(file);
  return settings.filter(({ dialect }) => chosen.includes(dialect));
};

/**
 * For what does not depend on the database (`pairDialects`): each listener with one of its databases.
 * @param file `import.meta.url` of the test
 */
export const sampleSettings = (file: string): readonly Setting[] =>
  process.env.LONG === undefined
    ? pairDialects(file).map((dialect, index) => ({ dialect, listener: index === 0 ? 'plain' : 'express' }))
    : settings;

/**
 * For what depends on how a request is read and an answer sent, and not on the database: its databases through every listener.
 * @param file `import.meta.url` of the test
 */
export const sampleAllSettings = (file: string): readonly Setting[] =>
  allSettings.filter(({ dialect }) => pairDialects(file).includes(dialect));

/** Signs the tokens of a test. */
export const testSecret = 'test-secret-0123456789abcdef012345678';

export const startTestServer = async (options: TestServerOptions): Promise<TestServer> => {
  const { dialect, file, sql, spec, meta = {}, access = {} } = options;
  const place = await createTestDatabase(dialect, {
    template: await systemTemplate(dialect),
    ...(file !== undefined && { file }),
    ...(sql !== undefined && { sql }),
  });
  const end = place.drop;
  try {
    await insertMeta(place.database, meta);
    const ids = await insertAccess(place.database, access);
    const built = await build(place.database, spec === undefined ? [] : [spec]);
    const { url, database, execute } = place;
    return await open({ ...options, url, database, execute, built, tokens: tokensOf(access), ids, end });
  } catch (error) {
    await end();
    throw error;
  }
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

const toServiceBuild = ({ declarations, routes, queueModels, openapi, graphql }: Built) => ({
  declarations,
  routes,
  queueModels,
  openapi,
  graphql,
  functions,
});

/** Builds what the database has now, in memory. */
const createSource = ({ database, built, spec, beforeBuild }: OpenOptions): BuildSource => {
  let served = built.openapi;
  let failure: string | null = null;
  let replace = replaceNothing;
  const check = coalesceCalls<boolean, void>(
    async () => {
      await beforeBuild?.();
      const next = await build(database, spec === undefined ? [] : [spec]).catch((error: Error) => {
        failure = error.message;
        throw error;
      });
      failure = null;
      if (next.openapi === served) return;
      await replace(toServiceBuild(next));
      served = next.openapi;
    },
    (first, second) => first || second,
  );
  return {
    check,
    failure: () => failure,
    generation: () => 0,
    onGeneration: () => undefined,
    subscribe: (next) => (replace = next),
    close: async () => undefined,
  };
};

const open = async (options: OpenOptions): Promise<TestServer> => {
  const { dialect, url, database, built, tokens, ids, execute } = options;
  const observations: Observation[] = [];
  const server = await listeners[options.listener ?? 'plain']({
    config: loadConfig({
      DATABASE_URL: url,
      PORT: '0',
      LOG_LEVEL: 'silent',
      SECRET: testSecret,
      RATE_LIMITER_ENABLED: 'false',
      // changes of access do not wait
      ACCESS_LEASE: '0',
      ...options.environment,
    }),
    ...(options.followsSchema !== false && { source: createSource(options) }),
    ...(options.buildLimit !== undefined && { buildLimit: options.buildLimit }),
    declarations: built.declarations,
    routes: built.routes,
    queueModels: built.queueModels,
    functions,
    openapi: built.openapi,
    graphql: built.graphql,
    database,
    observe: (observation) => observations.push(observation),
  });
  return {
    ...createClient(server.url, tokens),
    url: server.url,
    databaseUrl: url,
    app: server.app ?? null,
    dialect,
    database,
    observations,
    get openapi() {
      return built.document;
    },
    routes: built.routes,
    queueModels: built.queueModels,
    ids,
    execute,
    async startAnother(environment = options.environment ?? {}) {
      const another = await openDatabase({ url: environment.DATABASE_URL ?? url });
      return open({ ...options, environment, database: another, end: () => another.close() });
    },
    async close() {
      await server.close();
      await options.end();
    },
  };
};
