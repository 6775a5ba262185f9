/** GraphQL over HTTP, as the audit of `graphql-http` understands the specification, and what it leaves open. */
import { auditServer } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { adminToken } from '../server-harness.js';

const server = useServer({
  dialect: 'sqlite',
  sql: `create table people (id integer primary key, name text); insert into people values (1, 'Ada');`,
});

const authorization = { authorization: `Bearer ${adminToken}` };

/** Deviation for existing clients: a rejected document is 400 for every media type. */
const decided = /^SHOULD use .*\b200\b.* when accepting application\/json$/;

it('passes the audit of graphql-http', async () => {
  const results = await auditServer({
    url: `${server().url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...authorization } }),
  });
  const failed = results.filter(({ status, name }) => status !== 'ok' && !decided.test(name));
  expect(failed.map(({ id, name, status }) => `${status} ${id} ${name}`)).toEqual([]);
  expect(results.length).toBeGreaterThan(50);
});

describe('the media type', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/graphql-response+json', 'application/graphql-response+json'],
    ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
    ['application/json, application/graphql-response+json', 'application/json'],
    ['text/html', 'application/json'],
  ])('for %s is %s, for results and errors', async (accept, type) => {
    for (const query of ['{ people { id } }', '{ nobody { id } }', '']) {
      const { headers } = await server().request('POST', '/graphql', {
        as: 'admin',
        body: { query },
        headers: accept === undefined ? {} : { accept },
      });
      expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    }
  });
});

it.each(['{"n":"\\ud800"}', '{"\\udc00":1}'])(
  'GET refuses half of a surrogate pair in %s',
  async (variables) => {
    const path = `/graphql?query=${encodeURIComponent('{ __typename }')}&variables=${encodeURIComponent(variables)}`;
    const { status, codes } = await server().request('GET', path, { as: 'admin' });
    expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
  },
);

it('GET reads document and variables from the query string', async () => {
  const query = encodeURIComponent(
    'query a { people { id } } query b($n: Int) { people(limit: $n) { name } }',
  );
  const path = `/graphql?query=${query}&operationName=b&variables=${encodeURIComponent('{"n":1}')}`;
  expect((await server().request('GET', path, { as: 'admin' })).data).toEqual({ people: [{ name: 'Ada' }] });
  expect((await server().request('GET', `${path}x`, { as: 'admin' })).codes).toEqual(['INVALID_PAYLOAD']);
});

it('is logged by its path only', async () => {
  await server().request('GET', '/graphql?query={__typename}', { as: 'admin' });
  const told = server().observations.findLast(({ kind }) => kind === 'requestFinished');
  expect(told).toMatchObject({ method: 'GET', route: '/graphql', status: 200 });
});
