/**
 * Finds or starts the servers that the chosen tests need, before the first test: `TEST_<NAME>_URL` if set, otherwise a
 * program of the machine, otherwise, as root on Debian, a package. A missing server fails the run; nothing is skipped.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { needsOf } from './service-needs.js';
import { startMariadb } from './services/mariadb.js';
import { startMysql } from './services/mysql.js';
import { startPostgres } from './services/postgres.js';
import { startTemporal } from './services/temporal.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of each server that the files of the run need, without a database; host and port of Temporal. */
    readonly services: Readonly<Record<ServiceName, string>>;
    /** Directory of the run; see `shared.ts`. */
    readonly folder: string | undefined;
  }
}

export type ServiceName = 'mariadb' | 'mysql' | 'postgres' | 'temporal';

/** A server for the tests; `stop` ends it if it was started here. */
export interface Service {
  readonly url: string;
  stop(): Promise<void>;
}

interface ServiceEntry {
  readonly name: ServiceName;
  /** Environment variable with the URL of a server to use instead. */
  readonly variable: string;
  /** Example value of the variable. */
  readonly example: string;
  start(): Promise<Service>;
}

const entries: readonly ServiceEntry[] = [
  {
    name: 'mariadb',
    variable: 'TEST_MARIADB_URL',
    example: 'mysql://user:password@host:port',
    start: startMariadb,
  },
  {
    name: 'mysql',
    variable: 'TEST_MYSQL_URL',
    example: 'mysql://user:password@host:port',
    start: startMysql,
  },
  {
    name: 'postgres',
    variable: 'TEST_POSTGRES_URL',
    example: 'postgres://user:password@host:port',
    start: startPostgres,
  },
  {
    name: 'temporal',
    variable: 'TEST_TEMPORAL_ADDRESS',
    example: 'host:port',
    start: startTemporal,
  },
];

const running: Service[] = [];
let folder: string | null = null;

export const setup = async (project: TestProject): Promise<void> => {
  const names = await needsOf(project);
  const needed = entries.filter(({ name }) => names === 'all' || names.has(name));
  const found = await Promise.allSettled(
    needed.map(async (entry) => ({ name: entry.name, service: await findService(entry) })),
  );
  const services = found.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  running.push(...services.map(({ service }) => service));
  const reasons = found.flatMap((result) => (result.status === 'rejected' ? [reasonOf(result.reason)] : []));
  if (reasons.length > 0) {
    await teardown();
    throw new Error(reasons.join('\n\n'));
  }
  const urls = services.map(({ name, service }) => [name, service.url]);
  project.provide('services', Object.fromEntries(urls) as ProvidedContext['services']);
  folder = await mkdtemp(join(tmpdir(), 'svc-tests-'));
  project.provide('folder', folder);
};

export const teardown = async (): Promise<void> => {
  if (folder !== null) await removeShared(folder);
  await Promise.all(running.splice(0).map((service) => service.stop()));
};

/** Drops the template database of PostgreSQL, which would remain on a server that was not started here. */
const removeShared = async (path: string): Promise<void> => {
  const template = await readFile(join(path, 'template-postgres'), 'utf8').catch(() => null);
  if (template !== null && process.env.TEST_POSTGRES_URL) {
    const client = new Client(process.env.TEST_POSTGRES_URL);
    await client.connect();
    await client.query(`drop database if exists ${template} with (force)`);
    await client.end();
  }
  await rm(path, { recursive: true, force: true });
};

const findService = async (entry: ServiceEntry): Promise<Service> => {
  const url = process.env[entry.variable];
  if (url) return { url, stop: async () => {} };
  try {
    return await entry.start();
  } catch (error) {
    const remedy = `Or give a server: ${entry.variable}=${entry.example}`;
    throw new Error(`${reasonOf(error)}\n${remedy}`, { cause: error });
  }
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
