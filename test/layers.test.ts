/** Who may import whom. A new room, or a new library, is a line here first. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycles, imports, isWithin, modules, findImports, type Import } from './imports.js';

/** What generated code, generator and runtime agree on, and small tools without a subject: every room may use them. */
const shared = ['contract', 'runtime/concurrency', 'runtime/config/package', 'runtime/network'];

/** The way of a request: each imports leftwards. */
const stages = ['runtime/request', 'runtime/access', 'runtime/plan', 'runtime/sql', 'runtime/execute'];
const before = (stage: string): readonly string[] => [...shared, ...stages.slice(0, stages.indexOf(stage))];

/** What the stages may know of databases: the types they agree on, never one of them. */
const databaseContract = ['type runtime/databases/contract'];

/** What one database's folder may use: the shared parts of `databases/`, and pure helpers of the stages. */
const databaseFolder = [
  'contract',
  'type runtime/databases/contract',
  'runtime/databases/network-errors',
  'runtime/databases/statements',
  'runtime/databases/unknown-outcome',
  'runtime/databases/violations',
  'runtime/plan/values',
  'runtime/sql/key',
  'runtime/sql/like',
  'runtime/sql/singles',
  'type runtime/sql',
  'runtime/execute/cells',
  'runtime/execute/masked-value',
  'runtime/execute/row-program',
  'runtime/execute/row-set',
  'runtime/execute/size-hints',
  'type runtime/execute',
  'type runtime/schema/system-tables',
];

/**
 * Room → what its modules may import, beside each other; `type` in front: types only. A name stands for a module or
 * for everything below a folder; the longest that fits a module is its room. Modules of `runtime/` that fit none are
 * composition roots: they may import anything, and only other roots may import them.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  contract: ['generated/server/errors'],

  'generator/introspection': [],
  'generator/print': [],
  'generator/spec': ['type generator/model/types', 'contract/expressions', 'contract/operators'],
  'generator/model': [
    'type generator/introspection',
    'type generator/spec',
    'generator/spec/faults',
    'generator/spec/meta-keys',
    'type contract',
    'contract/expressions',
  ],
  'generator/emitters': [
    'type generator/model/types',
    'generator/model/operation-stems',
    'generator/print',
    'contract',
  ],
  'generator/client': [
    'contract/ask-child',
    'generator/emitters/client',
    'type generator/model/types',
    'generator/print',
  ],
  'generator/emitters/models': [
    'type generator/model/types',
    'generator/print',
    'contract',
    'generator/introspection/index',
  ],
  'generator/output': ['type generator/model/types'],
  'generator/stored-catalog': ['generator/introspection', 'generator/model', 'type generator/spec'],
  'generator/main': ['generator'],
  'generator/index': ['generator'],

  'generated/server': ['runtime/index', 'contract'],

  models: ['type runtime/index', 'type generated/server/queue-models'],

  'runtime/index': [
    'contract',
    'generated/server/system-routes',
    'runtime/items/models',
    'type runtime/operations',
  ],
  'runtime/observe': ['type runtime/config'],
  'runtime/concurrency': ['contract', 'type runtime/observe'],
  'runtime/config': ['runtime/network'],
  'runtime/network': [],

  'runtime/request': before('runtime/request'),
  'runtime/access': before('runtime/access'),
  'runtime/plan': before('runtime/plan'),
  'runtime/sql': [...before('runtime/sql'), ...databaseContract],
  'runtime/execute': [...before('runtime/execute'), ...databaseContract, 'generated/server/system-rows'],
  'runtime/items': [
    ...shared,
    ...stages,
    ...databaseContract,
    'runtime/response',
    'runtime/auth/passwords',
    'type runtime/observe',
  ],
  'runtime/items/models': [...shared, ...stages, 'runtime/databases/open', ...databaseContract],
  'runtime/response': [...shared, ...stages],

  'runtime/databases': [],
  'runtime/databases/contract': [
    'type contract',
    'type runtime/plan',
    'type runtime/sql',
    'type runtime/execute',
    'type runtime/schema/system-tables',
    'type generator/introspection/catalog',
  ],
  'runtime/databases/open': ['runtime/databases'],
  'runtime/databases/connect': [
    'runtime/databases/open',
    ...databaseContract,
    'type runtime/config',
    'runtime/observe',
  ],
  'runtime/databases/statements': [],
  'runtime/databases/network-errors': [],
  'runtime/databases/unknown-outcome': ['runtime/databases/network-errors'],
  'runtime/databases/violations': databaseContract,
  'runtime/databases/mysql': databaseFolder,
  'runtime/databases/postgres': databaseFolder,
  'runtime/databases/sqlite': databaseFolder,

  'runtime/http': [
    ...shared,
    'runtime/request',
    'runtime/access',
    'runtime/response',
    'runtime/config',
    'type runtime/observe',
    // the handlers that routes name
    'type generated/server/operations',
    'type runtime/items/handle',
    'type runtime/graphql/handle',
    'runtime/operations/declarations',
    'runtime/operations/handle',
    'type runtime/queue/http/routes',
    'runtime/queue/http/wire',
    'runtime/databases/unknown-outcome',
    ...databaseContract,
  ],

  'runtime/auth': [
    ...shared,
    'runtime/access',
    'runtime/execute',
    ...databaseContract,
    'runtime/config/formats',
    'type runtime/config',
  ],
  'runtime/graphql': [
    ...shared,
    'generated/server/operations',
    'runtime/request',
    'runtime/access',
    'runtime/plan',
    'runtime/items',
    'runtime/response',
    'runtime/operations',
    'type runtime/execute',
    ...databaseContract,
  ],
  'runtime/operations': [
    ...shared,
    'generated/server/operations',
    'runtime/auth',
    'runtime/queue',
    'runtime/access',
    'runtime/request',
    'runtime/items',
    'type runtime/config',
    'type runtime/observe',
    'type runtime/execute',
    ...databaseContract,
  ],
  'runtime/queue': [
    ...shared,
    'type runtime/config',
    'type runtime/request/api-request',
    'type runtime/request/route',
    'runtime/request/body',
    'runtime/request/json-schema',
    'runtime/access',
    'runtime/execute/system-rows',
    ...databaseContract,
  ],
  'runtime/queue/contract': ['type runtime/queue/requests/outcome'],
  'runtime/queue/temporal/workflows': [
    'runtime/queue/contract',
    'runtime/queue/requests/outcome',
    'runtime/queue/webhooks/retries',
    'type runtime/queue/temporal/activities',
  ],
  'runtime/schema': [
    ...shared,
    'type generator/introspection',
    'type generator/spec',
    'runtime/observe',
    'runtime/auth/passwords',
    'runtime/access',
    'runtime/plan',
    'runtime/execute',
    'runtime/databases/open',
    ...databaseContract,
  ],
};

/** Library → where it may be imported. */
const libraries: Readonly<Record<string, readonly string[]>> = {
  '@graphql-codegen/core': ['generator/client/graphql'],
  '@graphql-codegen/typescript-operations': ['generator/client/graphql'],
  '@graphql-yoga/render-graphiql': ['runtime/http/pages'],
  '@hey-api/openapi-ts': ['generator/client/rest'],
  '@node-rs/argon2': ['runtime/auth/passwords'],
  '@temporalio/activity': ['runtime/queue/temporal/activities'],
  '@temporalio/client': ['runtime/queue/temporal'],
  '@temporalio/common': ['runtime/queue/temporal'],
  '@temporalio/envconfig': ['runtime/queue/temporal/connection'],
  '@temporalio/testing': ['runtime/demo/temporal-download'],
  '@temporalio/worker': ['runtime/queue/temporal/worker', 'runtime/queue/temporal/bundle'],
  '@temporalio/workflow': ['runtime/queue/temporal/workflows'],
  '@tesseract.js-data/eng': ['models/ocr'],
  ajv: ['runtime/request/json-schema'],
  'ajv-formats': ['runtime/request/json-schema'],
  'code-block-writer': ['generator/print'],
  commander: ['runtime/cli', 'runtime/commands'],
  cookie: ['runtime/operations/context'],
  esbuild: ['runtime/processes/bundle'],
  express: ['runtime/http/express-app'],
  graphql: ['runtime/graphql', 'generator/client'],
  'ipaddr.js': ['runtime/network'],
  'js-yaml': ['generator/spec/yaml'],
  jsonwebtoken: ['runtime/auth/tokens'],
  knex: ['runtime/items/models', 'runtime/databases/contract', 'runtime/databases/sqlite/knex'],
  libsql: ['runtime/databases/sqlite'],
  liquidjs: ['runtime/auth/mail'],
  'lru-cache': [
    'contract/expressions',
    'runtime/access/access',
    'runtime/execute/size-hints',
    'runtime/graphql/documents',
    'runtime/items/handle',
    'runtime/queue/http/caller',
    'runtime/request/query',
  ],
  mysql2: ['runtime/databases/mysql'],
  pg: ['runtime/databases/postgres'],
  nodemailer: ['runtime/auth/mail'],
  objection: ['runtime/items/models', 'generated/server'],
  'openid-client': ['runtime/auth/sign-on/provider'],
  'openapi3-ts': ['generator/emitters/openapi', 'runtime/operations'],
  otpauth: ['runtime/auth/one-time', 'runtime/auth/offered-secrets'],
  pino: ['runtime/observe'],
  'pino-pretty': ['runtime/observe'],
  pngjs: ['models/image'],
  re2js: ['contract/expressions'],
  'swagger-ui-dist': ['runtime/http/pages'],
  'tesseract.js': ['models/ocr'],
  undici: ['runtime/queue/webhooks'],
  uuid: ['runtime/queue/store/ids'],
};

const isOwn = ({ to }: Import): boolean => /^(contract|generator|generated|models|runtime)\//.test(to);
const own = imports.filter(isOwn);

const isHome = ({ from, to }: Import): boolean => (libraries[to] ?? []).some((home) => isWithin(from, home));

const emitterOf = (path: string): string | undefined => /^generator\/emitters\/([^/]+)\//.exec(path)?.[1];

/** `null`: a composition root. */
const roomOf = (path: string): string | null => {
  const fitting = Object.keys(rooms).filter((room) => isWithin(path, room));
  return fitting.sort((a, b) => b.length - a.length)[0] ?? null;
};

const isAllowed = ({ from, to, kind }: Import): boolean => {
  const room = roomOf(from);
  if (room === null || isWithin(to, room)) return true;
  return (rooms[room] ?? []).some((entry) => {
    const [place = '', only] = entry.split(' ').toReversed();
    return isWithin(to, place) && (only !== 'type' || kind === 'type');
  });
};

const say = ({ from, to, kind }: Import): string => `${from} → ${to} (${kind})`;

describe('modules import', () => {
  it('what the table lets their room import', () => {
    expect(own.filter((each) => !isAllowed(each)).map(say)).toEqual([]);
  });

  it('libraries only where these are at home', () => {
    expect(imports.filter((each) => !isOwn(each) && !isHome(each)).map(say)).toEqual([]);
  });

  it('other modules by the file that is there', () => {
    expect(own.filter(({ to }) => !existsSync(`${to}.ts`)).map(say)).toEqual([]);
  });
});

it('emitters never import each other', () => {
  const across = own.filter(({ from, to }) => {
    const [one, other] = [emitterOf(from), emitterOf(to)];
    return one !== undefined && other !== undefined && one !== other;
  });
  expect(across.map(say)).toEqual([]);
});

/** Code and comments that name a database outside its folders, each with the reason. */
const namesDatabases: Readonly<Record<string, string>> = {
  'generator/introspection/catalog': 'the type that names them for everybody, and what only one of them has',
  'generator/introspection/index': 'the line per folder of the generator',
  'runtime/databases/contract': 'the forms of DATABASE_URL',
  'runtime/databases/open': 'the line per folder of the runtime',
  'runtime/config': 'the forms of DATABASE_URL, and how to write them',
  'runtime/demo': 'the demo database is SQLite',
  'runtime/commands/demo': 'the demo database is SQLite',
};

it('databases are named in their folders alone', () => {
  const homes = /^(?:runtime\/databases|generator\/introspection)\/(?:mysql|postgres|sqlite)\//;
  const free = modules.filter(
    (path) => !homes.test(path) && !Object.keys(namesDatabases).some((place) => isWithin(path, place)),
  );
  const naming = free.filter((path) =>
    /mysql|mariadb|postgres|sqlite/i.test(readFileSync(`${path}.ts`, 'utf8')),
  );
  expect(naming).toEqual([]);
});

it('every place that may name databases does', () => {
  const silent = Object.keys(namesDatabases).filter((place) => {
    const within = modules.filter((path) => isWithin(path, place));
    return !within.some((path) => /mysql|mariadb|postgres|sqlite/i.test(readFileSync(`${path}.ts`, 'utf8')));
  });
  expect(silent).toEqual([]);
});

it('every room outside runtime is in the table', () => {
  expect(modules.filter((path) => !isWithin(path, 'runtime') && roomOf(path) === null)).toEqual([]);
});

describe('the README of a room', () => {
  const folders = Object.keys(rooms).filter((room) => existsSync(room) && statSync(room).isDirectory());
  const own = folders.filter((room) => /^(?:contract|generator\/\w+|runtime\/\w+)$/.test(room));

  it.each(own)('of %s is short, and the files it names are there', (room) => {
    const text = readFileSync(join(room, 'README.md'), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    const lists = text.split('\n').filter((line) => /^- (?:Read first|Copy):/.test(line));
    const named = lists.flatMap((line) => Array.from(line.matchAll(/`([^`]+)`/g), ([, path = '']) => path));
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((path) => !existsSync(join(room, path)))).toEqual([]);
  });
});

it('a request process loads neither the generator nor the libraries of tools', () => {
  const loaded = [...closureOf('runtime/processes/request-process')];
  const heavy = [
    '@temporalio/client',
    'undici',
    'generator',
    'esbuild',
    'express',
    'commander',
    'knex',
    'objection',
    'js-yaml',
  ];
  expect(loaded.filter((path) => heavy.some((each) => isWithin(path, each)))).toEqual([]);
  expect(loaded).toContain('runtime/processes/prepare');
});

/** What loading a module loads: everything it imports as values, and what that imports. */
const closureOf = (entry: string): ReadonlySet<string> => {
  const loaded = new Set([entry]);
  // a Set also visits what is added on the way
  for (const path of loaded) {
    for (const { from, to, kind } of imports) if (from === path && kind === 'value') loaded.add(to);
  }
  return loaded;
};

/** Modules that load each other, each group with the reason. */
const circles: readonly (readonly [reason: string, ...modules: string[]])[] = [
  ['a relation in a read plan is a read plan', 'runtime/plan/fields', 'runtime/plan/read'],
  [
    'a filter reaches related rows, whose rules are filters',
    'runtime/plan/filter',
    'runtime/plan/rule',
    'runtime/plan/scope',
  ],
];

const loads = (path: string): readonly string[] =>
  own.filter(({ from, kind }) => from === path && kind === 'value').map(({ to }) => to);

it('no other modules load each other', () => {
  const rooms = ['contract', 'generator', 'runtime'];
  const inside = modules.filter((path) => rooms.some((room) => isWithin(path, room)));
  const edges = new Map(inside.map((path) => [path, loads(path)]));
  const known = circles.map(([, ...group]) => group);
  expect(findCycles(edges).toSorted()).toEqual(known.toSorted());
});

it('a circle is found however it is entered', () => {
  const edges = new Map([
    ['entry', ['c', 'd']],
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a', 'e']],
    ['d', []],
    ['e', ['f', 'g']],
    ['f', ['e']],
    ['g', ['g']],
  ]);
  expect(findCycles(edges)).toEqual([
    ['e', 'f'],
    ['a', 'b', 'c'],
  ]);
});

it.each([
  ["import { a } from './b.js';", 'runtime/b', 'value'],
  ["import {\n  a,\n  type B,\n} from '../generator/b.js';", 'generator/b', 'value'],
  ["import type { A } from './b.js';", 'runtime/b', 'type'],
  ["export * from './b.js';", 'runtime/b', 'value'],
  ["export type { A } from './b.js';", 'runtime/b', 'type'],
  ["import a, { b as c } from 'knex/lib/x';", 'knex', 'value'],
  ["import './b.js';", 'runtime/b', 'value'],
  ["const { a } = await import('@scope/lib/part');", '@scope/lib', 'lazy'],
])('the scan sees %j', (text, to, kind) => {
  expect(findImports(text, 'runtime/a')).toEqual([{ from: 'runtime/a', to, kind }]);
});
