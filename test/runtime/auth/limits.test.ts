/** Guessing passwords, and too many requests. */
import { describe, expect, it, vi } from 'vitest';
import { createAttempts } from '../../../runtime/auth/attempts.js';
import { computeHashesBy, verifyPassword } from '../../../runtime/auth/passwords/hash.js';
import { apiError, type ApiError } from '../../../contract/errors.js';
import { useServer } from '../harness/use-server.js';
import { sampleSettings } from '../server-harness.js';
import { enableCodes, login, logIn, password, peopleServer, readBooks } from './people.js';

const environment = {
  TRUST_PROXY: '1',
  RATE_LIMITER_ENABLED: 'true',
  RATE_LIMITER_POINTS: '30',
  RATE_LIMITER_DURATION: '1m',
};

describe.each(sampleSettings(import.meta.url))('limits on $dialect through $listener', (setting) => {
  const server = useServer({ ...peopleServer(setting), ...setting });

  /** From an address of its own. */
  const attempt = (name: string, address: string, given = 'wrong') =>
    server().request('POST', '/auth/login', {
      body: { email: `${name}@example.com`, password: given },
      headers: { 'x-forwarded-for': address },
    });

  it('lock an account in every process, but only for the guessing address', async () => {
    const behind = await server().startAnother({ TRUST_PROXY: '1' });
    const second = await server().startAnother({ TRUST_PROXY: '1' });
    try {
      const ask = (target: typeof behind, address: string, given: string) =>
        target.request('POST', '/auth/login', {
          body: { email: 'Ann@example.com', password: given },
          headers: { 'x-forwarded-for': address },
        });
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => ask(behind, '203.0.113.1', 'wrong')),
      );
      const codes = answers.flatMap((answer) => answer.codes).sort();
      expect(codes).toEqual([
        ...Array<string>(10).fill('INVALID_CREDENTIALS'),
        'REQUESTS_EXCEEDED',
        'REQUESTS_EXCEEDED',
      ]);
      const locked = await ask(second, '203.0.113.1', password);
      expect([locked.status, locked.errors]).toEqual([
        429,
        [{ code: 'REQUESTS_EXCEEDED', limit: 10, reset: expect.stringMatching(/^\d{4}-.*Z$/) }],
      ]);
      expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(600);
      expect((await ask(second, '203.0.113.2', password)).status).toBe(200);
      await server().database.write({ text: 'update svc_attempts set until = 1', values: [] });
      expect((await ask(second, '203.0.113.1', password)).status).toBe(200);
    } finally {
      await Promise.all([behind.close(), second.close()]);
    }
  });

  it('are the same for an account that does not exist', async () => {
    const statuses = [];
    for (let round = 0; round < 11; round += 1)
      statuses.push((await attempt('ghost', '198.51.100.1')).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  it('count wrong guesses but not server errors', async () => {
    const { guard } = createAttempts(server().database);
    const guess = (error: Error) =>
      guard({ kind: 'login', account: 'busy', address: '198.51.100.2' }, () => Promise.reject(error)).catch(
        (thrown: unknown) => thrown,
      );
    const ours = [apiError('SERVICE_UNAVAILABLE', { service: 'authentication' }), new Error('lost')];
    for (let round = 0; round < 6; round += 1)
      for (const error of ours) expect(await guess(error)).toBe(error);
    const wrong = [apiError('INVALID_CREDENTIALS', {}), apiError('INVALID_OTP', {})];
    for (let round = 0; round < 5; round += 1)
      for (const error of wrong) expect(await guess(error)).toBe(error);
    expect(await guess(new Error('not reached'))).toMatchObject({ code: 'REQUESTS_EXCEEDED' });
  });

  it('do not limit requests for a new secret with the correct password', async () => {
    await enableCodes(server(), 'dora');
    const generate = () =>
      server().request('POST', '/users/me/tfa/generate', { body: { password }, as: 'dora' });
    for (let round = 0; round < 11; round += 1) expect((await generate()).codes).toEqual(['INVALID_PAYLOAD']);
  });

  it('treat an IPv6 network as one address', async () => {
    const behind = await server().startAnother({ ...environment, RATE_LIMITER_POINTS: '3' });
    const ask = async (address: string) =>
      (await behind.request('GET', '/auth', { headers: { 'x-forwarded-for': address } })).status;
    try {
      const statuses = [];
      for (const address of ['1::1', '2::1', '3::1', '4::1'])
        statuses.push(await ask(`2001:db8:1:2:${address}`));
      expect(statuses).toEqual([200, 200, 200, 429]);
      expect(await ask('2001:db8:1:3::1')).toBe(200);
    } finally {
      await behind.close();
    }
  });

  it('lock an account for the guessing IPv6 network', async () => {
    const behind = await server().startAnother({ TRUST_PROXY: '1' });
    const guess = async (address: string) =>
      (
        await behind.request('POST', '/auth/login', {
          body: { email: 'spread@example.com', password: 'wrong' },
          headers: { 'x-forwarded-for': address },
        })
      ).status;
    try {
      const statuses = [];
      for (let round = 1; round <= 11; round += 1) statuses.push(await guess(`2001:db8:1:2::${round}`));
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
      expect(await guess('2001:db8:1:3::1')).toBe(401);
    } finally {
      await behind.close();
    }
  });

  it('count requests that are rejected before authentication', async () => {
    const limited = await server().startAnother({ ...environment, RATE_LIMITER_POINTS: '2' });
    try {
      const twoTokens = { headers: { authorization: 'Bearer one' } };
      const answers = [];
      for (let round = 0; round < 3; round += 1)
        answers.push(await limited.request('GET', '/items/book?access_token=two', twoTokens));
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 429]);
    } finally {
      await limited.close();
    }
  });

  it('count requests for external logins, also with the cookie of an ended session', async () => {
    const limited = await server().startAnother({ ...environment, RATE_LIMITER_POINTS: '4' });
    try {
      const headers = { cookie: 'svc_session_token=garbage' };
      const codes = [];
      for (const path of ['/auth/login/nowhere', '/auth/login/nowhere/callback'])
        for (const more of [{}, { headers }, {}])
          codes.push(...(await limited.request('GET', path, more)).codes);
      expect(codes).toEqual([
        ...Array<string>(4).fill('ROUTE_NOT_FOUND'),
        ...Array<string>(2).fill('REQUESTS_EXCEEDED'),
      ]);
    } finally {
      await limited.close();
    }
  });

  it('reset after a successful login and allow concurrent logins', async () => {
    for (let round = 0; round < 9; round += 1) await attempt('ben', '');
    expect((await login(server(), 'ben')).status).toBe(200);
    expect((await attempt('ben', '')).codes).toEqual(['INVALID_CREDENTIALS']);
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(server(), 'ben')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('return Retry-After, and never apply to administrators', async () => {
    const limited = await server().startAnother(environment);
    try {
      const { access_token: token } = await logIn(server(), 'cleo');
      const answers = [];
      for (let round = 0; round < 31; round += 1) answers.push(await readBooks(limited, token));
      expect(answers.map(({ status }) => status)).toEqual([...Array<number>(30).fill(200), 429]);
      const { headers, errors } = answers[30] as (typeof answers)[number];
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
      expect(headers.get('ratelimit-policy')).toBe('"default";q=30');
      expect(errors).toEqual([{ code: 'REQUESTS_EXCEEDED', limit: 30, reset: expect.any(String) }]);
      const open = () => limited.request('GET', '/auth');
      const nobody = await Promise.all(Array.from({ length: 31 }, open));
      expect(nobody.filter(({ status }) => status === 429)).toHaveLength(1);
      expect((await limited.request('GET', '/server/ping')).status).toBe(200);
      for (let round = 0; round < 40; round += 1) {
        expect((await limited.request('GET', '/items/book/1?fields=id', { as: 'admin' })).status).toBe(200);
      }
    } finally {
      await limited.close();
    }
  });

  it('count a mutation once, regardless of its number of reads', async () => {
    const limited = await server().startAnother({ ...environment, RATE_LIMITER_POINTS: '3' });
    try {
      const query = `mutation { auth_login(email: "nobody@example.com", password: "wrong") { access_token } }`;
      const answers = [];
      for (let round = 0; round < 4; round += 1)
        answers.push(await limited.request('POST', '/graphql/system', { body: { query } }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(answers[2]?.codes).toEqual(['INVALID_CREDENTIALS']);
    } finally {
      await limited.close();
    }
  });
});

describe('a server that receives more logins from one address than can wait', () => {
  const server = useServer({ ...peopleServer({ dialect: 'sqlite' }), environment: { TRUST_PROXY: '1' } });
  const from = (address: string, name: string, given = password) =>
    server().request('POST', '/auth/login', {
      body: { email: `${name}@example.com`, password: given },
      headers: { 'x-forwarded-for': address },
    });

  it('rejects logins beyond the queue and accepts those of other addresses', async () => {
    const waiting: (() => void)[] = [];
    let isOpen = false;
    const hasher = computeHashesBy({
      async compute(task) {
        if (!isOpen) await new Promise<void>((resolve) => void waiting.push(resolve));
        return hasher.compute(task);
      },
      pause: () => Promise.resolve(),
    });
    const open = (): void => {
      isOpen = true;
      for (const resume of waiting) resume();
    };
    let refused = 0;
    try {
      const many = Array.from({ length: 60 }, async (_, index) => {
        const { status } = await from(`2001:db8::${index + 1}`, `ghost${index}`, 'wrong');
        if (status === 503) refused += 1;
        return status;
      });
      // there are 50 places
      await vi.waitUntil(() => refused === 10, { timeout: 150_000 });
      const others = ['ann', 'ben', 'cleo'].map((name, index) => from(`203.0.113.${index}`, name));
      await vi.waitUntil(() => refused === 13, { timeout: 150_000 });
      open();
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
      const statuses = await Promise.all(many);
      expect(statuses.filter((status) => status === 401)).toHaveLength(47);
      expect(refused).toBe(13);
    } finally {
      open();
      computeHashesBy(hasher);
    }
  });
});

it('rejects password checks beyond the maximum of the queue', async () => {
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword(null, 'x')));
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.map(({ reason }) => (reason as ApiError).code)).toEqual(
    Array(10).fill('SERVICE_UNAVAILABLE'),
  );
  expect(await verifyPassword(null, 'x')).toBe(false);
});
