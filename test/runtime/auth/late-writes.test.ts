/** A write that waits for a hash while its sender loses the right to do it. */
import { describe, expect, it } from 'vitest';
import { computeHashesBy } from '../../../runtime/auth/passwords/hash.js';
import { dialectsOf } from '../../databases.js';
import { cheapHash } from '../harness/passwords.js';
import { useServer } from '../harness/use-server.js';
import type { Answer, TestAccess } from '../server-harness.js';
import { login, logIn, peopleAccess, peopleServer, type Tokens } from './people.js';

const dialects = dialectsOf(import.meta.url);

const { users = {}, ...common } = peopleAccess;
const names = ['logout', 'password', 'token', 'parallel', 'own', 'gone'];

const access: TestAccess = {
  ...common,
  policies: {
    ...common.policies,
    Own: [
      { collection: 'svc_users', action: 'read', fields: ['id', 'first_name'] },
      { collection: 'svc_users', action: 'update', fields: ['first_name', 'password'] },
    ],
  },
  users: Object.fromEntries(names.map((name) => [name, { ...users.ann, policies: ['Own'] }])),
};

const otherHash = await cheapHash('another one');

/** Has the next hash of this process, which the server is in, wait until something else has been done. */
const holdNextHash = (meanwhile: () => Promise<unknown>): void => {
  const hasher = computeHashesBy({
    async compute(task) {
      computeHashesBy(hasher);
      await meanwhile();
      return hasher.compute(task);
    },
    pause: () => Promise.resolve(),
  });
};

describe.each(dialects)('a new password on %s', (dialect) => {
  const server = useServer({ ...peopleServer({ dialect }), access });
  const pathOf = (name: string): string => `/users/${server().ids.users.get(name)}`;

  /** Sends it, and does something else while it waits. */
  const write = async (
    path: string,
    authorization: string,
    meanwhile: () => Promise<unknown>,
  ): Promise<Answer> => {
    holdNextHash(meanwhile);
    return server().request('PATCH', path, { headers: { authorization }, body: { password: 'taken over' } });
  };
  const logOut = ({ refresh_token: refresh }: Tokens) =>
    server().request('POST', '/auth/logout', { body: { refresh_token: refresh } });

  it('is not set by a session that has ended', async () => {
    const tokens = await logIn(server(), 'logout');
    const { status, codes } = await write(pathOf('logout'), `Bearer ${tokens.access_token}`, () =>
      logOut(tokens),
    );
    expect([status, codes]).toEqual([401, ['INVALID_CREDENTIALS']]);
    expect((await login(server(), 'logout')).status).toBe(200);
  });

  it('is not set by a session of another password', async () => {
    const { access_token: token } = await logIn(server(), 'password');
    const { status } = await write(pathOf('password'), `Bearer ${token}`, () =>
      server().execute(
        `update svc_users set password = '${otherHash}' where email = 'password@example.com';
         update svc_access_version set version = version + 1;`,
      ),
    );
    expect(status).toBe(401);
    expect((await login(server(), 'password', { password: 'another one' })).status).toBe(200);
  });

  it('is not set by a static token that has been replaced', async () => {
    const { status } = await write(pathOf('token'), 'Bearer token-token', () =>
      server().request('PATCH', pathOf('token'), { as: 'admin', body: { token: 'quite-another-token' } }),
    );
    expect(status).toBe(401);
    expect((await login(server(), 'token')).status).toBe(200);
  });

  it('is set by an active session despite concurrent logouts of others', async () => {
    const { access_token: token } = await logIn(server(), 'parallel');
    const { status } = await write(pathOf('parallel'), `Bearer ${token}`, () =>
      server().request('POST', '/users', { as: 'admin', body: { email: `${dialect}@example.com` } }),
    );
    expect(status).toBe(200);
    expect((await login(server(), 'parallel', { password: 'taken over' })).status).toBe(200);
  });
  it('of the caller is set despite concurrent changes of rules', async () => {
    const policy = server().ids.policies.get('Own');
    const body = { policy, collection: 'book', action: 'read', fields: ['title'] };
    const { status } = await write('/users/me', 'Bearer own-token', () =>
      server().request('POST', '/permissions', { as: 'admin', body }),
    );
    expect(status).toBe(200);
    expect((await login(server(), 'own', { password: 'taken over' })).status).toBe(200);
  });

  it('of the caller is not set by a session that has ended', async () => {
    const tokens = await logIn(server(), 'gone');
    const { status, codes } = await write('/users/me', `Bearer ${tokens.access_token}`, () => logOut(tokens));
    expect([status, codes]).toEqual([401, ['INVALID_CREDENTIALS']]);
    expect((await login(server(), 'gone')).status).toBe(200);
  });
});
