/** Responses and failures of providers: who may log in, and what is stored. */
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startIdentityProvider } from '../../services/identity.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings, testSecret, type TestServerOptions } from '../server-harness.js';
import { createKeys } from '../../../runtime/auth/keys.js';
import { createTokens } from '../../../runtime/auth/tokens.js';
import { codeOf, providersOf, reader, signOnServer, signOnVisits, writer } from './providers.js';
import { createVisitor } from './visitor.js';

const identity = await startIdentityProvider();
afterAll(() => identity.close());
afterEach(() => {
  identity.answers.clear();
  vi.restoreAllMocks();
});

const { answers, people } = identity;
const known = providersOf(identity);

/** One more that is like "plain". */
const likePlain = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(known).flatMap(([key, value]) =>
      key.startsWith('AUTH_PLAIN_') ? [[key.replace('PLAIN', name), value]] : [],
    ),
  );

const missing = '00000000-0000-4000-8000-00000000000c';

const environment = {
  ...known,
  ...likePlain('MAILED'),
  ...likePlain('POSTED'),
  AUTH_PROVIDERS: `${known.AUTH_PROVIDERS}, mailed, posted`,
  AUTH_MAILED_IDENTIFIER_KEY: 'email',
  AUTH_MAILED_EMAIL_KEY: 'mail',
  AUTH_POSTED_IDENTIFIER_KEY: 'mail',
  AUTH_POSTED_EMAIL_KEY: 'mail',
  AUTH_ACME_ROLE_MAPPING: JSON.stringify({ staff: reader, 100: writer, ghosts: missing }),
  AUTH_AWAY_ISSUER_URL: `${identity.issuer}/away`,
};

const callbacks = ['acme', 'closed', 'plain', 'mailed', 'posted'];

const useVisits = (setting: Pick<TestServerOptions, 'dialect' | 'listener'>) => {
  const server = useServer({ ...signOnServer(setting, identity), environment });
  const visits = signOnVisits(server);
  beforeAll(() => {
    identity.allow(callbacks.map((name) => visits.at(`/auth/login/${name}/callback`)));
    people.clear();
  });
  /** Through OAuth 2, whose profile is this text. */
  const enterAs = async (profile: string, provider = 'plain') => {
    answers.set('/me', (response) => {
      response.setHeader('content-type', 'application/json').end(profile);
    });
    return codeOf((await visits.enter(provider, 'somebody')).answer);
  };
  return { server, enterAs, ...visits };
};

const settings = sampleSettings(import.meta.url);

describe.each(settings)('responses of a provider on $dialect through $listener', (setting) => {
  const { at, server, enter, enterAs, addUser, userOf, warnings } = useVisits(setting);

  it.each(['9007199254740993', '-9007199254740993', '1e400', '1.5'])(
    'does not identify users by the number %s, which JSON rounds',
    async (number) => {
      await addUser('plain', String(Number(number)));
      expect(await enterAs(`{ "sub": ${number} }`)).toBe('INVALID_CREDENTIALS');
    },
  );

  it('a login that has expired returns to its page with the reason', async () => {
    const page = at('/after');
    const login = { state: 'a-state', verifier: 'v', nonce: 'n', provider: 'closed', redirect: page };
    const visitor = createVisitor();
    const token = await createTokens(createKeys([testSecret])).sign(
      'state',
      { ...login, until: Date.now() - 1_000 },
      60_000,
    );
    visitor.cookies.set('svc_sign_on_closed_a-state', token);
    const answer = await visitor.get(at('/auth/login/closed/callback?code=c&state=a-state'));
    expect([answer.status, answer.location]).toEqual([302, `${page}?reason=INVALID_CREDENTIALS`]);
  });

  it('identifies users by the digits of exact numbers and of texts', async () => {
    await addUser('plain', '9007199254740991', { status: 'suspended' });
    expect(await enterAs('{ "sub": 9007199254740991 }')).toBe('INVALID_CREDENTIALS');
    expect(warnings().at(-1)).toMatch(/not active$/);
    await addUser('plain', '9007199254740995');
    expect(await enterAs('{ "sub": "9007199254740995" }')).toBe(200);
    expect(await enterAs('{ "sub": 7 }')).toBe(200);
    expect(await userOf('7')).toMatchObject({ provider: 'plain' });
  });

  it.each([
    ['mailed', 'email'],
    ['posted', 'mail'],
  ])('does not match a user by an address that "%s" has not verified', async (provider, key) => {
    await addUser(provider, 'ida@example.com');
    for (const verified of ['false', '"false"']) {
      const profile = `{ "${key}": "ida@example.com", "email_verified": ${verified} }`;
      expect(await enterAs(profile, provider)).toBe('INVALID_CREDENTIALS');
      expect(warnings().at(-1)).toMatch(/not verified$/);
    }
    expect(await enterAs(`{ "${key}": "ida@example.com", "email_verified": true }`, provider)).toBe(200);
  });

  it('rejects a mapped role that does not exist, for new and existing users, and logs it', async () => {
    const refused = expect.stringMatching(/the role of DEFAULT_ROLE_ID or ROLE_MAPPING does not exist$/);
    people.set('gus', { groups: ['ghosts'] });
    expect(codeOf((await enter('acme', 'gus')).answer)).toBe('INVALID_CREDENTIALS');
    expect(warnings().at(-1)).toEqual(refused);
    expect(await userOf('gus')).toBeUndefined();
    await addUser('acme', 'gus');
    expect(codeOf((await enter('acme', 'gus')).answer)).toBe('INVALID_CREDENTIALS');
    expect(warnings().at(-1)).toEqual(refused);
    expect(await userOf('gus')).toMatchObject({ role: reader });
  });

  it.each([
    [[100], writer],
    [['100', 'staff'], writer],
    [['staff', 100], writer],
    [[100.5, 'staff'], reader],
  ])('maps the groups %j, numbers as text', async (groups, role) => {
    people.set('nick', { groups });
    expect((await enter('acme', 'nick')).answer.status).toBe(200);
    expect(await userOf('nick')).toMatchObject({ role });
  });

  it('truncates names between characters', async () => {
    people.set('emma', { given_name: `${'e'.repeat(63)}😀a`, family_name: 'E' });
    expect((await enter('acme', 'emma')).answer.status).toBe(200);
    expect(await userOf('emma')).toMatchObject({ first_name: `${'e'.repeat(63)}😀` });
  });

  it('ignores values with lone surrogates', async () => {
    expect(await enterAs(String.raw`{ "sub": "half \ud83d" }`)).toBe('INVALID_CREDENTIALS');
    expect(await enterAs(String.raw`{ "sub": "whole", "given_name": "half \ud83d" }`)).toBe(200);
    expect(await userOf('whole')).toMatchObject({ first_name: null });
    expect(
      await server().database.query("select id from svc_users where external_identifier like 'half%'"),
    ).toEqual([]);
  });
});

describe('a provider that fails', () => {
  const { begin, enter, enterAs, reachCallback, addUser, at, warnings } = useVisits({ dialect: 'sqlite' });
  beforeAll(() => addUser('closed', 'ines'));

  const failures: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'is overloaded': (response) => response.writeHead(503).end(),
    'hangs up': (response) => response.destroy(),
    'hangs up while it answers': (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{', () => response.destroy());
    },
    'takes too long': () => undefined,
  };

  /** Time is over as soon as the provider has been asked. */
  const fail = (path: string, failure: string): void => {
    const patience = new AbortController();
    if (failure === 'takes too long') vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal);
    answers.set(path, (response) => {
      failures[failure]?.(response);
      if (failure === 'takes too long') patience.abort(new DOMException('too long', 'TimeoutError'));
    });
  };

  describe.each(Object.keys(failures))('one that %s', (failure) => {
    it.each([
      ['closed', '/token'],
      ['closed', '/me'],
      ['plain', '/token'],
      ['plain', '/me'],
    ])('is reported as SERVICE_UNAVAILABLE to the caller of "%s": %s', async (provider, path) => {
      const visitor = createVisitor();
      const callback = await reachCallback(visitor, provider, 'ines');
      fail(path, failure);
      const answer = await visitor.get(callback);
      expect([answer.status, codeOf(answer)]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(warnings().at(-1)).toContain(`the provider "${provider}" does not answer`);
    });
  });

  it('is reported to the page that started the login', async () => {
    const visitor = createVisitor();
    const callback = await reachCallback(visitor, 'acme', 'ines', '/after');
    fail('/token', 'is overloaded');
    const { origin } = new URL(at('/'));
    expect((await visitor.get(callback)).location).toBe(`${origin}/after?reason=SERVICE_UNAVAILABLE`);
  });

  it.each(['server_error', 'temporarily_unavailable'])('is one also if it returns "%s"', async (code) => {
    const visitor = createVisitor();
    const { location } = await begin(visitor, 'acme', '/after');
    const query = new URLSearchParams({
      error: code,
      state: new URL(location ?? '').searchParams.get('state') ?? '',
      iss: identity.issuer,
    });
    const answer = await visitor.get(at(`/auth/login/acme/callback?${query}`));
    expect(answer.location).toMatch(/\/after\?reason=SERVICE_UNAVAILABLE$/);
  });

  it.each([401, 404])('is a rejection if it responds with %i', async (status) => {
    answers.set('/me', (response) => response.writeHead(status).end());
    expect(codeOf((await enter('plain', 'ines')).answer)).toBe('INVALID_CREDENTIALS');
    expect(await enterAs('no JSON')).toBe('INVALID_CREDENTIALS');
  });

  it('does not lock accounts', async () => {
    answers.set('/token', (response) => response.writeHead(503).end());
    for (let attempt = 0; attempt < 11; attempt += 1) await enter('closed', 'ines');
    answers.clear();
    expect((await enter('closed', 'ines')).answer.status).toBe(200);
  });

  it('is requested once, not for every login', async () => {
    const asked = vi.fn<(response: ServerResponse) => void>((response) => response.destroy());
    answers.set('/away/.well-known/openid-configuration', asked);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(codeOf(await begin(createVisitor(), 'away'))).toBe('SERVICE_UNAVAILABLE');
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('is reported to that page also if the login cannot begin', async () => {
    const visitor = createVisitor();
    const { status, location } = await begin(visitor, 'away', '/after?x=1');
    const { origin } = new URL(at('/'));
    expect([status, location]).toEqual([302, `${origin}/after?x=1&reason=SERVICE_UNAVAILABLE`]);
    expect(visitor.cookies.size).toBe(0);
    expect(codeOf(await begin(visitor, 'away', 'https://evil.example/'))).toBe('INVALID_QUERY');
  });
});
