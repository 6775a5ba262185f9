/** A whole server for tests: a database from SQL, meta and access in it, generated in memory, listening on a free port. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import express from 'express';
import { emit } from '../../generator/emitters/index.js';
import { introspect } from '../../generator/introspection/index.js';
import { buildModel } from '../../generator/model/build.js';
import { loadSpec } from '../../generator/spec/load.js';
import { createAccess } from '../../runtime/access/access.js';
import { createAnswer } from '../../runtime/answer.js';
import { watchAvailability } from '../../runtime/availability.js';
import { bundle } from '../../runtime/processes/bundle.js';
import { createRegistry, type CollectionDeclaration } from '../../runtime/collection.js';
import { loadConfig, type Environment } from '../../runtime/config.js';
import { createAccessSource } from '../../runtime/execute/access-source.js';
import { openDatabase, type BindValue, type Database } from '../../runtime/execute/database.js';
import { createApp } from '../../runtime/express.js';
import { createHandle } from '../../runtime/handle.js';
import type { Observation } from '../../runtime/observe.js';
import { createOperationRoutes } from '../../runtime/operations/routes.js';
import { createServerOperations } from '../../runtime/operations/server.js';
import { packageRoot } from '../../runtime/package.js';
import { bootstrap } from '../../runtime/schema/bootstrap.js';
import { serve, type Server, type ServeOptions } from '../../runtime/server.js';
import { loadDialect } from '../../runtime/sql/dialects.js';
import { catalogReader, createTestDatabase, type TestDialect } from '../databases.js';

/** The two ways in: node:http, and an Express application inside somebody else's. */
export type Door = 'plain' | 'express';

export interface TestServerOptions {
  readonly dialect: TestDialect;
  /** Path of the schema's SQL. */
  readonly file?: string;
  /** SQL that is run after it. */
  readonly sql?: string;
  readonly meta?: TestMeta;
  readonly access?: TestAccess;
  readonly door?: Door;
  /** As in `process.env`. */
  readonly environment?: Environment;
}

type MetaRow = Readonly<Record<string, unknown>>;

/** Rows of `svc_collections`, `svc_fields` and `svc_relations`. */
export interface TestMeta {
  readonly collections?: Readonly<Record<string, MetaRow>>;
  readonly fields?: Readonly<Record<string, Readonly<Record<string, MetaRow>>>>;
  readonly relations?: readonly MetaRow[];
}

export interface TestPermission {
  readonly collection: string;
  readonly action: 'create' | 'read' | 'update' | 'delete';
  readonly fields?: readonly string[];
  readonly permissions?: unknown;
  readonly validation?: unknown;
  readonly presets?: unknown;
}

/** By name; a user called `admin` is always there, with the token `adminToken`. */
export interface TestAccess {
  readonly policies?: Readonly<Record<string, readonly TestPermission[]>>;
  readonly roles?: Readonly<Record<string, { readonly id?: string; readonly parent?: string; readonly policies: readonly string[] }>>;
  readonly users?: Readonly<Record<string, TestUser>>;
  /** Policies of everybody without a role. */
  readonly public?: readonly string[];
}

export interface TestUser {
  readonly id?: string;
  readonly token: string;
  readonly role?: string | null;
  readonly policies?: readonly string[];
  /** Further columns of `svc_users`. */
  readonly columns?: Readonly<Record<string, string>>;
}

export interface RequestOptions {
  /** A user; absent: nobody. */
  readonly as?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `null` for an empty one. */
  readonly body: any;
}

/** Keys by name. */
export type AccessIds = Readonly<Record<'policies' | 'roles' | 'users', Map<string, string>>>;

export interface TestServer {
  readonly url: string;
  readonly dialect: TestDialect;
  readonly database: Database;
  /** Everything the server told, oldest first. */
  readonly observations: readonly Observation[];
  /** The whole document, as generated. */
  readonly openapi: Readonly<Record<string, any>>;
  readonly ids: AccessIds;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Runs a script beside the server, as somebody at a database shell would. */
  execute(script: string): Promise<void>;
  /** A second instance on the same database, with connections and caches of its own. */
  startAnother(): Promise<TestServer>;
  close(): Promise<void>;
}

export const adminToken = 'admin-token-0123456789abcdef';

const specFolder = join(packageRoot, 'spec');

export const startTestServer = async (options: TestServerOptions): Promise<TestServer> => {
  const { dialect, file, sql } = options;
  const place = await createTestDatabase(dialect, { ...(file !== undefined && { file }), ...(sql !== undefined && { sql }) });
  const folder = await mkdtemp(join(tmpdir(), 'svc-build-'));
  const close = async (): Promise<void> => {
    await place.drop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await createSystemTables(place.database);
    await insertMeta(place.database, options.meta ?? {});
    const ids = await insertAccess(place.database, options.access ?? {});
    const built = await build(place.database, folder);
    const tokens = tokensOf(options.access ?? {});
    const start = (database: Database, end: () => Promise<void>): Promise<TestServer> =>
      open({ ...options, url: place.url, database, built, tokens, ids, execute: place.execute, end });
    return await start(place.database, close);
  } catch (error) {
    await close();
    throw error;
  }
};

const createSystemTables = async (database: Database): Promise<void> => {
  await bootstrap({
    database,
    spec: await loadSpec([specFolder]),
    introspect: () => introspect(catalogReader(database), { include: ['svc_*'] }),
    admin: { email: 'admin@example.com', token: adminToken },
    log: () => undefined,
  });
};

const insertMeta = async (database: Database, { collections = {}, fields = {}, relations = [] }: TestMeta): Promise<void> => {
  for (const [collection, row] of Object.entries(collections)) {
    await insert(database, 'svc_collections', { collection, ...row });
  }
  for (const [collection, rows] of Object.entries(fields)) {
    for (const [field, row] of Object.entries(rows)) await insert(database, 'svc_fields', { collection, field, ...row });
  }
  for (const row of relations) await insert(database, 'svc_relations', row);
};

const insertAccess = async (database: Database, access: TestAccess): Promise<AccessIds> => {
  const ids: AccessIds = { policies: new Map(), roles: new Map(), users: new Map() };
  const hold = async (policies: readonly string[], holder: MetaRow): Promise<void> => {
    for (const policy of policies) {
      await insert(database, 'svc_access', { id: randomUUID(), policy: ids.policies.get(policy), ...holder });
    }
  };
  for (const [name, permissions] of Object.entries(access.policies ?? {})) {
    const policy = randomUUID();
    ids.policies.set(name, policy);
    await insert(database, 'svc_policies', { id: policy, name });
    for (const permission of permissions) await insertPermission(database, policy, permission);
  }
  for (const [name, { id = randomUUID(), parent, policies }] of Object.entries(access.roles ?? {})) {
    ids.roles.set(name, id);
    await insert(database, 'svc_roles', { id, name, ...(parent !== undefined && { parent: ids.roles.get(parent) }) });
    await hold(policies, { role: id });
  }
  for (const [name, { id = randomUUID(), token, role, policies = [], columns = {} }] of Object.entries(access.users ?? {})) {
    ids.users.set(name, id);
    const held = typeof role === 'string' ? { role: ids.roles.get(role) } : {};
    await insert(database, 'svc_users', { id, email: `${name}@example.com`, token, status: 'active', ...held, ...columns });
    await hold(policies, { user: id });
  }
  await hold(access.public ?? [], {});
  return ids;
};

export const insertPermission = async (
  database: Database,
  policy: string,
  { fields, ...permission }: TestPermission,
): Promise<void> =>
  insert(database, 'svc_permissions', { policy, ...permission, ...(fields !== undefined && { fields: fields.join() }) });

/** Lists of `special` and their like are comma-separated, objects are JSON. */
const insert = async (database: Database, table: string, row: MetaRow): Promise<void> => {
  const { quote } = await loadDialect(database.dialect);
  const names = Object.keys(row);
  const text = `insert into ${table} (${names.map(quote).join(', ')}) values (${names.map(() => '?').join(', ')})`;
  await database.write({ text, values: Object.values(row).map(toBindValue) });
};

const toBindValue = (value: unknown): BindValue => {
  if (typeof value === 'boolean') return Number(value);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join();
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ((value ?? null) as BindValue);
};

const tokensOf = ({ users = {} }: TestAccess): ReadonlyMap<string, string> =>
  new Map([['admin', adminToken], ...Object.entries(users).map(([name, { token }]): [string, string] => [name, token])]);

interface Built {
  readonly declarations: readonly CollectionDeclaration[];
  /** File of the OpenAPI document. */
  readonly openapi: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** What `svc start` builds and loads. */
const build = async (database: Database, folder: string): Promise<Built> => {
  const catalog = await introspect(catalogReader(database), {});
  const { model } = buildModel({ catalog, spec: await loadSpec([specFolder]) });
  const files = emit(model).filter(({ path }) => path.startsWith('server/') || path === 'openapi.json');
  for (const { path, content } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const server = join(folder, 'server.mjs');
  await bundle(join(folder, 'server', 'index.ts'), server);
  const { collections } = (await import(server)) as { readonly collections: readonly CollectionDeclaration[] };
  const document = files.find(({ path }) => path === 'openapi.json')?.content ?? '{}';
  return { declarations: collections, openapi: join(folder, 'openapi.json'), document: JSON.parse(document) };
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
    config: loadConfig({ DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'silent', ...options.environment }),
    declarations: built.declarations,
    openapi: built.openapi,
    database,
    observe: (observation) => observations.push(observation),
  });
  return {
    url: server.url,
    dialect,
    database,
    observations,
    openapi: built.document,
    ids,
    execute,
    request: (method, path, request = {}) => send({ method, url: server.url, path, tokens }, request),
    async startAnother() {
      const another = await openDatabase({ url });
      return open({ ...options, database: another, end: () => another.close() });
    },
    async close() {
      await server.close();
      await options.end();
    },
  };
};

interface Target {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly tokens: ReadonlyMap<string, string>;
}

const send = async ({ method, url, path, tokens }: Target, options: RequestOptions): Promise<Answer> => {
  const { as, body, raw, headers = {} } = options;
  const token = as === undefined ? undefined : tokens.get(as);
  if (as !== undefined && token === undefined) throw new Error(`there is no user "${as}"`);
  const response = await fetch(new URL(`${url}${path}`), {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(raw !== undefined && { body: typeof raw === 'string' ? raw : new Uint8Array(raw) }),
  });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  return { status: response.status, headers: response.headers, text, body: isJson && text !== '' ? JSON.parse(text) : null };
};

const mountPath = '/content';

/** An embedder's application, with ours below a path of it. */
const serveInExpress = async (options: ServeOptions): Promise<Server> => {
  const { config, database, observe } = options;
  const dialect = await loadDialect(database.dialect);
  const registry = createRegistry(options.declarations);
  const access = createAccess(createAccessSource(database, dialect.quote));
  const availability = watchAvailability(database, observe);
  const limits = { fallback: config.query.limitDefault, most: config.query.limitMax === -1 ? null : config.query.limitMax };
  const handle = createHandle({
    registry,
    database,
    dialect,
    access,
    limits,
    publicLimits: { ...limits, most: config.query.limitMaxPublic },
    maxDepth: config.query.relationalDepth,
  });
  const operations = createOperationRoutes(createServerOperations({ database, registry, openapi: options.openapi }), access);
  const answer = createAnswer({ handle, availability, observe });
  const edge = { base: mountPath, payloadMax: config.payloadMax };
  const embedder = express();
  embedder.use(mountPath, createApp({ ...edge, answer, operations, explorer: config.explorer, availability, observe }));
  const listener = createServer(embedder);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}${mountPath}`,
    async close() {
      availability.close();
      await new Promise<void>((resolve) => {
        listener.close(() => resolve());
        listener.closeIdleConnections();
      });
    },
  };
};

const doors: Readonly<Record<Door, (options: ServeOptions) => Promise<Server>>> = {
  plain: serve,
  express: serveInExpress,
};
