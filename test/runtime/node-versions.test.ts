/** The server on each version of Node that it supports; a quick run has the current one. */
import { afterEach, expect, it } from 'vitest';
import { findNode, nodeVersions } from '../sdk/nodes.js';
import { createWorkplace, type Workplace } from './commands.js';
import { copySystemTables } from './harness/bootstrapped.js';
import { adminToken } from './harness/rows.js';

let place: Workplace | null = null;

afterEach(() => place?.remove());

it.each(nodeVersions)(
  'svc start serves reads, writes, logins and GraphQL in Node %s',
  async (version) => {
    place = createWorkplace({ node: await findNode(version) });
    await copySystemTables(place);
    const reset = await place.run(['users', 'password', 'admin@example.com', '--json']);
    const { password } = JSON.parse(reset.stdout) as { readonly password: string };
    const running = place.start(['start', '--workers', '2'], { PORT: '0' });
    const [, url = ''] = await running.until(/(http:\/\/127\.0\.0\.1:\d+)\/items/);
    const send = async (path: string, body?: unknown) => {
      const response = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      return [response.status, JSON.parse(await response.text())] as const;
    };
    expect(await send('/roles?fields=name', { name: 'Made' })).toEqual([200, { data: { name: 'Made' } }]);
    expect(await send('/roles?fields=name&filter[name]=Made')).toEqual([200, { data: [{ name: 'Made' }] }]);
    const [status, login] = await send('/auth/login', { email: 'admin@example.com', password });
    expect([status, login]).toMatchObject([200, { data: { access_token: expect.any(String) as string } }]);
    const query = '{ roles(filter: { name: { _eq: "Made" } }) { name } }';
    expect(await send('/graphql/system', { query })).toEqual([200, { data: { roles: [{ name: 'Made' }] } }]);
    expect(await running.stop('SIGTERM')).toBe(0);
  },
  120_000,
);
