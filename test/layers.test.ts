/** Who may import whom. A new room, or a new library, is a line here first. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const shared = ['runtime/collection', 'runtime/errors', 'runtime/operators'];

/** The way of a request: each imports leftwards. */
const stages = ['runtime/request', 'runtime/access', 'runtime/plan', 'runtime/sql', 'runtime/execute'];
const before = (stage: string): readonly string[] => [...shared, ...stages.slice(0, stages.indexOf(stage))];

/**
 * Room → what its modules may import, beside each other; `type` in front: types only. A name stands for a module or
 * for everything below a folder; the longest that fits a module is its room. Modules of `runtime/` that fit none are
 * composition roots: they may import anything, and only other roots may import them.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'generator/introspection': [],
  'generator/print': [],
  'generator/spec': ['type generator/model/types'],
  'generator/model': [
    'type generator/introspection',
    'type generator/spec',
    'generator/spec/faults',
    'generator/spec/meta-keys',
    'type runtime/collection',
    'type runtime/queue-model',
  ],
  'generator/emitters': ['type generator/model/types', 'generator/print', 'runtime/operators'],
  'generator/client': ['generator/emitters/client', 'type generator/model/types', 'generator/print'],
  'generator/output': ['type generator/model/types'],
  'generator/stored-catalog': ['generator/introspection', 'generator/model', 'type generator/spec'],
  'generator/main': ['generator'],
  'generator/index': ['generator'],

  'generated/server': ['runtime/index'],

  models: ['type runtime/index', 'type generated/server/queue-models'],

  'runtime/index': [...shared, 'runtime/models', 'runtime/queue-model', 'type runtime/operations'],
  'runtime/models': [...shared, ...stages],
  'runtime/collection': [],
  'runtime/queue-model': [],
  'runtime/ajv': [],
  'runtime/errors': ['generated/server/errors'],
  'runtime/operators': ['type runtime/collection'],
  'runtime/observe': ['type runtime/config'],
  'runtime/background': ['type runtime/observe'],
  'runtime/once': [],
  'runtime/package': [],
  'runtime/paths': ['runtime/package'],
  'runtime/passwords': ['runtime/turns', 'runtime/package'],
  'runtime/turns': ['runtime/errors'],
  'runtime/refusal': [],
  'runtime/config': ['runtime/refusal'],

  'runtime/request': before('runtime/request'),
  'runtime/access': before('runtime/access'),
  'runtime/plan': before('runtime/plan'),
  'runtime/sql': before('runtime/sql'),
  'runtime/execute': before('runtime/execute'),
  'runtime/items': [...shared, ...stages, 'runtime/passwords'],
  'runtime/response': [...shared, ...stages],
  'runtime/handle': [...shared, ...stages, 'runtime/items', 'runtime/response'],

  'runtime/auth': [
    ...shared,
    'runtime/once',
    'runtime/passwords',
    'runtime/turns',
    'runtime/package',
    'runtime/access',
    'runtime/execute',
    'runtime/config/providers',
    'type runtime/config',
  ],
  'runtime/openapi': ['type runtime/collection', 'type runtime/access'],
  'runtime/graphql': [
    ...shared,
    'runtime/once',
    'generated/server/operations',
    'runtime/request',
    'runtime/access',
    'runtime/plan',
    'runtime/items',
    'runtime/response',
    'runtime/operations',
    'type runtime/execute',
  ],
  'runtime/operations': [
    ...shared,
    'runtime/ajv',
    'generated/server/operations',
    'runtime/openapi',
    'runtime/auth',
    'runtime/queue',
    'runtime/access',
    'runtime/request',
    'runtime/items',
    'type runtime/background',
    'type runtime/config',
    'type runtime/observe',
    'type runtime/execute',
  ],
  'runtime/queue': [
    ...shared,
    'runtime/ajv',
    'runtime/queue-model',
    'type runtime/config',
    'type runtime/request/api-request',
    'runtime/request/body',
    'runtime/access',
    'type runtime/execute',
  ],
  'runtime/queue/contract': ['type runtime/queue/outcome'],
  'runtime/queue/workflows': [
    'runtime/queue/contract',
    'runtime/queue/outcome',
    'runtime/queue/webhook/retries',
    'type runtime/queue/activities',
  ],
  'runtime/pages': ['runtime/package', 'type runtime/request'],
  'runtime/schema': [
    ...shared,
    'type generator/introspection',
    'type generator/spec',
    'runtime/observe',
    'runtime/passwords',
    'runtime/access',
    'runtime/plan',
    'runtime/execute',
  ],
};

/** Library → where it may be imported. */
const libraries: Readonly<Record<string, readonly string[]>> = {
  '@graphql-codegen/core': ['generator/client/graphql'],
  '@graphql-codegen/typescript-operations': ['generator/client/graphql'],
  '@graphql-yoga/render-graphiql': ['runtime/pages'],
  '@hey-api/openapi-ts': ['generator/client/rest'],
  '@node-rs/argon2': ['runtime/passwords'],
  '@temporalio/activity': ['runtime/queue/activities'],
  '@temporalio/client': ['runtime/queue/orchestrator', 'runtime/queue/worker'],
  '@temporalio/common': ['runtime/queue/orchestrator', 'runtime/queue/activities', 'runtime/queue/workflows'],
  '@temporalio/envconfig': ['runtime/queue/connection'],
  '@temporalio/testing': ['runtime/demo/temporal-download'],
  '@temporalio/worker': ['runtime/queue/worker', 'runtime/queue/bundle'],
  '@temporalio/workflow': ['runtime/queue/workflows'],
  '@tesseract.js-data/eng': ['models/ocr'],
  ajv: ['runtime/ajv'],
  'ajv-formats': ['runtime/ajv'],
  'code-block-writer': ['generator/print'],
  commander: ['runtime/cli', 'runtime/commands'],
  cookie: ['runtime/operations/context'],
  esbuild: ['runtime/processes/bundle'],
  express: ['runtime/express'],
  graphql: ['runtime/graphql', 'generator/client'],
  'ipaddr.js': ['runtime/queue/webhook/target'],
  'js-yaml': ['generator/spec/yaml'],
  jsonwebtoken: ['runtime/auth/tokens'],
  knex: ['runtime/models'],
  libsql: ['runtime/execute/sqlite'],
  liquidjs: ['runtime/auth/mail'],
  mysql2: ['runtime/execute/mysql'],
  pg: ['runtime/execute/postgres', 'runtime/execute/postgres-connection', 'runtime/execute/postgres-options'],
  nodemailer: ['runtime/auth/mail'],
  objection: ['runtime/models', 'generated/server'],
  'openid-client': ['runtime/auth/sign-on/provider'],
  'openapi3-ts': ['generator/emitters/openapi', 'runtime/openapi', 'runtime/operations'],
  otpauth: ['runtime/auth/one-time'],
  pino: ['runtime/observe'],
  'pino-pretty': ['runtime/observe'],
  pngjs: ['models/image'],
  'swagger-ui-dist': ['runtime/pages'],
  'tesseract.js': ['models/ocr'],
  undici: ['runtime/queue/webhook'],
  uuid: ['runtime/queue/ids'],
};

interface Import {
  /** Path without extension. */
  readonly from: string;
  /** Path without extension, or the name of a library. */
  readonly to: string;
  readonly kind: 'value' | 'type' | 'lazy';
}

/** At the start of a line, where code that emitters print never is. */
const statements = /^(?:import|export)\s+(type\s)?(?:[\w$*{},\s]+?\sfrom\s+)?'([^']+)'/gm;
const calls = /\b(?:import|require|resolve|createRequire\(import\.meta\.url\))\(\s*'([^']+)'/g;

const scan = (text: string, from: string): readonly Import[] => {
  const stated = Array.from(text.matchAll(statements), ([, type, module = '']): Import => {
    return { from, to: resolve(from, module), kind: type === undefined ? 'value' : 'type' };
  });
  const called = Array.from(text.matchAll(calls), ([, module = '']): Import => {
    return { from, to: resolve(from, module), kind: 'lazy' };
  });
  return [...stated, ...called].filter(({ to }) => !to.startsWith('node:'));
};

const resolve = (from: string, module: string): string => {
  if (module.startsWith('.')) return join(from, '..', module).replace(/\.js$/, '');
  if (module.startsWith('@svc-api/svc/')) return `${module.slice('@svc-api/svc/'.length)}/index`;
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
};

const modules = ['generator', 'generated/server', 'models', 'runtime'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path.slice(0, -'.ts'.length)))
    .sort(),
);
const imports = modules.flatMap((path) => scan(readFileSync(`${path}.ts`, 'utf8'), path));

const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
const isOwn = ({ to }: Import): boolean => /^(generator|generated|models|runtime)\//.test(to);
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

it('every room outside runtime is in the table', () => {
  expect(modules.filter((path) => !isWithin(path, 'runtime') && roomOf(path) === null)).toEqual([]);
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
  expect(scan(text, 'runtime/a')).toEqual([{ from: 'runtime/a', to, kind }]);
});
