/** Invitations by mail, sent by a real server. */
import { afterAll, describe, expect, it } from 'vitest';
import { openPage } from '../../chromium.js';
import { startSmtp } from '../../services/smtp.js';
import { ask } from '../graphql/library.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings, type TestAccess, type TestServer } from '../server-harness.js';
import { activityOf, login, peopleAccess, peopleServer } from './people.js';

const smtp = await startSmtp();
afterAll(() => smtp.close());

const ownPage = 'https://shop.example/welcome';
const system = { as: 'admin', path: '/graphql/system' };
/** May create users of any status, and knows the roles. */
const inviting: TestAccess['policies'] = {
  Inviter: [
    { collection: 'svc_users', action: 'create', fields: ['email', 'role', 'status'] },
    { collection: 'svc_roles', action: 'read', fields: ['*'] },
  ],
  Narrow: [
    {
      collection: 'svc_users',
      action: 'create',
      fields: ['email', 'role', 'status'],
      validation: { email: { _ends_with: '@shop.example' } },
    },
  ],
};
const access: TestAccess = {
  policies: { ...peopleAccess.policies, ...inviting },
  roles: {
    ...peopleAccess.roles,
    Inviter: { policies: ['Inviter'] },
    Narrow: { policies: ['Narrow'] },
    Chief: { policies: ['Chief'] },
  },
  users: { ...peopleAccess.users, ivy: { role: 'Inviter' }, nat: { role: 'Narrow' } },
};
const chief = { Chief: [{ collection: 'book', action: 'delete', fields: ['*'] }] } as const;

describe.each(sampleSettings(import.meta.url))('invitations on $dialect through $listener', (setting) => {
  const server = useServer({
    ...peopleServer(setting),
    ...setting,
    access: { ...access, policies: { ...access.policies, ...chief } },
    environment: { ...smtp.environment, USER_INVITE_URL_ALLOW_LIST: ownPage },
  });

  const roleOf = (name: string): string => server().ids.roles.get(name) ?? '';
  const invite = (
    email: unknown,
    more: Readonly<Record<string, unknown>> = {},
    as: string | null = 'admin',
  ) => server().request('POST', '/users/invite', { ...(as !== null && { as }), body: { email, ...more } });
  const accept = (token: string, password = 'a first password', to: TestServer = server()) =>
    to.request('POST', '/users/invite/accept', { body: { token, password } });
  const linkTo = async (email: string): Promise<URL> => {
    const { text = '' } = await smtp.receive(email);
    return new URL(/^http\S+$/m.exec(text)?.[0] ?? '');
  };
  const tokenTo = async (email: string): Promise<string> =>
    (await linkTo(email)).searchParams.get('token') ?? '';
  const findUser = async (email: string) => {
    const query = new URLSearchParams({ filter: JSON.stringify({ email: { _eq: email } }) });
    const { data } = await server().request('GET', `/users?fields=id,status,role&${query}`, { as: 'admin' });
    return (data as { id: string; status: string; role: string | null }[])[0];
  };

  it('create a user whom the link lets in', async () => {
    const role = roleOf('Reader');
    const answer = await invite('ada@example.com', { role });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await findUser('ada@example.com')).toMatchObject({ status: 'invited', role });
    const link = await linkTo('ada@example.com');
    expect(`${link.origin}${link.pathname}`).toBe(`${server().url}/reset-password`);
    const token = link.searchParams.get('token') ?? '';
    expect((await login(server(), 'ada', { password: 'a first password' })).status).toBe(401);
    expect((await accept(token, 'short')).codes).toEqual(['INVALID_PAYLOAD']);
    expect((await accept(token)).status).toBe(204);
    expect(await findUser('ada@example.com')).toMatchObject({ status: 'active', role });
    expect((await login(server(), 'ada', { password: 'a first password' })).status).toBe(200);
    expect((await accept(token, 'another password')).codes).toEqual(['FORBIDDEN']);
  });

  it('go to several addresses, to invited users again, and to no other user', async () => {
    expect((await invite(['bea@example.com', 'bob@example.com', 'ann@example.com'])).status).toBe(204);
    await linkTo('bea@example.com');
    const first = await tokenTo('bob@example.com');
    expect((await invite(['bob@example.com', 'bob@example.com'])).status).toBe(204);
    const second = await tokenTo('bob@example.com');
    expect((await accept(first)).status).toBe(204);
    expect((await accept(second)).codes).toEqual(['FORBIDDEN']);
    expect(smtp.waiting()).toEqual([]);
    expect((await login(server(), 'ann')).status).toBe(200);
  });

  it('go once to an address that is listed in two cases', async () => {
    expect((await invite(['Lou@Example.com', 'lou@example.com', 'LOU@example.com'])).status).toBe(204);
    await linkTo('lou@example.com');
    expect(smtp.waiting()).toEqual([]);
  });

  it('lead to a page of the list, and to no other', async () => {
    expect((await invite('cid@example.com', { invite_url: `${ownPage}?step=1` })).status).toBe(204);
    expect((await linkTo('cid@example.com')).href).toMatch(
      /^https:\/\/shop\.example\/welcome\?step=1&token=/,
    );
    for (const url of ['https://evil.example/welcome', 'https://shop.example/other', ''])
      expect((await invite('eli@example.com', { invite_url: url })).codes).toEqual(['INVALID_PAYLOAD']);
    expect(await findUser('eli@example.com')).toBeUndefined();
  });

  it('need the right to create such a user', async () => {
    for (const as of [null, 'ann'])
      for (const email of ['fin@example.com', 'cid@example.com'])
        expect((await invite(email, {}, as)).codes).toEqual(['FORBIDDEN']);
    expect((await invite('fin@example.com', { role: roleOf('Inviter') }, 'ivy')).status).toBe(204);
    await linkTo('fin@example.com');
    // a role with rights that the inviting user lacks
    expect((await invite('gil@example.com', { role: roleOf('Chief') }, 'ivy')).codes).toEqual(['FORBIDDEN']);
    expect((await invite('gil@example.com', { role: roleOf('Narrow') }, 'nat')).status).toBe(400);
    expect(await findUser('gil@example.com')).toBeUndefined();
    expect(smtp.waiting()).toEqual([]);
  });

  it('are refused with every problem, and create nobody', async () => {
    expect((await invite(['hue@example.com', 'no address'])).codes).toEqual(['INVALID_PAYLOAD']);
    const problemOf = async (email: unknown) => (await invite(email as string)).errors;
    expect(await problemOf([])).toMatchObject([{ reason: '"email" must NOT have fewer than 1 items' }]);
    expect(await problemOf(5)).toMatchObject([{ reason: '"email" must be string or array' }]);
    expect(await problemOf(['hue@example.com', 5])).toMatchObject([{ reason: '"email.1" must be string' }]);
    const unknown = '7d4b1f30-0000-4000-8000-000000000000';
    expect((await invite('hue@example.com', { role: unknown })).status).toBe(400);
    expect(await findUser('hue@example.com')).toBeUndefined();
    expect(smtp.waiting()).toEqual([]);
  });

  it('work no more once the user was suspended, or for a token with another purpose', async () => {
    expect((await invite('ian@example.com')).status).toBe(204);
    const token = await tokenTo('ian@example.com');
    const reset = await server().request('POST', '/auth/password/reset', {
      body: { token, password: 'a first password' },
    });
    expect(reset.codes).toEqual(['FORBIDDEN']);
    const { id = '' } = (await findUser('ian@example.com')) ?? {};
    await server().request('PATCH', `/users/${id}`, { as: 'admin', body: { status: 'suspended' } });
    expect((await accept(token)).codes).toEqual(['FORBIDDEN']);
    expect((await accept('garbage')).codes).toEqual(['INVALID_TOKEN']);
  });

  it('leave activity of who invited, and of who accepted', async () => {
    expect((await invite('jil@example.com')).status).toBe(204);
    await accept(await tokenTo('jil@example.com'));
    const { id = '' } = (await findUser('jil@example.com')) ?? {};
    expect(await activityOf(server(), id)).toMatchObject([
      { action: 'create', fields: expect.arrayContaining(['email', 'role', 'status']) },
      { action: 'update', user: id, fields: ['password', 'status'] },
    ]);
  });

  it('are sent and accepted over GraphQL', async () => {
    const sent = await ask(server(), 'mutation { users_invite(email: "kay@example.com") }', system);
    expect(sent.body).toEqual({ data: { users_invite: true } });
    const token = await tokenTo('kay@example.com');
    const accepted = await ask(
      server(),
      `mutation { users_invite_accept(token: "${token}", password: "by GraphQL") }`,
      { ...system, as: 'public' },
    );
    expect(accepted.body).toEqual({ data: { users_invite_accept: true } });
    expect((await login(server(), 'kay', { password: 'by GraphQL' })).status).toBe(200);
  });

  it('are refused without a mail server, and without logins by password', async () => {
    const silent = await server().startAnother({ EMAIL_SMTP_HOST: '' });
    const body = { email: 'lee@example.com' };
    const unsent = await silent.request('POST', '/users/invite', { as: 'admin', body });
    expect(unsent.errors).toMatchObject([{ code: 'SERVICE_UNAVAILABLE', service: 'mail' }]);
    // others learn nothing of the settings
    expect((await silent.request('POST', '/users/invite', { body })).codes).toEqual(['FORBIDDEN']);
    await silent.close();
    const other = await server().startAnother({ ...smtp.environment, AUTH_DISABLE_DEFAULT: 'true' });
    expect((await other.request('POST', '/users/invite', { as: 'admin', body })).codes).toEqual([
      'ROUTE_NOT_FOUND',
    ]);
    expect((await accept('any', 'a first password', other)).codes).toEqual(['ROUTE_NOT_FOUND']);
    await other.close();
    expect(await findUser('lee@example.com')).toBeUndefined();
  });

  it('are accepted in a browser', async () => {
    await invite('mia@example.com');
    const page = await openPage();
    try {
      await page.goto((await linkTo('mia@example.com')).href);
      expect(page.url()).toBe(`${server().url}/reset-password`);
      await page.getByLabel('New password').fill('from a browser');
      await page.getByLabel('Once more').fill('from a browser');
      await page.getByRole('button').click();
      await page.getByText('Your new password is set.').waitFor();
    } finally {
      await page.close();
    }
    expect((await login(server(), 'mia', { password: 'from a browser' })).status).toBe(200);
  });
});
