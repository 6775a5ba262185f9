/** Whatever is sent to the routes of authentication, the mistake is the client's, and no secret comes back. */
import * as fc from 'fast-check';
import jwt from 'jsonwebtoken';
import { describe, expect, it } from 'vitest';
import { systemRoutes } from '../../../generated/server/system-routes.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings, testSecret } from '../server-harness.js';
import { password, peopleServer } from './people.js';

/** In everything that is secret: no answer may repeat it. */
const canary = 'canary-3f9a7c';

const routes = systemRoutes
  .filter(({ path, handler }) => handler.kind === 'operation' && /^\/(auth|users)\b/.test(path))
  .map(({ method, path }) => ({
    method,
    path: path
      .replace(':provider', method === 'GET' ? 'acme' : 'default')
      .replace(':id', '0a000000-0000-4000-8000-00000000000a'),
  }));

const secret = fc.oneof(
  fc.constant(canary),
  fc.string({ maxLength: 40 }).map((text) => `${canary}${text}`),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `${text}${canary}`),
);
const odd = fc.oneof(fc.jsonValue({ maxDepth: 3 }), secret, fc.constantFrom(null, '', [], {}, '__proto__'));
const email = fc.constantFrom('ann@example.com', 'ghost@example.com', 'gone@example.com', 'x@y', 'no mail');
const mode = fc.constantFrom('json', 'cookie', 'session', 'magic', 7);

const claims = fc.record(
  {
    id: odd,
    session: odd,
    generation: odd,
    purpose: odd,
    exp: fc.integer(),
    iss: fc.constantFrom('svc', 'them'),
  },
  { requiredKeys: ['iss'] },
);
const token = fc.oneof(
  secret.map((text) => encodeURIComponent(text)),
  claims.map((payload) => jwt.sign(payload, testSecret)),
  claims.map((payload) => jwt.sign(payload, `${testSecret}${canary}`)),
  claims.map((payload) => `${jwt.sign(payload, testSecret).split('.').slice(0, 2).join('.')}.${canary}`),
  fc.constantFrom('..', 'e30.e30.e30', 'eyJ.eyJ.x', 'bnVsbA.bnVsbA.'),
);

const body = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record(
        {
          email: fc.oneof(email, odd),
          password: fc.oneof(fc.constant(password), secret, odd),
          otp: odd,
          mode: fc.oneof(mode, odd),
          refresh_token: fc.oneof(secret, odd),
          secret: odd,
          token: fc.oneof(token, secret),
          reset_url: fc.oneof(fc.webUrl(), odd),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: odd.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: secret },
  { weight: 1, arbitrary: fc.constant('') },
);

const headers = fc.record(
  {
    authorization: token.map((text) => `Bearer ${text}`),
    cookie: fc
      .tuple(fc.constantFrom('svc_session_token', 'svc_refresh_token', '__proto__'), token)
      .map((pair) => pair.join('=')),
    origin: fc.constantFrom('null', 'https://evil.example', 'not a url', 'http://127.0.0.1'),
    'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin', 'odd'),
    'x-forwarded-for': fc.constantFrom('1.1.1.1', '::', 'nonsense', ',,,'),
    'content-type': fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded'),
    'user-agent': fc.constantFrom('x'.repeat(3_000), ''),
  },
  { requiredKeys: [] },
);

const environment = {
  TRUST_PROXY: '2',
  AUTH_PROVIDERS: 'acme',
  AUTH_ACME_DRIVER: 'oauth2',
  AUTH_ACME_CLIENT_ID: 'svc',
  AUTH_ACME_AUTHORIZE_URL: 'https://id.example/login',
  AUTH_ACME_ACCESS_URL: 'http://127.0.0.1:1/token',
  AUTH_ACME_PROFILE_URL: 'http://127.0.0.1:1/me',
};

/** In all. */
const runs = (process.env.LONG ? 5_000 : 500) / sampleSettings(import.meta.url).length;

describe.each(sampleSettings(import.meta.url))('random requests on $dialect through $listener', (setting) => {
  const server = useServer({ ...peopleServer(setting), ...setting, environment });

  it('never fail, hang or return a secret', async () => {
    const request = fc.tuple(
      fc.constantFrom(...routes),
      body,
      headers,
      fc.option(token, { nil: '', freq: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(request, async ([{ method, path }, raw, sent, query]) => {
        const isBodiless = method === 'GET';
        const names = `access_token=${query}&redirect=${query}&state=${query}&code=${query}`;
        const answer = await server().request(method, query === '' ? path : `${path}?${names}`, {
          headers: { 'content-type': 'application/json', ...sent },
          ...(!isBodiless && { raw }),
        });
        expect([answer.text, answer.status < 500]).toEqual([answer.text, true]);
        expect(answer.text).not.toContain(canary);
        expect(answer.text).not.toMatch(
          /node_modules|argon2|\bselect\b|svc_\w+\b(?<!svc_refresh_token|svc_session_token)/i,
        );
      }),
      { numRuns: Math.ceil(runs) },
    );
    expect(JSON.stringify(server().observations)).not.toContain(canary);
    // the locked pairs are those of the addresses that guessed
    const after = await server().request('POST', '/auth/login', {
      body: { email: 'cleo@example.com', password },
    });
    expect(after.status).toBe(200);
  }, 240_000);
});
