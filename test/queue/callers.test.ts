/** Authentication, addresses and rate limits of the queue: keys have the restrictions of their users. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../databases.js';
import { librarySql } from '../runtime/behaviour/library.js';
import { useServer } from '../runtime/harness/use-server.js';
import type { TestAccess, TestServer } from '../runtime/server-harness.js';

const dialects = dialectsOf(import.meta.url);

const access: TestAccess = {
  policies: {
    Near: [{ collection: 'book', action: 'read', fields: ['id'] }],
    Always: [{ collection: 'book', action: 'read', fields: ['id'] }],
  },
  roles: { Reader: { policies: ['Near'] } },
  users: {
    near: { policies: ['Near'] },
    role: { role: 'Reader' },
    both: { policies: ['Near', 'Always'] },
    often: {},
    other: {},
  },
};

/** Runs have a model of their own, because requests of the queue keep their slots here, without workers. */
const calls = {
  queue: { model: 'demo/train', input: { prompt: 'sea', model_name: 'sea' } },
  run: { model: 'demo/image', input: { prompt: 'sea', width: 16, height: 16 } },
} as const;

interface Call {
  readonly authorization: string;
  readonly address?: string;
  readonly listener?: 'queue' | 'run';
}

const call = (server: TestServer, { authorization, address = '192.0.2.1', listener = 'queue' }: Call) =>
  server.request('POST', `/${listener}/${calls[listener].model}`, {
    headers: { authorization, 'x-forwarded-for': address },
    body: calls[listener].input,
  });

describe.each(dialects)('callers on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: librarySql(dialect),
    access,
    environment: { TRUST_PROXY: '1' },
  });
  const keyOf = async (name: string): Promise<string> => {
    const { data } = await server().request('POST', '/keys', { as: name, body: {} });
    return `Key ${(data as { readonly key: string }).key}`;
  };
  const restrict = (list: readonly string[] | null) =>
    server().request('PATCH', `/policies/${server().ids.policies.get('Near')}`, {
      as: 'admin',
      body: { ip_access: list },
    });

  it('are rejected by key on the next request if no policy of their user applies', async () => {
    const keys = await Promise.all(['near', 'role', 'both'].map(keyOf));
    const statuses = async (address: string) => {
      const answers = await Promise.all(
        keys.map((authorization) => call(server(), { authorization, address })),
      );
      return answers.map(({ status }) => status);
    };
    expect(await statuses('192.0.2.1')).toEqual([200, 200, 200]);
    await restrict(['10.0.0.0/8']);
    expect(await statuses('192.0.2.1')).toEqual([401, 401, 200]);
    expect(await statuses('10.1.2.3')).toEqual([200, 200, 200]);
    await restrict(null);
    expect(await statuses('192.0.2.1')).toEqual([200, 200, 200]);
  });

  it('share one rate limit for key and token with Retry-After; administrators have none', async () => {
    const [key, others, admins] = await Promise.all(['often', 'other', 'admin'].map(keyOf));
    const limited = await server().startAnother({
      TRUST_PROXY: '1',
      RATE_LIMITER_ENABLED: 'true',
      RATE_LIMITER_POINTS: '4',
      RATE_LIMITER_DURATION: '1m',
    });
    const ask = async (authorization = '', more: Partial<Call> = {}) =>
      (await call(limited, { authorization, ...more })).status;
    try {
      expect(await ask(key)).toBe(200);
      expect(await ask(key, { address: '192.0.2.2' })).toBe(200);
      expect(await ask('Bearer often-token')).toBe(200);
      expect(await ask(key, { listener: 'run' })).toBe(200);
      for (const authorization of [key, 'Bearer often-token']) {
        for (const listener of ['queue', 'run'] as const) {
          const { status, body, headers } = await call(limited, {
            authorization: authorization ?? '',
            listener,
          });
          expect([status, body]).toEqual([
            429,
            { detail: expect.stringContaining('more than 4 requests'), error_type: 'rate_limit' },
          ]);
          expect(headers.get('x-svc-error-type')).toBe('rate_limit');
          expect(headers.get('x-svc-request-timeout-type')).toBeNull();
          expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
          expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
          expect(headers.get('ratelimit-policy')).toBe('"default";q=4');
        }
      }
      expect(await ask(others)).toBe(200);
      const wrong = [];
      for (let round = 0; round < 5; round += 1) wrong.push(await ask(`${key}x`, { address: '192.0.2.9' }));
      expect(wrong).toEqual([401, 401, 401, 401, 429]);
      expect(await ask(others, { address: '192.0.2.9' })).toBe(200);
      for (let round = 0; round < 6; round += 1) expect(await ask(admins)).toBe(200);
    } finally {
      await limited.close();
    }
  });
});
