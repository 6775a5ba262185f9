/** Paths and methods of both listeners, for collections with any name. */
import { request as send } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Route } from '../../../contract/routes.js';
import type { TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

/** SQLite takes `Artist` and `artist` for one table. */
const isFolded = (dialect: TestDialect): boolean => dialect === 'sqlite';

const namesOn = (dialect: TestDialect): readonly string[] => [
  'a/b',
  '50%',
  'a:b',
  'what?',
  'Artist',
  ...(isFolded(dialect) ? [] : ['artist']),
];

/** Tells tables apart in TypeScript whose names differ in a sign or in case alone. */
const specFor = (dialect: TestDialect): string =>
  fileURLToPath(new URL(`routes-spec/${isFolded(dialect) ? 'folded' : 'exact'}`, import.meta.url));

/** Items with keys that are also the ends of paths. */
const words = `create table word (id varchar(20) not null primary key, title varchar(20));
insert into word values ('export', 'out'), ('import', 'in')`;

const create = (name: string) =>
  `create table "${name}" (id integer not null primary key, title varchar(20)); insert into "${name}" values (1, '${name}');`;

describe.each(settings)('routes on $dialect through $listener', (setting) => {
  const collections = namesOn(setting.dialect);
  const sql = sqlFor(setting.dialect, [...collections.map(create), words].join('\n'));
  const server = useServer({
    ...setting,
    sql,
    spec: specFor(setting.dialect),
    environment: { EXPLORER: 'true' },
  });
  const ask = (method: string, path: string, as: string | undefined = 'admin') =>
    server().request(method, path, as === undefined ? {} : { as });

  it.each(collections)('the collection "%s" has a list and items of its own', async (name) => {
    const path = `/items/${encodeURIComponent(name)}`;
    expect((await ask('GET', path)).data).toEqual([{ id: 1, title: name }]);
    expect((await ask('GET', `${path}/1?fields=title`)).data).toEqual({ title: name });
    expect((await ask('SEARCH', path)).data).toEqual([{ id: 1, title: name }]);
    expect((await ask('GET', `${path}/`)).data).toEqual([{ id: 1, title: name }]);
    expect((await ask('OPTIONS', path)).status).toBe(204);
  });

  it('items with the keys "export" and "import" are read, changed and deleted by path', async () => {
    for (const key of ['export', 'import']) {
      const path = `/items/word/${key}`;
      expect((await ask('GET', `${path}?fields=id`)).data).toEqual({ id: key });
      const change = { as: 'admin', body: { title: 'changed' } };
      expect((await server().request('PATCH', path, change)).data).toEqual({ id: key, title: 'changed' });
      expect((await ask('OPTIONS', path)).headers.get('allow')).toBe(
        'POST, GET, PATCH, DELETE, HEAD, OPTIONS',
      );
      expect((await ask('DELETE', path)).status).toBe(204);
      expect((await ask('GET', path)).codes).toEqual(['FORBIDDEN']);
    }
  });

  it('an export is begun by POST', async () => {
    const answer = await server().request('POST', '/items/word/export', {
      as: 'admin',
      body: { nothing: 1 },
    });
    expect(answer.codes).toEqual(['INVALID_QUERY']);
  });

  it('a name that differs from a served one is forbidden', async () => {
    for (const path of [
      '/items/a',
      '/items/50%25%25',
      '/items/ARTIST',
      '/items/what',
      '/items/%ff',
      '/items/50%',
    ]) {
      expect([path, (await ask('GET', path)).codes]).toEqual([path, ['FORBIDDEN']]);
    }
    expect((await ask('GET', '/items/a/b')).codes).toEqual(['FORBIDDEN']);
  });

  const kinds = [
    ['a list', '/items/Artist', 'GET, SEARCH, POST, PATCH, DELETE', 404],
    ['a list of nothing', '/items/nothing', 'GET, SEARCH, POST, PATCH, DELETE', 404],
    ['an item', '/items/Artist/1', 'GET, PATCH, DELETE', 404],
    ['a system collection', '/users', 'GET, SEARCH, POST, PATCH, DELETE', 404],
    ['a system collection that is only read', '/activity', 'GET, SEARCH', 404],
    ['an operation', '/server/ping', 'GET', 404],
    ['an operation beside items', '/users/me', 'GET, PATCH', 404],
    ['an operation with a parameter', '/auth/login/default', 'GET, POST', 404],
    ['a schema of GraphQL', '/graphql', 'GET, POST', 405],
    ['a model', '/queue/demo/image', 'POST', 405],
    ['a model that is run at once', '/run/demo/image', 'POST', 405],
    ['a request', '/queue/demo/image/requests/1/cancel', 'PUT', 405],
    ['a file', '/files/1/a.png', 'GET', 405],
    ['a well-known document', '/.well-known/jwks.json', 'GET', 405],
    ['a page', '/docs', 'GET', 405],
    ['a page in two segments', '/graphiql/system', 'GET', 405],
  ] as const;

  it.each(kinds)(
    '%s lists its methods for OPTIONS, and with the error for others',
    async (_, path, allow, status) => {
      const implied = allow.startsWith('GET') ? ', HEAD, OPTIONS' : ', OPTIONS';
      for (const at of [path, `${path}/`]) {
        const options = await ask('OPTIONS', at, undefined);
        expect([options.status, options.headers.get('allow'), options.text]).toEqual([
          204,
          allow + implied,
          '',
        ]);
        const refused = await ask(allow === 'PUT' ? 'PATCH' : 'PUT', at, undefined);
        expect([refused.status, refused.headers.get('allow')]).toEqual([status, allow]);
        expect(refused.text).toContain(allow);
      }
    },
  );

  it.each(['/items/Artist', '/users/me', '/server/ping', '/docs', '/queue/demo/image'])(
    'TRACE %s is never served',
    async (path) => {
      // fetch does not send it
      const status = await new Promise((resolve, reject) => {
        const sending = send(`${server().url}${path}`, { method: 'TRACE' }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode));
        });
        sending.once('error', reject).end();
      });
      expect(status).toBe(405);
    },
  );

  it.each([
    '/server/ping',
    '/.well-known/jwks.json',
    '/docs',
    '/graphql?query={__typename}',
    '/items/Artist/1',
  ])('HEAD %s returns GET without the body, also with a trailing slash', async (path) => {
    const [place = '', query] = path.split('?');
    for (const at of [place, `${place}/`]) {
      const url = query === undefined ? at : `${at}?${query}`;
      const [head, get] = [await ask('HEAD', url), await ask('GET', url)];
      expect([url, head.status, head.text]).toEqual([url, 200, '']);
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    }
  });

  it('unknown paths return errors in the format of their family', async () => {
    for (const path of ['/server/%ff', '/SERVER/ping', '/docs/assets/nothing.js', '/items//artist']) {
      expect([path, (await ask('GET', path)).codes]).toEqual([path, ['ROUTE_NOT_FOUND']]);
    }
    const inQueue = await ask('GET', '/queue/demo/image/requests/1/nothing');
    expect([inQueue.status, inQueue.body]).toEqual([
      404,
      { detail: expect.any(String), error_type: 'not_found' },
    ]);
  });

  it('are logged by the template of the path', async () => {
    const headers = { 'x-request-id': 'routed' };
    for (const path of [
      '/items/a%2Fb/secret',
      '/items/secret',
      '/users/secret',
      '/queue/secret',
      '/secret',
    ]) {
      await server().request('GET', path, { headers });
    }
    const told = server().observations.flatMap((each) =>
      each.kind === 'requestFinished' && each.id === 'routed' ? [each.route] : [],
    );
    expect(told).toEqual(['/items/a%2Fb/:id', '/items/:collection', '/users/:id', '/queue/:model+', '*']);
  });

  it('equal those of the OpenAPI document, except for routes that it cannot describe', () => {
    const { paths } = server().openapi as { paths: Record<string, Record<string, { operationId?: string }>> };
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([key, { operationId }]) =>
        operationId === undefined ? [] : [`${methodOf(key)} ${shapeOf(path)} ${operationId}`],
      ),
    );
    const served = server().routes.filter((route) => !isUndescribed(route));
    expect(
      served.map(({ method, path, operation }) => `${method} ${shapeOf(path)} ${operation}`).sort(),
    ).toEqual(described.sort());
  });

  it.runIf(setting.listener === 'express')('are visible to an embedding application', () => {
    const { app } = server();
    const seen = (app?.router.stack ?? []).flatMap(({ route }) => (route === undefined ? [] : [route.path]));
    expect(seen.filter((path) => path.startsWith('/items'))).toEqual([
      '/items/:collection',
      '/items/:collection/:id',
      '/items/:collection/import',
      '/items/:collection/export',
    ]);
    expect(seen.filter((path) => /^\/(queue|run)/.test(path))).toEqual([
      '/queue/limits',
      '/queue/*model',
      '/run/*model',
    ]);
    expect(seen).toEqual(
      expect.arrayContaining([
        '/users/:id',
        '/users/me',
        '/server/ping',
        '/graphql',
        '/docs',
        '/.well-known/jwks.json',
      ]),
    );
  });
});

const methodOf = (key: string): string => (key === 'x-svc-search' ? 'SEARCH' : key.toUpperCase());

/** Parameters by any name. */
const shapeOf = (path: string): string => path.replaceAll(/:\w+|\{\w+\}/g, '{}');

/** Documents and pages, GraphQL, what stands for any collection or model, and the rarer ways to a singleton. */
const isUndescribed = ({ handler, operation }: Route): boolean => {
  if (handler.kind === 'items')
    return handler.collection === null || /^(search|readByKey|delete)SvcSettings$/.test(operation);
  if (handler.kind === 'transfer') return handler.collection === null;
  if (handler.kind === 'model') return handler.model === null;
  return handler.kind !== 'operation';
};
