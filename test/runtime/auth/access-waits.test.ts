/** Which changes of access wait until no process relies on the former permissions, and which need not. */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { changeAccessRows, findUser, updateUser } from '../../../runtime/schema/users.js';
import { sampleDialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import type { TestServer } from '../server-harness.js';
import {
  claimsOf,
  enableCodes,
  logIn,
  password,
  peopleAccess,
  peopleServer,
  readBooks,
  readers,
  refresh,
} from './people.js';

const lease = 300;

/** A right to set one's own password, and a rule that names a column of its caller. */
const policies = {
  ...peopleAccess.policies,
  Titles: [
    ...(peopleAccess.policies?.Titles ?? []),
    {
      collection: 'svc_users',
      action: 'update',
      fields: ['password'],
      permissions: { id: { _eq: '$CURRENT_USER' } },
    } as const,
  ],
  Named: [
    {
      collection: 'book',
      action: 'delete',
      permissions: { title: { _eq: '$CURRENT_USER.last_name' } },
    } as const,
  ],
};

type Change = (server: TestServer) => Promise<unknown>;

const send =
  (method: string, path: (server: TestServer) => string, body?: object): Change =>
  async (server) => {
    const { codes, data } = await server.request(method, path(server), { as: 'admin', body });
    expect(codes).toEqual([]);
    return data;
  };

const ofUser = (name: string) => (server: TestServer) => `/users/${server.ids.users.get(name)}`;
const ofPolicy = (server: TestServer) => `/policies/${server.ids.policies.get('Titles')}`;

const waits: Readonly<Record<string, Change>> = {
  'a policy': send('PATCH', ofPolicy, { icon: 'book' }),
  'a new role': send('POST', () => '/roles', { name: 'another' }),
  'the status of a user': send('PATCH', ofUser('ida'), { status: 'suspended' }),
  'the token of a user': send('PATCH', ofUser('joe'), { token: randomUUID() }),
  'a column that a rule names': send('PATCH', ofUser('joe'), { last_name: 'Bloggs' }),
  'a permission': async (server) => {
    const policy = server.ids.policies.get('Titles');
    await send('POST', () => '/permissions', { policy, collection: 'book', action: 'delete', fields: ['*'] })(
      server,
    );
  },
  'the password of a user': send('PATCH', ofUser('joe'), { password }),
  'an own password': async (server) => {
    const { access_token: token } = await logIn(server, 'lea');
    const headers = { authorization: `Bearer ${token}` };
    expect((await server.request('PATCH', '/users/me', { headers, body: { password } })).codes).toEqual([]);
  },
  'the provider of a user': send('PATCH', ofUser('ned'), { provider: 'acme' }),
  'the addresses of a user': send('PATCH', ofUser('ned'), { ip_access: ['10.0.0.0/8'] }),
  'one-time passwords': (server) => enableCodes(server, 'max'),
  'an ended session': async (server) => {
    const { session } = await claimsOf(server, 'lea');
    await send('DELETE', () => `/auth/sessions/${session}`)(server);
  },
  'a deleted user': send('DELETE', ofUser('kim')),
  'a logout': async (server) => {
    const { refresh_token: token } = await logIn(server, 'lea');
    await server.request('POST', '/auth/logout', { body: { refresh_token: token } });
  },
  'svc users': (server) =>
    changeAccessRows(server.database, async (statements) => {
      const user = await findUser(statements, 'max@example.com');
      await updateUser(statements, user?.id ?? '', { tfa_secret: null });
    }),
};

const doesNot: Readonly<Record<string, Change>> = {
  'a login': (server) => logIn(server, 'lea'),
  'a refresh': async (server) => refresh(server, (await logIn(server, 'lea')).refresh_token),
  'a name': send('PATCH', ofUser('max'), { first_name: 'Max' }),
  'a new user': send('POST', () => '/users', { email: 'new@example.com', token: randomUUID() }),
  'an item': send('POST', () => '/items/book', { id: 900, title: 'New' }),
};

describe.each(sampleDialects(import.meta.url))('on %s', (dialect) => {
  const options = peopleServer({ dialect }, readers('ida', 'joe', 'kim', 'lea', 'max', 'ned'));
  const server = useServer({
    ...options,
    access: { ...options.access, policies },
    environment: { ACCESS_LEASE: `${lease}ms` },
  });

  const readRow = async () => {
    const [row] = await server().database.query('select version, lease from svc_access_version');
    return { version: Number(row?.version), lease: Number(row?.lease) };
  };

  /** Returns by how much a change raised the version, and the milliseconds that it took. */
  const measure = async (change: Change) => {
    const { version } = await readRow();
    const begin = performance.now();
    await change(server());
    const took = performance.now() - begin;
    return { raised: (await readRow()).version - version, took };
  };

  it.each(Object.entries(waits))('%s waits for every lease', async (_, change) => {
    const { raised, took } = await measure(change);
    expect(raised).toBe(1);
    expect(took).toBeGreaterThanOrEqual(lease * 1.1);
  });

  it.each(Object.entries(doesNot))('%s raises nothing', async (_, change) => {
    expect((await measure(change)).raised).toBe(0);
  });

  it('applies to the next request of another process, which has just read the former state', async () => {
    const another = await server().startAnother();
    try {
      const { access_token: token, refresh_token: renewal } = await logIn(server(), 'lea');
      expect((await readBooks(another, token)).status).toBe(200);
      await server().request('POST', '/auth/logout', { body: { refresh_token: renewal } });
      expect((await readBooks(another, token)).status).toBe(401);
    } finally {
      await another.close();
    }
  });

  it('counts the longest lease of any process', async () => {
    expect((await readRow()).lease).toBe(lease);
    const longer = await server().startAnother({ ACCESS_LEASE: '700ms' });
    await longer.close();
    const shorter = await server().startAnother({ ACCESS_LEASE: '100ms' });
    await shorter.close();
    expect((await readRow()).lease).toBe(700);
    const { took } = await measure(send('PATCH', ofPolicy, { icon: 'library' }));
    expect(took).toBeGreaterThanOrEqual(770);
  });

  it('reads the version beside a pool whose connections are all taken', async () => {
    const { database } = server();
    const free = new EventEmitter();
    const freed = once(free, 'free');
    const held = Array.from({ length: 10 }, () => database.transaction(() => freed));
    const [row] = await database.reserved.query('select version from svc_access_version');
    free.emit('free');
    await Promise.all(held);
    expect(Number(row?.version)).toBeGreaterThan(0);
  });
});
