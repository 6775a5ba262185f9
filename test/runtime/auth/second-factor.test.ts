/** Policies that ask for one-time passwords: until these are on, nothing is permitted but to turn them on. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../graphql/library.js';
import { stopClock } from '../harness/clock.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings, type Answer } from '../server-harness.js';
import { codeOf, login, logIn, password, peopleAccess, peopleServer, readBooks, refresh } from './people.js';

const refused = ({ status, codes, text }: Answer) => [status, codes, text.includes('one-time passwords')];

const settings = sampleSettings(import.meta.url);

describe.each(settings)('a required second factor on $dialect through $listener', (setting) => {
  stopClock();
  const { users = {}, policies = {}, ...access } = peopleAccess;
  const server = useServer({
    ...peopleServer(setting),
    ...setting,
    access: {
      ...access,
      policies: { ...policies, Strict: [{ collection: 'svc_users', action: 'read', fields: ['*'] }] },
      users: {
        ...users,
        ann: { ...users.ann, policies: ['Strict'] },
        foreign: { ...users.foreign, policies: ['Strict'] },
      },
    },
  });
  const demand = (enforced: boolean) =>
    server().request('PATCH', `/policies/${server().ids.policies.get('Strict')}`, {
      as: 'admin',
      body: { enforce_tfa: enforced },
    });
  const setAppAccess = (granted: boolean) =>
    server().request('PATCH', '/policies', {
      as: 'admin',
      body: { keys: [...server().ids.policies.values()], data: { app_access: granted } },
    });
  beforeEach(() => demand(true));

  const as = (token: string) => (method: string, path: string, body?: unknown) =>
    server().request(method, path, {
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    });

  it('blocks all requests until it is set up, for every credential', async () => {
    const { access_token: jwt } = await logIn(server(), 'ann');
    const session = await login(server(), 'ann', { mode: 'session' });
    const [cookie = ''] = session.headers.getSetCookie()[0]?.split(';') ?? [];
    const withCookie = await server().request('GET', '/items/book', { headers: { cookie } });
    const answers = [
      await as(jwt)('GET', '/items/book'),
      await as('ann-token')('GET', '/items/book'),
      withCookie,
      await as(jwt)('PATCH', '/items/book/1', { title: 'x' }),
      await as(jwt)('GET', '/users'),
      await as(jwt)('GET', '/auth/sessions'),
      await as(jwt)('PATCH', '/users/me', { first_name: 'Ann' }),
      await as(jwt)('POST', '/keys', {}),
    ];
    expect(answers.map(refused)).toEqual(answers.map(() => [403, ['FORBIDDEN'], true]));
    expect((await as(jwt)('GET', '/queue/requests/x/status')).status).toBeGreaterThanOrEqual(400);
    const graphql = await ask(server(), '{ book { id } }', { as: 'ann' });
    expect(graphql.problems).toEqual(['Cannot query field "book" on type "Query".']);
  });

  it('is required in the error only for affected users', async () => {
    const globals = async (name: string) =>
      (await server().request('GET', '/policies/me/globals', { as: name })).data;
    expect(await globals('ann')).toEqual({ app_access: false, admin_access: false, enforce_tfa: true });
    expect(await globals('ben')).toEqual({ app_access: false, admin_access: false, enforce_tfa: false });
    await setAppAccess(true);
    expect(await globals('ben')).toMatchObject({ app_access: true, admin_access: false });
    await setAppAccess(false);
    expect((await server().request('GET', '/users/me', { as: 'ann' })).data).toEqual({
      id: server().ids.users.get('ann'),
    });
    expect((await readBooks(server(), 'ben-token')).status).toBe(200);
  });

  it('leaves existing queue keys valid and prevents new ones', async () => {
    await demand(false);
    const { data } = await server().request('POST', '/keys', { as: 'ann', body: {} });
    const { key } = data as { readonly key: string };
    await demand(true);
    const path = `/queue/demo/image/requests/${crypto.randomUUID()}/status`;
    const status = async (authorization: string) =>
      (await server().request('GET', path, { headers: { authorization } })).status;
    expect(await status(`Key ${key}`)).toBe(404);
    expect(await status('Bearer ann-token')).toBe(403);
    expect((await server().request('POST', '/keys', { as: 'ann', body: {} })).codes).toEqual(['FORBIDDEN']);
  });

  it('is not required from users of an external provider', async () => {
    expect((await readBooks(server(), 'foreign-token')).status).toBe(200);
  });

  it('allows all requests while it is turned on', async () => {
    const { access_token: jwt, refresh_token: token } = await logIn(server(), 'ann');
    const renewed = (await refresh(server(), token)).data as { access_token: string };
    expect((await readBooks(server(), renewed.access_token)).codes).toEqual(['FORBIDDEN']);
    const { data } = await as(jwt)('POST', '/users/me/tfa/generate', { password });
    const { secret } = data as { secret: string };
    const enabled = await as(jwt)('POST', '/users/me/tfa/enable', { secret, otp: codeOf(secret, -1) });
    expect(enabled.status).toBe(204);
    expect((await readBooks(server(), jwt)).status).toBe(200);
    expect((await as(jwt)('POST', '/users/me/tfa/disable', { otp: codeOf(secret, 0) })).status).toBe(204);
    expect((await readBooks(server(), jwt)).codes).toEqual(['FORBIDDEN']);
    expect((await demand(false)).status).toBe(200);
    expect((await readBooks(server(), jwt)).status).toBe(200);
  });
});
