/** Hosts that serve a database by `svc start`, each with a folder of its own. */
import type { TestDatabase } from '../../databases.js';
import { reservePort } from '../../services/ports.js';
import { createWorkplace, type Running, type Workplace } from '../commands.js';
import { adminToken } from '../harness/rows.js';

export interface Host {
  readonly running: Running;
  readonly place: Workplace;
  readonly adminPort: number;
  /** URL of the API. */
  readonly base: string;
  request(path: string, method?: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** Process ids of those that have become ready. */
  ready(): readonly number[];
}

const places: Workplace[] = [];

/** Ends the hosts of a test. */
export const removeHosts = (): void => {
  for (const place of places.splice(0)) place.remove();
};

export interface HostOptions {
  readonly workers?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** @param database the database that it serves */
export const startHost = async (
  { url }: Pick<TestDatabase, 'url'>,
  { workers = 2, environment = {} }: HostOptions = {},
): Promise<Host> => {
  const place = createWorkplace();
  places.push(place);
  const adminPort = await reservePort();
  const running = place.start(['start', '--workers', String(workers)], {
    DATABASE_URL: url,
    PORT: '0',
    ADMIN_PORT: String(adminPort),
    LOG_LEVEL: 'debug',
    RATE_LIMITER_ENABLED: 'false',
    SECRET: 'one-secret-of-two-hosts-0123456789abcdef',
    ...environment,
  });
  const [, base = ''] = await running.until(/(http:\/\/127\.0\.0\.1:\d+)\/items/);
  return {
    running,
    place,
    adminPort,
    base,
    async request(path, method = 'GET', body) {
      const answer = await fetch(`${base}${path}`, {
        method,
        signal: AbortSignal.timeout(50_000),
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
    },
    ready: () =>
      Array.from(running.output().matchAll(/request process (\d+) is ready/g), ([, pid]) => Number(pid)),
  };
};
