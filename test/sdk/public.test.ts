/** The SDK of the public system, unchanged: `fetch` renames the brand, as somebody who moves a program over would. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../databases.js';
import { startMuseum } from '../runtime/recorded/museum.js';
import { adminToken, type TestServer } from '../runtime/server-harness.js';
import { hashPassword } from '../../runtime/auth/passwords/hash.js';
import { contentSteps } from './public/content.js';
import { systemSteps } from './public/system.js';

/** In order: later steps use what earlier ones made. */
const steps = { ...contentSteps, ...systemSteps };

/** Steps that fail, and what they wait for. One that passes has to leave this list. */
const open: Readonly<Record<string, string>> = {
  'items: aggregate': 'aggregates',
  'policies: create with the roles that have it': 'the list of roles of a policy has another name here',
  'schema: apply': 'the schema endpoints',
};

const brand = (text: string, from: string, to: string): string => text.replaceAll(`${from}_`, `${to}_`);

const renaming: typeof fetch = async (input, init = {}) => {
  const url = brand(String(input), 'directus', 'svc');
  const body = typeof init.body === 'string' ? brand(init.body, 'directus', 'svc') : init.body;
  const answer = await fetch(url, { ...init, ...(body !== undefined && { body }) });
  if (answer.status === 204) return answer;
  const { status, headers } = answer;
  return new Response(brand(await answer.text(), 'svc', 'directus'), { status, headers });
};

/** Steps are many requests, and each request is tested on every database elsewhere. */
const chosen = process.env.LONG === undefined ? (['mysql', 'postgres'] as const) : dialects;

describe.each(chosen)('the public SDK on %s', (dialect) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startMuseum(dialect);
    const password = await hashPassword('password');
    await server.execute(`update svc_users set password = '${password}' where email = 'admin@example.com'`);
  });
  afterAll(() => server.close());

  const notes = new Map<string, string>();

  it.each(Object.entries(steps))('%s', async (name, step) => {
    const failure: unknown = await step({ url: server.url, token: adminToken, fetch: renaming, notes }).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure !== null && open[name] === undefined) throw failure;
    expect(failure === null, 'a step passes exactly when it is not in the list of open ones').toBe(
      open[name] === undefined,
    );
  });
});

it('every open step exists', () => {
  expect(Object.keys(open).filter((name) => !(name in steps))).toEqual([]);
});
