/**
 * Nothing that was revoked is accepted by a request that begins after the answer, whatever the processes go through:
 * signals that stop them, long collections, blocked event loops.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTestDatabase, sampleDialects } from '../databases.js';
import { systemTemplate } from '../templates.js';
import { fetchFromHost, startLeaseHosts, type LeaseHosts } from './harness/lease-hosts.js';
import { adminToken } from './harness/rows.js';
import { testSecret } from './server-harness.js';

/** On each database; a quick run has two of them. */
const tries = process.env.LONG === undefined ? 100 : 2_500;
const together = 50;
const longestFault = 600;

const environment = {
  SECRET: testSecret,
  ACCESS_LEASE: '200ms',
  RATE_LIMITER_ENABLED: 'false',
  DATABASE_POOL_MAX: '5',
  WATCHDOG: '0',
  LOG_LEVEL: 'info',
};

const keys = {
  sqlite: 'integer primary key',
  mariadb: 'int primary key auto_increment',
  mysql: 'int primary key auto_increment',
  postgres: 'int primary key generated always as identity',
} as const;

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;

interface Call {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request, as the administrator if no token is given, as nobody if it is empty. Repeats it while permissions
 * change too often for an answer (503).
 */
const send = async (url: string, call: Call = {}): Promise<Answer> => {
  const { method = 'GET', token = adminToken, body } = call;
  const response = await fetchFromHost(url, {
    method,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return response.status === 503 ? send(url, call) : { status: response.status, text };
};

const change = async (url: string, call: Call): Promise<string> => {
  const { status, text } = await send(url, call);
  if (status >= 300) throw new Error(`${call.method} ${url}: ${status} ${text}`);
  return text;
};

/** A caller, and the change after which nothing of it may be accepted. */
interface Subject {
  readonly token: string;
  revoke(url: string): Promise<unknown>;
}

const password = 'a password of enough length';

/** Creates the policy that every caller holds, and the user whose sessions end one by one. */
const prepare = async (url: string) => {
  const policy = randomUUID();
  const holder = { id: randomUUID(), email: 'holder@example.com', password };
  await change(`${url}/policies`, { method: 'POST', body: { id: policy, name: 'notes' } });
  const permissions = ['read', 'create'].map((action) => ({
    policy,
    collection: 'note',
    action,
    fields: ['*'],
  }));
  await change(`${url}/permissions`, { method: 'POST', body: permissions });
  await change(`${url}/users`, { method: 'POST', body: holder });
  await change(`${url}/access`, { method: 'POST', body: { policy, user: holder.id } });
  return policy;
};

/** Creates callers who lose access each in one of four ways. */
const createSubjects = async (url: string, policy: string): Promise<readonly Subject[]> => {
  const users = Array.from({ length: together }, () => ({ id: randomUUID(), token: randomUUID() }));
  const access = users.map(({ id }) => ({ id: randomUUID(), policy, user: id }));
  await change(`${url}/users`, { method: 'POST', body: users });
  await change(`${url}/access`, { method: 'POST', body: access });
  return Promise.all(
    users.map(async ({ id, token }, index): Promise<Subject> => {
      const update = (body: object) => (at: string) => change(`${at}/users/${id}`, { method: 'PATCH', body });
      if (index % 8 === 0) return createSession(url);
      if (index % 3 === 0) return { token, revoke: update({ status: 'suspended' }) };
      if (index % 3 === 1) return { token, revoke: update({ token: randomUUID() }) };
      const row = access[index]?.id ?? '';
      return { token, revoke: (at) => change(`${at}/access/${row}`, { method: 'DELETE' }) };
    }),
  );
};

const createSession = async (url: string): Promise<Subject> => {
  const body = { email: 'holder@example.com', password, mode: 'json' };
  const { data } = JSON.parse(await change(`${url}/auth/login`, { method: 'POST', token: '', body })) as {
    readonly data: { readonly access_token: string; readonly refresh_token: string };
  };
  const refresh = { mode: 'json', refresh_token: data.refresh_token };
  return {
    token: data.access_token,
    revoke: (at) => change(`${at}/auth/logout`, { method: 'POST', token: '', body: refresh }),
  };
};

/** Reads and writes as a caller; returns the statuses. */
const use = (urls: readonly string[], token: string): Promise<readonly number[]> =>
  Promise.all(
    urls.flatMap((url) => [
      send(`${url}/items/note?limit=1`, { token }).then(({ status }) => status),
      send(`${url}/items/note`, { token, method: 'POST', body: { text: 'x' } }).then(({ status }) => status),
    ]),
  );

interface Outcome {
  /** Statuses before the change, each of which must be 200. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

const tryOnce = async ({ token, revoke }: Subject, urls: readonly string[]): Promise<Outcome> => {
  const before = await use(urls, token);
  await sleep(Math.random() * 300);
  await revoke(pick(urls));
  return { before, after: await use(urls, token) };
};

/** Keeps one process after another from running for a while, until stopped. */
const disturb = ({ faults }: LeaseHosts): (() => Promise<void>) => {
  const end = new AbortController();
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await pick(faults)(Math.ceil(Math.random() * longestFault));
      await sleep(Math.random() * 200);
    }
  };
  const ended = loop();
  return async () => {
    end.abort();
    await ended;
  };
};

describe.each(sampleDialects(import.meta.url))('on %s', (dialect) => {
  it(
    `nothing revoked is accepted afterwards, in ${tries} tries`,
    { timeout: 60_000 + tries * 2_000 },
    async () => {
      const { url: database, drop } = await createTestDatabase(dialect, {
        template: await systemTemplate(dialect),
        sql: `create table note (id ${keys[dialect]}, text varchar(20))`,
      });
      const hosts = await startLeaseHosts({ ...environment, DATABASE_URL: database });
      try {
        const { urls } = hosts;
        const [first = ''] = urls;
        const policy = await prepare(first);
        const calm = disturb(hosts);
        const outcomes: Outcome[] = [];
        while (outcomes.length < tries) {
          const subjects = await createSubjects(first, policy);
          outcomes.push(...(await Promise.all(subjects.map((subject) => tryOnce(subject, urls)))));
        }
        await calm();
        expect(new Set(outcomes.flatMap(({ before }) => before))).toEqual(new Set([200]));
        const late = outcomes.filter(({ after }) => after.some((status) => status !== 401 && status !== 403));
        expect(late).toEqual([]);
      } finally {
        await hosts.stop();
        await drop();
      }
    },
  );
});
