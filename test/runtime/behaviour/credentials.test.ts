/** Sessions and keys are written by svc alone: nobody takes another's account through a list of its owner. */
import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { logIn, password } from '../auth/people.js';
import { ask } from '../graphql/library.js';
import { everything } from '../harness/permissions.js';
import { useServer } from '../harness/use-server.js';
import { insertRow, type TestAccess } from '../server-harness.js';
import { hashPassword } from '../../../runtime/auth/passwords/hash.js';
import { librarySql } from './library.js';

const dialects = dialectsOf(import.meta.url);

const columns = { password: await hashPassword(password) };

const access: TestAccess = {
  policies: {
    /** Looks after users, and may do everything with what they sign in by. */
    Desk: [
      { collection: 'svc_users', action: 'read', fields: ['*'] },
      { collection: 'svc_users', action: 'update', fields: ['first_name', 'sessions', 'keys'] },
      ...['svc_sessions', 'svc_keys'].flatMap((name) => everything(name)),
    ],
    Titles: [{ collection: 'book', action: 'read', fields: ['title'] }],
  },
  users: { lifecycle: { policies: ['Desk'] }, chief: { policies: ['Titles'], columns } },
};

const tokenFor = (id: string): string => `${id}.chosen by the thief`;
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

describe.each(dialects)('sessions and keys on %s', (dialect) => {
  const server = useServer({ dialect, sql: librarySql(dialect), access });
  const idOf = (name: string): string => server().ids.users.get(name) ?? '';
  const rowsOf = (table: string) => server().database.query(`select * from ${table} order by id`);
  const state = async () => JSON.stringify([await rowsOf('svc_sessions'), await rowsOf('svc_keys')]);
  const key = randomUUID();
  const session = async (): Promise<string> => {
    const [row] = await rowsOf('svc_sessions');
    return String(row?.id);
  };

  beforeEach(async () => {
    await server().execute('delete from svc_sessions; delete from svc_keys;');
    await logIn(server(), 'chief');
    const row = { id: key, account: idOf('lifecycle'), name: 'own', hash: 'x'.repeat(64), date_created: '1' };
    await insertRow(server().database, 'svc_keys', row);
  });

  const writes: readonly [string, (id: string) => object][] = [
    [
      'a session with another token',
      (id) => ({ sessions: { update: [{ id, token: hashOf(tokenFor(id)) }] } }),
    ],
    ['a session, in a whole list', (id) => ({ sessions: [{ id, token: hashOf(tokenFor(id)) }] })],
    [
      'a session of ones own making',
      () => ({
        sessions: { create: [{ token: 'x', credential: 'x', created: '1', expires: '99999999999999' }] },
      }),
    ],
    ['the own key', () => ({ keys: { update: [{ id: key }] } })],
    ['the own key, in a whole list', () => ({ keys: [key] })],
    ['a key of ones own making', () => ({ keys: { create: [{ hash: 'x', date_created: '1' }] } })],
    ['fewer sessions', (id) => ({ sessions: { delete: [id] } })],
  ];

  it.each(writes)('%s cannot be created through a user', async (_, bodyOf) => {
    const before = await state();
    const id = await session();
    for (const as of ['lifecycle', 'admin']) {
      const { status, codes } = await server().request('PATCH', `/users/${idOf('chief')}`, {
        as,
        body: bodyOf(id),
      });
      expect({ as, status, codes }).toEqual({ as, status: 403, codes: ['FORBIDDEN'] });
    }
    expect(
      (await server().request('POST', '/auth/refresh', { body: { refresh_token: tokenFor(id) } })).codes,
    ).toEqual(['INVALID_CREDENTIALS']);
    expect(await state()).toEqual(before);
  });

  it('cannot be created with a user', async () => {
    const before = await state();
    for (const list of [{ keys: [key] }, { sessions: [await session()] }]) {
      const body = { email: 'new@example.com', ...list };
      const { status, codes } = await server().request('POST', '/users', { as: 'admin', body });
      expect({ list, status, codes }).toEqual({ list, status: 403, codes: ['FORBIDDEN'] });
    }
    expect(await state()).toEqual(before);
  });

  it('have no input in GraphQL', async () => {
    const before = await state();
    for (const data of [`sessions: [{ id: "${await session()}", token: "x" }]`, `keys: [{ id: "${key}" }]`]) {
      for (const as of ['lifecycle', 'admin']) {
        const query = `mutation { update_users_item(id: "${idOf('chief')}", data: { ${data} }) { id } }`;
        const { status, codes } = await ask(server(), query, { as, path: '/graphql/system' });
        expect({ data, as, status, codes }).toEqual({ data, as, status: 400, codes: ['GRAPHQL_VALIDATION'] });
      }
    }
    expect(await state()).toEqual(before);
  });

  it('are read by permission and ended by their users and administrators', async () => {
    const id = await session();
    const path = `/users/${idOf('chief')}?fields=sessions.id,sessions.token`;
    const { data } = await server().request('GET', path, { as: 'lifecycle' });
    expect(data).toEqual({ sessions: [{ id, token: '**********' }] });
    expect((await server().request('DELETE', `/auth/sessions/${id}`, { as: 'lifecycle' })).codes).toEqual([
      'FORBIDDEN',
    ]);
    expect((await server().request('DELETE', `/auth/sessions/${id}`, { as: 'admin' })).status).toBe(204);
    expect(await rowsOf('svc_sessions')).toEqual([]);
  });
});
