/** Which route serves a method and a path, and what is answered where none does. */
import { describe, expect, it } from 'vitest';
import {
  anyModelRoutes,
  itemRoutes,
  modelRoutes,
  route,
  unknownCollectionRoutes,
  type Route,
} from '../../../contract/routes.js';
import { systemRoutes } from '../../../generated/server/system-routes.js';
import { createRouter, type RouterOptions } from '../../../runtime/http/router.js';
import { findDeclaration } from '../../../runtime/operations/declarations.js';
import type { ApiRequest } from '../../../runtime/request/api-request.js';
import { respondError } from '../../../runtime/response/respond.js';

const collection = (name: string, parts = {}): readonly Route[] =>
  itemRoutes({ name, path: `/items/${encodeURIComponent(name)}`, key: ['id'], ...parts }, name);

const names = ['a/b', '50%', 'a:b', 'what?', 'Artist', 'artist', ':id', '*', 'ä', ' ', '%2F', '__proto__'];

const operation = (id: string) => ({ operation: id, access: 'open' }) as const;

const table: readonly Route[] = [
  ...names.flatMap((name) => collection(name)),
  ...collection('log', { key: [] }),
  ...collection('settings', { singleton: true }),
  ...collection('history', { readonly: true }),
  ...itemRoutes({ name: 'svc_users', path: '/users', key: ['id'] }, 'Users'),
  route('GET /users/me', operation('readMe')),
  route('PATCH /users/me', operation('updateMe')),
  route('POST /users/:id/tfa/disable', operation('disableTfa')),
  route('GET /server/ping', operation('ping')),
  route('GET /off', operation('off')),
  route('GET /graphql', { ...operation('graphql'), handler: { kind: 'graphql', scope: 'items' } }),
  route('POST /graphql', { ...operation('graphql'), handler: { kind: 'graphql', scope: 'items' } }),
  ...modelRoutes('demo/image', { access: 'user', stem: 'DemoImage' }),
  ...anyModelRoutes,
  ...unknownCollectionRoutes,
];

const bindEach: RouterOptions['bind'] = ({ method, path }) =>
  path === '/off'
    ? null
    : async (_request, segments) => ({
        status: 200,
        headers: {},
        body: `${method} ${path} ${segments.join(' ')}`,
      });

const router = createRouter({
  routes: table,
  bind: bindEach,
  toErrorResponse: (error, near) => ({ ...respondError(error), headers: { near: near?.path ?? '' } }),
});

const find = (line: string) => {
  const [method = '', path = ''] = line.split(' ');
  const { endpoint, segments } = router(method, path);
  const request = { method, path } as ApiRequest;
  return { template: endpoint.template, segments, response: endpoint.handle(request, segments) };
};

const nearOf = async (line: string) => (await find(line).response).headers.near;

const statusOf = async (line: string): Promise<number> => (await find(line).response).status;

describe('a path', () => {
  it.each(names)('leads to the collection "%s" and to its items', async (name) => {
    const path = `/items/${encodeURIComponent(name)}`;
    expect((await find(`GET ${path}`).response).body).toBe(`GET ${path} `);
    expect((await find(`GET ${path}/1%2F2`).response).body).toBe(`GET ${path}/:id 1%2F2`);
  });

  it('is decoded segment by segment, once', () => {
    expect(find('GET /items/%41rtist').template).toBe('/items/Artist');
    expect(find('GET /items/a%2fb').template).toBe('/items/a%2Fb');
    expect(find('GET /items/a%252Fb').template).toBe('/items/:collection');
    expect(find('GET /items/a/b').template).toBe('/items/:collection/:id');
    expect(find('GET /%69tems/Artist').template).toBe('/items/Artist');
  });

  it.each(['%', '%ff', '%E0%A4%A', 'Artist%', '50%'])('keeps "%s", which cannot be decoded', (name) => {
    expect(find(`GET /items/${name}`)).toMatchObject({ template: '/items/:collection', segments: [name] });
    expect(find(`GET /items/Artist/${name}`)).toMatchObject({
      template: '/items/Artist/:id',
      segments: [name],
    });
    expect(find(`GET /server/${name}`).template).toBe('*');
  });

  it('can end with one slash', () => {
    expect(find('GET /items/Artist/').template).toBe('/items/Artist');
    expect(find('GET /items/Artist/1/')).toMatchObject({ template: '/items/Artist/:id', segments: ['1'] });
    expect(find('GET /server/ping/').template).toBe('/server/ping');
  });

  it.each([
    '/',
    '//',
    '',
    '*',
    'x/items/Artist',
    '/items',
    '/items/',
    '/items//',
    '/items/Artist//',
    '/items//1',
    '/items/Artist/1/2',
    '/ITEMS/Artist',
    '/server',
    '/off',
  ])('%j is not found', async (path) => {
    expect(find(`GET ${path}`).template).toBe('*');
    expect(await statusOf(`GET ${path}`)).toBe(404);
    expect(await statusOf(`OPTIONS ${path}`)).toBe(404);
  });

  it('that is static takes precedence over an item of that key', async () => {
    expect(find('GET /users/me').template).toBe('/users/me');
    expect(find('GET /users/you').template).toBe('/users/:id');
    expect(find('POST /users/you/tfa/disable')).toMatchObject({ segments: ['you'] });
    expect(find('POST /users/me/tfa/disable').template).toBe('*');
    expect(await statusOf('DELETE /users/me')).toBe(404);
    expect(await statusOf('DELETE /users/you')).toBe(200);
  });

  it('contains a model id of any number of segments', () => {
    const templates = [
      ['POST /queue/demo/image', '/queue/demo/image', ''],
      ['POST /queue/demo/other', '/queue/:model+', 'demo/other'],
      ['POST /queue/demo', '/queue/:model+', 'demo'],
      ['POST /queue/demo/image/large', '/queue/:model+', 'demo/image/large'],
      ['GET /queue/demo/image/requests/1', '/queue/demo/image/requests/:request_id', '1'],
      [
        'GET /queue/demo/image/requests/1/response',
        '/queue/:model+/requests/:request_id/response',
        'demo/image 1',
      ],
      ['GET /queue/a/b/c/requests/1/status', '/queue/:model+/requests/:request_id/status', 'a/b/c 1'],
      ['GET /queue/a/requests/requests', '/queue/:model+/requests/:request_id', 'a requests'],
      ['GET /queue/a/b/requests/1/nothing', '*', ''],
      ['GET /queue/requests/1', '/queue/:model+', 'requests/1'],
      ['POST /run/a%2Fb', '/run/:model+', 'a%2Fb'],
      ['GET /queue', '*', ''],
    ] as const;
    for (const [line, template, segments] of templates) {
      const found = find(line);
      expect([line, found.template, found.segments.join(' ')]).toEqual([line, template, segments]);
    }
  });
});

describe('a method', () => {
  it('HEAD is served as GET', async () => {
    expect((await find('HEAD /items/Artist/1').response).body).toBe('GET /items/Artist/:id 1');
  });

  it.each([
    ['/items/Artist', 'GET, SEARCH, POST, PATCH, DELETE', 404],
    ['/items/nothing', 'GET, SEARCH, POST, PATCH, DELETE', 404],
    ['/items/Artist/1', 'GET, PATCH, DELETE', 404],
    ['/items/nothing/1', 'GET, PATCH, DELETE', 404],
    ['/items/log', 'GET, SEARCH', 404],
    ['/items/history', 'GET, SEARCH', 404],
    ['/items/settings', 'GET, SEARCH, PATCH', 404],
    ['/users/me', 'GET, PATCH', 404],
    ['/graphql', 'GET, POST', 405],
    ['/queue/demo/image', 'POST', 405],
    ['/queue/no/model', 'POST', 405],
  ])('that %s does not support gets the supported ones: %s', async (path, allow, status) => {
    const implied = allow.startsWith('GET') ? ', HEAD, OPTIONS' : ', OPTIONS';
    const options = await find(`OPTIONS ${path}`).response;
    expect(options).toEqual({ status: 204, headers: { allow: allow + implied }, body: null });
    for (const method of ['PUT', 'PROPFIND', 'get']) {
      const refused = await find(`${method} ${path}`).response;
      expect([method, refused.status, refused.headers.allow]).toEqual([method, status, allow]);
      expect(String(refused.body)).toContain(allow);
    }
    const traced = await find(`TRACE ${path}`).response;
    expect([traced.status, traced.headers.allow]).toEqual([405, allow]);
    expect(JSON.parse(String(traced.body))).toMatchObject({
      errors: [{ extensions: { allowed: allow.split(', '), current: 'TRACE' } }],
    });
  });
});

describe('an error', () => {
  it('has the format of neighbouring routes', async () => {
    expect(await nearOf('GET /queue')).toBe('/queue/demo/image');
    expect(await nearOf('GET /queue/a/requests/1/nothing')).toBe('/queue/demo/image');
    expect(await nearOf('PUT /items/Artist')).toBe('/items/Artist');
    expect(await nearOf('GET /nowhere')).toBe('');
  });
});

it('rejects two routes of one method and shape', () => {
  const twice = [...table, route('GET /users/:key', operation('readUser'))];
  expect(() => createRouter({ routes: twice, bind: bindEach, toErrorResponse: respondError })).toThrow(
    'two routes GET /users/:key',
  );
});

it('serves the first of two routes of an operation', async () => {
  const routes = [route('GET /mine', operation('ping')), ...table];
  const replaced = createRouter({ routes, bind: bindEach, toErrorResponse: respondError });
  expect(replaced('GET', '/mine').endpoint.template).toBe('/mine');
  expect(replaced('GET', '/server/ping').endpoint.template).toBe('*');
});

it('each operation among the routes of every project has a declaration, without which it is not served', () => {
  const ids = systemRoutes
    .filter(({ handler }) => handler.kind === 'operation')
    .map((each) => each.operation);
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.filter((id) => findDeclaration(id) === undefined)).toEqual([]);
});
