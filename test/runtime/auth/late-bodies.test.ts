/** A body that comes after its sender has lost the right to send it. */
import { describe, expect, it } from 'vitest';
import { changeAccessRows } from '../../../runtime/schema/users.js';
import { sendLate } from '../harness/send-late.js';
import { useServer } from '../harness/use-server.js';
import { adminToken, type TestAccess } from '../server-harness.js';
import { login, logIn, password, peopleAccess, peopleServer } from './people.js';

const access: TestAccess = {
  ...peopleAccess,
  policies: {
    ...peopleAccess.policies,
    Own: [
      { collection: 'svc_users', action: 'read', fields: ['id', 'first_name'] },
      { collection: 'svc_users', action: 'update', fields: ['first_name', 'password'] },
    ],
  },
  users: { ...peopleAccess.users, ann: { ...peopleAccess.users?.ann, policies: ['Own'] } },
};

const input = { prompt: 'sea', width: 16, height: 16 };

describe.each(['plain', 'express'] as const)('a late body through %s', (listener) => {
  const server = useServer({ ...peopleServer({ dialect: 'sqlite' }), access, listener });
  const late = (
    [method, path, body]: readonly [string, string, unknown],
    authorization: string,
    meanwhile: () => Promise<unknown>,
  ) => sendLate(server().url + path, { method, authorization, body }, meanwhile);
  const change = (name: string, body: unknown) =>
    server().request('PATCH', `/users/${server().ids.users.get(name)}`, { as: 'admin', body });

  /** Sets the status of the administrator, who cannot be suspended through the API. */
  const setStatus = (status: string) =>
    changeAccessRows(server().database, async (statements) => {
      const text = "update svc_users set status = ? where email = 'admin@example.com'";
      await statements.write({ text, values: [status] });
    });

  it.each([
    ['POST', '/keys', { name: 'late' }],
    ['PATCH', '/users/me', { password: 'taken over' }],
    ['POST', '/queue/demo/image', input],
    ['POST', '/run/demo/image', input],
  ])('of %s %s is rejected after its session has ended', async (...call) => {
    const { access_token: token, refresh_token: refresh } = await logIn(server(), 'ann');
    const logOut = () => server().request('POST', '/auth/logout', { body: { refresh_token: refresh } });
    expect(await late(call, `Bearer ${token}`, logOut)).toBe(401);
    expect((await login(server(), 'ann', { password })).status).toBe(200);
  });

  it('is rejected after its sender has been suspended', async () => {
    const status = await late(['POST', '/keys', { name: 'late' }], 'Bearer ben-token', () =>
      change('ben', { status: 'suspended' }),
    );
    expect(status).toBe(401);
  });

  it('is rejected after its key has been revoked', async () => {
    const made = await server().request('POST', '/keys', { as: 'cleo', body: {} });
    const { id, key } = made.data as { readonly id: string; readonly key: string };
    const revoke = () => server().request('DELETE', `/keys/${id}`, { as: 'cleo' });
    expect(await late(['POST', '/queue/demo/image', input], `Key ${key}`, revoke)).toBe(401);
  });

  it('is checked by the rules at the time of its arrival', async () => {
    const status = await late(['PATCH', '/users/me', { first_name: 'Anna' }], 'Bearer ann-token', () =>
      change('ann', { role: server().ids.roles.get('Writer') }),
    );
    expect(status).toBe(200);
  });

  it('of a schema is rejected after its sender has been suspended', async () => {
    const suspend = () => setStatus('suspended');
    const status = await late(['POST', '/schema/diff', {}], `Bearer ${adminToken}`, suspend);
    await setStatus('active');
    expect(status).toBe(401);
  });
});
