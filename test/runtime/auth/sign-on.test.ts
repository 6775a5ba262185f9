/** Single sign-on through a real provider, and the ways to get in by it that must not work. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../../runtime/auth/keys.js';
import { createTokens } from '../../../runtime/auth/tokens.js';
import { startIdentityProvider } from '../../services/identity.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, testSecret } from '../server-harness.js';
import { activityOf } from './people.js';
import { codeOf, providersOf, reader, signOnServer, signOnVisits, writer } from './providers.js';
import { createVisitor, type Visitor } from './visitor.js';

const settings = settingsOf(import.meta.url);

const identity = await startIdentityProvider();
afterAll(() => identity.close());

const { issuer } = identity;

/** The cookie that a login waits in. */
const stateIn = ({ cookies }: Visitor) => [...cookies].find(([name]) => name.startsWith('svc_sign_on_'));

describe.each(settings)('single sign-on on $dialect through $listener', (setting) => {
  const server = useServer(signOnServer(setting, identity));
  const { at, addUser, begin, reachCallback, enter, userOf, warnings } = signOnVisits(server);

  beforeAll(async () => {
    const callbacks = ['acme', 'closed', 'plain', 'tokens'].map((name) => at(`/auth/login/${name}/callback`));
    identity.allow(callbacks);
    identity.people.clear();
    await addUser('closed', 'ines');
    await addUser('tokens', 'ines');
    await addUser('closed', 'susan', { status: 'suspended' });
    await addUser('closed', 'local', { ip_access: '10.0.0.0/8' });
    await addUser('CLOSED', 'petra');
  });

  const readTitle = (visitor: Visitor) => visitor.get(at('/items/book?limit=1&sort=id&fields=id'));

  it('lists providers by name', async () => {
    const { body } = await server().request('GET', '/auth');
    expect(body).toEqual({
      data: [
        { name: 'acme', driver: 'openid', icon: 'key', label: 'Acme' },
        { name: 'closed', driver: 'openid' },
        { name: 'plain', driver: 'oauth2' },
        { name: 'tokens', driver: 'openid' },
        { name: 'away', driver: 'openid' },
      ],
      disableDefault: false,
    });
  });

  it('creates a user with the role of its groups if registration is allowed', async () => {
    const claims = { email: 'Zoe@Example.com', email_verified: true, given_name: 'Zoe' };
    identity.people.set('zoe', { ...claims, groups: ['staff', 'editors'] });
    const { visitor, answer } = await enter('acme', 'zoe', '/after?x=1');
    expect([answer.status, answer.location]).toEqual([302, `${new URL(server().url).origin}/after?x=1`]);
    expect([...visitor.cookies.keys()]).toContain('svc_session_token');
    expect(stateIn(visitor)).toBeUndefined();
    expect((await readTitle(visitor)).status).toBe(200);
    const user = { email: 'zoe@example.com', provider: 'acme', first_name: 'Zoe' };
    expect(await userOf('zoe')).toEqual({ ...user, role: writer });
    identity.people.set('zoe', { ...claims, groups: [] });
    expect((await enter('acme', 'zoe')).answer.status).toBe(200);
    expect(await userOf('zoe')).toEqual({ ...user, role: reader });
    const seen = "select id from svc_users where external_identifier = 'zoe' and last_access is not null";
    expect(await server().database.query(seen)).toHaveLength(1);
  });

  it('records activity for a registration and for a role change by groups', async () => {
    const claims = { email: 'yara@example.com', email_verified: true, given_name: 'Yara' };
    for (const groups of [['editors'], ['editors'], []]) {
      identity.people.set('yara', { ...claims, groups });
      expect((await enter('acme', 'yara')).answer.status).toBe(200);
    }
    const [row] = await server().database.query(
      "select id from svc_users where external_identifier = 'yara'",
    );
    const yara = String(row?.id);
    const found = await activityOf(server(), yara);
    const from = { user: yara, ip: expect.stringContaining('127.0.0.1'), user_agent: expect.any(String) };
    expect(found).toMatchObject([
      { ...from, action: 'create', fields: expect.arrayContaining(['provider', 'email', 'role']) },
      { ...from, action: 'update', fields: ['role'] },
    ]);
    expect(JSON.stringify(found)).not.toContain('yara');
  });

  it('creates one user for two concurrent logins', async () => {
    identity.people.set('twin', { email: 'twin@example.com', email_verified: true });
    const visitors = [createVisitor(), createVisitor(), createVisitor()];
    const callbacks: string[] = [];
    for (const visitor of visitors) callbacks.push(await reachCallback(visitor, 'acme', 'twin'));
    const answers = await Promise.all(visitors.map((visitor, index) => visitor.get(callbacks[index] ?? '')));
    expect(answers.map(codeOf)).toEqual([200, 200, 200]);
    const rows = await server().database.query(
      "select id from svc_users where external_identifier = 'twin' and provider = 'acme'",
    );
    expect(rows).toHaveLength(1);
  });

  it('keeps one administrator, even if concurrent logins of the last two change their roles', async () => {
    const { database } = server();
    const setOthers = (status: string) =>
      server().execute(
        `update svc_users set status = '${status}' where email = 'admin@example.com';
         update svc_access_version set version = version + 1`,
      );
    const [admin] = await database.query("select role from svc_users where email = 'admin@example.com'");
    const names = ['first', 'second'];
    for (const name of names) {
      identity.people.set(name, { groups: ['staff'] });
      await addUser('acme', name, { role: admin?.role });
    }
    await setOthers('suspended');
    try {
      const visitors = names.map(() => createVisitor());
      const callbacks: string[] = [];
      for (const [index, visitor] of visitors.entries())
        callbacks.push(await reachCallback(visitor, 'acme', names[index] ?? ''));
      const answers = await Promise.all(
        visitors.map((visitor, index) => visitor.get(callbacks[index] ?? '')),
      );
      expect(answers.map(codeOf)).toEqual([200, 200]);
      const roles = await Promise.all(names.map(async (name) => (await userOf(name))?.role));
      expect(roles.toSorted()).toEqual([reader, admin?.role].toSorted());
    } finally {
      await setOthers('active');
    }
    const rows = await database.query(
      "select id from svc_users where external_identifier in ('first', 'second')",
    );
    const told = await Promise.all(rows.map(({ id }) => activityOf(server(), String(id))));
    expect(told.flat().map(({ fields }) => fields)).toEqual([['role']]);
  });

  it('works with OAuth 2, and returns tokens by mode', async () => {
    identity.people.set('otto', { email: 'otto@example.com', email_verified: true });
    const { answer } = await enter('plain', 'otto');
    expect(JSON.parse(answer.text)).toEqual({
      data: { access_token: expect.any(String), refresh_token: expect.any(String), expires: 900_000 },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const cookie = await enter('closed', 'ines');
    expect(JSON.parse(cookie.answer.text)).toEqual({
      data: { access_token: expect.any(String), expires: 900_000 },
    });
    expect([...cookie.visitor.cookies.keys()]).toContain('svc_refresh_token');
  });

  it('sends PKCE, state and nonce, and stores them in a cookie for the callback only', async () => {
    const answer = await begin(createVisitor(), 'acme');
    const asked = new URL(answer.location ?? '').searchParams;
    expect([answer.status, asked.get('response_type'), asked.get('code_challenge_method')]).toEqual([
      302,
      'code',
      'S256',
    ]);
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(asked.get(name)?.length).toBeGreaterThan(40);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^svc_sign_on_acme_[\w-]{8}=.*; Max-Age=3600; Path=\/.*auth\/login\/acme\/callback; HttpOnly; SameSite=Lax$/,
    );
  });

  it('keeps that cookie to TLS behind a proxy with TLS', async () => {
    const answer = await fetch(at('/auth/login/acme'), {
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' },
      redirect: 'manual',
    });
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^svc_sign_on_acme_.*; Secure\b/)]);
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/\t/evil.example',
    'https:evil.example',
    'https://shop.example/home/more',
    'https://shop.example@evil.example/home',
    'https://user@shop.example/home',
    'javascript:alert(1)',
    'data:text/html,x',
    'elsewhere',
    '',
  ])('never redirects to %j', async (redirect) => {
    const answer = await begin(createVisitor(), 'acme', redirect);
    expect([codeOf(answer), answer.location]).toEqual(['INVALID_QUERY', null]);
  });

  it('redirects to allowed pages', async () => {
    expect((await begin(createVisitor(), 'acme', 'https://shop.example/home?a=b')).status).toBe(302);
    expect((await begin(createVisitor(), 'acme', at('/docs'))).status).toBe(302);
    expect(codeOf(await begin(createVisitor(), 'tokens', '/'))).toBe('INVALID_QUERY');
  });

  it('does not redirect to a page that is too long for a cookie', async () => {
    const longest = `/${'e'.repeat(1999 - new URL(server().url).origin.length)}`;
    const answer = await begin(createVisitor(), 'acme', longest);
    expect(answer.status).toBe(302);
    expect(answer.headers.getSetCookie()[0]?.length).toBeLessThan(4096);
    expect(codeOf(await begin(createVisitor(), 'acme', `${longest}e`))).toBe('INVALID_QUERY');
    const wide = await begin(createVisitor(), 'acme', `/${'é'.repeat(400)}`);
    expect(codeOf(wide)).toBe('INVALID_QUERY');
    expect(wide.text).toContain('%C3%A9');
  });

  it('does not accept a response twice', async () => {
    const visitor = createVisitor();
    const callback = await reachCallback(visitor, 'closed', 'ines');
    const [name = '', kept = ''] = stateIn(visitor) ?? [];
    expect((await visitor.get(callback)).status).toBe(200);
    expect(codeOf(await visitor.get(callback))).toBe('INVALID_CREDENTIALS');
    visitor.cookies.set(name, kept);
    expect(codeOf(await visitor.get(callback))).toBe('INVALID_CREDENTIALS');
    expect(warnings().at(-1)).toBe('sign-on with "closed" refused: the callback was used before');
  });

  it('does not accept the response to the login of another browser', async () => {
    const [attacker, victim] = [createVisitor(), createVisitor()];
    const callback = await reachCallback(attacker, 'closed', 'ines');
    expect(codeOf(await victim.get(callback))).toBe('INVALID_CREDENTIALS');
    const own = await reachCallback(victim, 'closed', 'ines');
    expect(codeOf(await victim.get(callback))).toBe('INVALID_CREDENTIALS');
    const [name = '', state = ''] = stateIn(victim) ?? [];
    victim.cookies.set(stateIn(attacker)?.[0] ?? '', state);
    expect(codeOf(await victim.get(callback))).toBe('INVALID_CREDENTIALS');
    victim.cookies.set(name.replace('closed', 'tokens'), state);
    const crossed = own.replace('/closed/', '/tokens/');
    expect(codeOf(await victim.get(crossed))).toBe('INVALID_CREDENTIALS');
    expect((await victim.get(own)).status).toBe(200);
  });

  it('completes concurrent logins despite forged responses', async () => {
    const visitor = createVisitor();
    const first = await reachCallback(visitor, 'closed', 'ines');
    const second = await reachCallback(visitor, 'closed', 'ines');
    const state = new URL(first).searchParams.get('state') ?? '';
    for (const forged of ['', 'x', `${state}x`, state.slice(0, 8), state.slice(0, 7)]) {
      const callback = at(`/auth/login/closed/callback?error=access_denied&state=${forged}`);
      expect(codeOf(await visitor.get(callback))).toBe('INVALID_CREDENTIALS');
    }
    expect((await visitor.get(first)).status).toBe(200);
    expect((await visitor.get(second)).status).toBe(200);
    expect(stateIn(visitor)).toBeUndefined();
  });

  it('does not accept a state that has expired or was signed for another purpose', async () => {
    const tokens = createTokens(createKeys([testSecret]));
    const proof = { state: 's', verifier: 'v', nonce: 'n', provider: 'closed', redirect: null };
    for (const state of [
      await tokens.sign('state', proof, -1_000),
      await tokens.sign('reset', proof, 60_000),
      await createTokens(createKeys(['x'.repeat(32)])).sign('state', proof, 60_000),
      'garbage',
    ]) {
      const visitor = createVisitor();
      visitor.cookies.set('svc_sign_on_closed_s', state);
      expect(codeOf(await visitor.get(at('/auth/login/closed/callback?code=c&state=s')))).toBe(
        'INVALID_CREDENTIALS',
      );
    }
  });

  it('does not redirect to a page in an old state that is no longer allowed', async () => {
    const tokens = createTokens(createKeys([testSecret]));
    const proof = { state: 's', verifier: 'v', nonce: 'n', provider: 'closed' };
    const visitor = createVisitor();
    visitor.cookies.set(
      'svc_sign_on_closed_s',
      await tokens.sign('state', { ...proof, redirect: 'https://evil.example/' }, 60_000),
    );
    expect(codeOf(await visitor.get(at('/auth/login/closed/callback?code=c&state=s')))).toBe('INVALID_QUERY');
  });

  it('does not accept an ID token with another nonce', async () => {
    const visitor = createVisitor();
    const asked = new URL((await begin(visitor, 'closed')).location ?? '');
    asked.searchParams.set('nonce', 'of-another-login');
    expect(codeOf(await visitor.get(await visitor.logIn(asked.href, 'ines')))).toBe('INVALID_CREDENTIALS');
  });

  it('does not accept a code that the provider did not issue', async () => {
    const visitor = createVisitor();
    const state = new URL((await begin(visitor, 'closed')).location ?? '').searchParams.get('state');
    const callback = at(
      `/auth/login/closed/callback?code=made-up&state=${state}&iss=${encodeURIComponent(issuer)}`,
    );
    expect(codeOf(await visitor.get(callback))).toBe('INVALID_CREDENTIALS');
  });

  it('reports a rejection by the provider to the page that started the login', async () => {
    const visitor = createVisitor();
    const state = new URL((await begin(visitor, 'closed', '/after')).location ?? '').searchParams.get(
      'state',
    );
    const iss = encodeURIComponent(issuer);
    const callback = `/auth/login/closed/callback?error=access_denied&error_description=<script>&state=${state}&iss=${iss}`;
    const { status, location } = await visitor.get(at(callback));
    const page = `${new URL(server().url).origin}/after?reason=INVALID_CREDENTIALS`;
    expect([status, location]).toEqual([302, page]);
    expect(warnings().at(-1)).toMatch(/access_denied$/);
  });

  it('does not lock an account after many cancelled logins', async () => {
    for (let attempt = 0; attempt < 11; attempt += 1) {
      const visitor = createVisitor();
      const state = new URL((await begin(visitor, 'closed')).location ?? '').searchParams.get('state');
      const cancelled = `error=access_denied&state=${state}&iss=${encodeURIComponent(issuer)}`;
      const answer = await visitor.get(at(`/auth/login/closed/callback?${cancelled}`));
      expect(codeOf(answer)).toBe('INVALID_CREDENTIALS');
    }
    expect((await enter('closed', 'ines')).answer.status).toBe(200);
  });

  it.each([
    ['whose address another user has', 'acme', 'mallory', { email: 'ann@example.com', email_verified: true }],
    [
      'whose address is another users in capitals',
      'acme',
      'max',
      { email: 'ANN@example.com', email_verified: true },
    ],
    ['whose address is not verified', 'acme', 'mia', { email: 'mia@example.com', email_verified: false }],
    ['that has no record where nobody may register', 'closed', 'nobody', { email: 'nobody@example.com' }],
    ['whose record is of another provider', 'acme', 'Ines', { email: 'ben@example.com' }],
    ['whose identifier differs in case', 'closed', 'INES', {}],
    ['whose identifier has a blank more', 'closed', 'ines ', {}],
    ['whose record is of a provider in other case', 'closed', 'petra', {}],
    ['whose identifier no row can hold', 'acme', 'nu\0l', {}],
    ['that is suspended', 'closed', 'susan', {}],
  ])('rejects a login %s', async (_, provider, name, claims) => {
    identity.people.set(name, claims);
    const { visitor, answer } = await enter(provider, name);
    expect(codeOf(answer)).toBe('INVALID_CREDENTIALS');
    expect(visitor.cookies.has('svc_session_token')).toBe(false);
    const rows = await server().database.query(
      "select id from svc_users where email = 'ann@example.com' and provider = 'default'",
    );
    expect(rows).toHaveLength(1);
  });

  it('accepts a login although a similar record exists', async () => {
    await addUser('closed', 'pair ', { status: 'suspended' });
    await addUser('closed', 'pair');
    expect((await enter('closed', 'pair')).answer.status).toBe(200);
  });

  it('rejects a registration with an address that the database considers equal to an existing one', async () => {
    await addUser('plain', 'pad', { email: 'pad@example.com ' });
    identity.people.set('newcomer', { email: 'pad@example.com', email_verified: true });
    const isPadded = ['mariadb', 'mysql'].includes(setting.dialect);
    const { answer } = await enter('acme', 'newcomer');
    expect(codeOf(answer)).toBe(isPadded ? 'INVALID_CREDENTIALS' : 200);
  });

  it('creates a user without values that cannot be stored', async () => {
    identity.people.set('nora', { email: 'no\0ra@example.com', given_name: 'No\0ra', family_name: 'N' });
    expect((await enter('acme', 'nora')).answer.status).toBe(200);
    expect(await userOf('nora')).toMatchObject({ email: null, first_name: null });
  });

  it('applies the networks of the user', async () => {
    expect(codeOf((await enter('closed', 'local')).answer)).toBe('INVALID_IP');
  });

  it('reports a provider that does not respond and an unknown one', async () => {
    const away = await begin(createVisitor(), 'away');
    expect([away.status, codeOf(away)]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    for (const path of ['/auth/login/default', '/auth/login/nobody', '/auth/login/nobody/callback']) {
      expect((await server().request('GET', path)).codes).toEqual(['ROUTE_NOT_FOUND']);
    }
    const body = { email: 'ann@example.com', password: 'x' };
    expect((await server().request('POST', '/auth/login/acme', { body })).codes).toEqual(['ROUTE_NOT_FOUND']);
  });

  it('can be the only login', async () => {
    const another = await server().startAnother({ ...providersOf(identity), AUTH_DISABLE_DEFAULT: 'true' });
    try {
      const body = { email: 'ann@example.com', password: 'x' };
      for (const path of ['/auth/login', '/auth/login/default']) {
        expect((await another.request('POST', path, { body })).codes).toEqual(['ROUTE_NOT_FOUND']);
      }
      expect((await another.request('GET', '/auth')).body).toMatchObject({ disableDefault: true });
    } finally {
      await another.close();
    }
  });

  it('logs no values', () => {
    expect(JSON.stringify(server().observations)).not.toMatch(/eyJ|@example|script|code=/);
  });
});
