/** New passwords by mail, sent by a real server. */
import { afterAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../../runtime/auth/keys.js';
import { createTokens } from '../../../runtime/auth/tokens.js';
import { openPage } from '../../chromium.js';
import { startSmtp } from '../../services/smtp.js';
import { ask } from '../graphql/library.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings, testSecret, type TestServer } from '../server-harness.js';
import { activityOf, login, logIn, peopleServer, readBooks, readers } from './people.js';

const smtp = await startSmtp();
afterAll(() => smtp.close());

const system = { as: 'public', path: '/graphql/system' };
const ownPage = 'https://shop.example/new-password';

describe.each(sampleSettings(import.meta.url))('new passwords on $dialect through $listener', (setting) => {
  const server = useServer({
    ...peopleServer(setting, readers('emil', 'gus', 'hal', 'ida', 'jon', 'kim', 'refused')),
    ...setting,
    environment: {
      ...smtp.environment,
      PASSWORD_RESET_URL_ALLOW_LIST: `${ownPage}, http://localhost:3000/a`,
    },
  });

  const request = (name: string, page?: string) =>
    server().request('POST', '/auth/password/request', {
      body: { email: `${name}@example.com`, ...(page !== undefined && { reset_url: page }) },
    });
  const reset = (token: string, given = 'a new password', to: TestServer = server()) =>
    to.request('POST', '/auth/password/reset', { body: { token, password: given } });
  const codes = async (token: string) => (await reset(token)).codes;
  const linkTo = async (name: string): Promise<URL> => {
    const { text = '' } = await smtp.receive(`${name}@example.com`);
    return new URL(/^http\S+$/m.exec(text)?.[0] ?? '');
  };
  const tokenFor = async (name: string): Promise<string> => {
    expect((await request(name)).status).toBe(204);
    return (await linkTo(name)).searchParams.get('token') ?? '';
  };
  const logInWith = (name: string, given: string) => login(server(), name, { password: given });

  const accessVersion = async (): Promise<number> => {
    const [row] = await server().database.query('select version from svc_access_version');
    return Number(row?.version);
  };

  const warningsWith = async (environment: Readonly<Record<string, string>>) => {
    const another = await server().startAnother(environment);
    await another.close();
    return another.observations.flatMap((each) => (each.kind === 'warning' ? [each.message] : []));
  };

  it('cause a warning at start if pages for them are allowed without an SMTP server', async () => {
    const pages = { PASSWORD_RESET_URL_ALLOW_LIST: ownPage };
    expect(await warningsWith(pages)).toEqual([expect.stringContaining('EMAIL_SMTP_HOST')]);
    expect(await warningsWith({ ...pages, ...smtp.environment })).toEqual([]);
    expect(await warningsWith({})).toEqual([]);
  });

  it('are set once by a link and end every session', async () => {
    const { access_token: jwt, refresh_token: refresh } = await logIn(server(), 'ann');
    const token = await tokenFor('ann');
    const former = await accessVersion();
    expect((await reset(token)).status).toBe(204);
    expect(await accessVersion()).toBe(former + 1);
    expect((await readBooks(server(), jwt)).codes).toEqual(['INVALID_CREDENTIALS']);
    const renewed = await server().request('POST', '/auth/refresh', { body: { refresh_token: refresh } });
    expect(renewed.codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await login(server(), 'ann')).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await logInWith('ann', 'a new password')).status).toBe(200);
    const { database, ids } = server();
    const text = `select id from svc_sessions where ${database.sql.quote('user')} = ?`;
    expect(await database.query(text, [ids.users.get('ann') ?? ''])).toHaveLength(1);
    expect((await reset(token, 'yet another')).codes).toEqual(['FORBIDDEN']);
    expect((await logInWith('ann', 'a new password')).status).toBe(200);
  });

  it('are sent in a mail with a text and an HTML part', async () => {
    await request('ben');
    const mail = await smtp.receive('ben@example.com');
    const { host } = new URL(server().url);
    expect([mail.subject, mail.from?.address, mail.from?.name]).toEqual([
      `A new password for ${host}`,
      'library@example.com',
      'Library',
    ]);
    const [link = ''] = /^http\S+$/m.exec(mail.text ?? '') ?? [];
    expect(link).toMatch(new RegExp(`^${server().url}/reset-password\\?token=[\\w.-]+$`));
    expect(mail.html).toContain(`href="${link}"`);
    expect(mail.text).toMatch(/until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  });

  it('link to an allowed page, by origin and path', async () => {
    expect((await request('cleo', `${ownPage}?step=2&name="><script>`)).status).toBe(204);
    const { html = '' } = await smtp.receive('cleo@example.com');
    expect(html).not.toContain('<script');
    expect(html).toMatch(
      /href="https:\/\/shop\.example\/new-password\?step=2&amp;name=[^"]*&amp;token=[\w.-]+"/,
    );
    expect(smtp.waiting()).toEqual([]);
  });

  it.each([
    'https://evil.example/new-password',
    'https://shop.example/other',
    'https://shop.example/new-password/more',
    'https://shop.example@evil.example/new-password',
    'https://user@shop.example/new-password',
    'https://shop.example.evil.example/new-password',
    'http://shop.example/new-password',
    'javascript:alert(1)',
    '//shop.example/new-password',
    'new-password',
    '',
  ])('do not link to %j', async (page) => {
    for (const name of ['ann', 'ghost']) {
      expect((await request(name, page)).codes).toEqual(['INVALID_PAYLOAD']);
    }
  });

  it('get the same response for every address', async () => {
    const answers = [];
    for (const name of ['gh\0st', 'ghost', 'gone', 'foreign', 'dora', 'refused'])
      answers.push(await request(name));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [204, '']));
    await linkTo('dora');
    // what failed was told without the address
    await expect
      .poll(() => server().observations.filter(({ kind }) => kind === 'warning'))
      .toEqual([
        { kind: 'warning', message: 'password reset: the SMTP server rejected the mail (EENVELOPE 550)' },
      ]);
    expect(smtp.waiting()).toEqual([]);
  });

  it('are not set with an invalid, expired or outdated token, or one for another purpose', async () => {
    const tokens = createTokens(createKeys([testSecret]));
    const { access_token: jwt } = await logIn(server(), 'ben');
    expect(await codes('garbage')).toEqual(['INVALID_TOKEN']);
    expect(await codes(jwt)).toEqual(['FORBIDDEN']);
    expect(await codes(await tokens.sign('state', { id: server().ids.users.get('ben') }, 1_000))).toEqual([
      'FORBIDDEN',
    ]);
    expect(await codes(await tokens.sign('reset', { id: server().ids.users.get('ben') }, 1_000))).toEqual([
      'FORBIDDEN',
    ]);
    expect(await codes(await tokens.sign('reset', { id: {}, state: [] }, 1_000))).toEqual(['FORBIDDEN']);
    expect(await codes(await tokens.sign('reset', {}, -1_000))).toEqual(['TOKEN_EXPIRED']);
    expect((await login(server(), 'ben')).status).toBe(200);
  });

  it('have tokens that are not access tokens', async () => {
    expect((await readBooks(server(), await tokenFor('emil'))).codes).toEqual(['INVALID_TOKEN']);
  });

  it.each([
    ['password', { password: 'changed meanwhile' }],
    ['address', { email: 'fay2@example.com' }],
    ['status', { status: 'suspended' }],
    ['provider', { provider: 'acme' }],
  ])('are not set after the %s has changed', async (_, changes) => {
    const id = server().ids.users.get('fay');
    const patch = (body: unknown) => server().request('PATCH', `/users/${id}`, { as: 'admin', body });
    await patch({ email: 'fay@example.com', status: 'active', provider: 'default' });
    const token = await tokenFor('fay');
    expect((await patch(changes)).status).toBe(200);
    expect((await reset(token)).codes).toEqual(['FORBIDDEN']);
  });

  it('are set once by concurrent requests with one token', async () => {
    const token = await tokenFor('gus');
    const answers = await Promise.all([reset(token, 'first password'), reset(token, 'second password')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
  });

  it('record one activity of their user', async () => {
    const jon = server().ids.users.get('jon') ?? '';
    const token = await tokenFor('jon');
    await Promise.all([reset(token), reset(token)]);
    await reset(token);
    expect((await logInWith('jon', 'a new password')).status).toBe(200);
    expect(await activityOf(server(), jon)).toMatchObject([
      {
        action: 'update',
        user: jon,
        fields: ['password'],
        ip: expect.stringContaining('127.0.0.1'),
        user_agent: expect.any(String),
      },
    ]);
  });

  it('are limited to ten mails within 15 minutes', async () => {
    for (let round = 0; round < 10; round += 1) await tokenFor('hal');
    expect((await request('hal')).status).toBe(204);
    await tokenFor('ida');
    expect(smtp.waiting()).toEqual([]);
  });

  it('are requested and set over GraphQL', async () => {
    const asked = await ask(
      server(),
      `mutation { auth_password_request(email: "emil@example.com", reset_url: "${ownPage}") }`,
      system,
    );
    expect(asked.body).toMatchObject({ data: { auth_password_request: true } });
    const token = (await linkTo('emil')).searchParams.get('token');
    const set = await ask(
      server(),
      `mutation { auth_password_reset(token: "${token}", password: "by GraphQL") }`,
      system,
    );
    expect(set.body).toMatchObject({ data: { auth_password_reset: true } });
    expect((await logInWith('emil', 'by GraphQL')).status).toBe(200);
  });

  it('are neither sent nor set if password login is disabled', async () => {
    const token = await tokenFor('dora');
    const another = await server().startAnother({ ...smtp.environment, AUTH_DISABLE_DEFAULT: 'true' });
    try {
      const body = { email: 'dora@example.com' };
      const path = '/auth/password/request';
      expect((await another.request('POST', path, { body })).errors).toEqual([
        { code: 'ROUTE_NOT_FOUND', path },
      ]);
      expect((await reset(token, 'unused', another)).errors).toEqual([
        { code: 'ROUTE_NOT_FOUND', path: '/auth/password/reset' },
      ]);
      for (const mutation of [
        'auth_password_request(email: "dora@example.com")',
        `auth_password_reset(token: "${token}", password: "unused")`,
      ])
        expect((await ask(another, `mutation { ${mutation} }`, system)).codes).toEqual(['ROUTE_NOT_FOUND']);
    } finally {
      await another.close();
    }
    expect(smtp.waiting()).toEqual([]);
    expect((await login(server(), 'dora')).status).toBe(200);
  });

  it('log no token and no address', async () => {
    expect((await reset(await tokenFor('kim'))).status).toBe(204);
    expect(await codes('eyJ.no.token')).toEqual(['INVALID_TOKEN']);
    expect(JSON.stringify(server().observations)).not.toMatch(/eyJ|@example/);
  });

  it('are set in a browser', async () => {
    const page = await openPage();
    try {
      await request('cleo');
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto((await linkTo('cleo')).href);
      expect(page.url()).toBe(`${server().url}/reset-password`);
      expect(await page.locator('input:visible').count()).toBe(2);
      await page.getByLabel('New password').fill('from a browser');
      await page.getByLabel('Once more').fill('another');
      await page.getByRole('button').click();
      await page.getByText('The two passwords differ.').waitFor();
      await page.getByLabel('Once more').fill('from a browser');
      await page.getByRole('button').click();
      await page.getByText('Your new password is set.').waitFor();
      expect((await logInWith('cleo', 'from a browser')).status).toBe(200);
      expect(complaints).toEqual([]);
    } finally {
      await page.close();
    }
  });
});
