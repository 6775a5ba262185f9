/** Opens the configured database, waiting for one that is still starting. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { openDatabase, type Database } from './contract.js';
import { timed, type Observe } from '../observe.js';

/** The server answered, and waiting would not change what it said. */
const final: ReadonlySet<unknown> = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'ER_NOT_SUPPORTED_AUTH_MODE',
  'HANDSHAKE_SSL_ERROR',
  // PostgreSQL: not authorized, wrong password, no such database, no such schema, too old
  '28000',
  '28P01',
  '3D000',
  '3F000',
  '0A000',
]);

/** @throws Error naming the database, without its password, and how long was waited */
export const connect = (config: Config, observe: Observe): Promise<Database> => {
  const until = performance.now() + config.database.wait;
  return timed('database', observe, () => connectWithin(config, observe, until));
};

const connectWithin = async (config: Config, observe: Observe, until: number): Promise<Database> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await open(config);
    } catch (error) {
      const reason = reasonOf(error);
      const where = withoutPassword(config.database.url);
      if (config.database.url.startsWith('sqlite:') || final.has((error as { code?: unknown }).code)) {
        throw new Error(`the database at ${where} cannot be used: ${reason}`, { cause: error });
      }
      if (performance.now() >= until) {
        const waited = `${config.database.wait / 1000} s (DATABASE_WAIT)`;
        throw new Error(`the database at ${where} did not come up within ${waited}: ${reason}`, {
          cause: error,
        });
      }
      if (attempt === 0) observe({ kind: 'databaseAwaited', reason: `${where}: ${reason}` });
      await sleep(Math.min(1000, 100 * 2 ** attempt, Math.max(1, until - performance.now())));
    }
  }
};

const open = async (config: Config): Promise<Database> => {
  const { ca, wait: _wait, ...options } = config.database;
  const { url } = options;
  if (url.startsWith('sqlite:') && !url.includes(':memory:')) {
    mkdirSync(dirname(url.slice('sqlite:'.length)), { recursive: true });
  }
  const database = await openDatabase({ ...options, ...(ca === null ? {} : { ca }) });
  try {
    await database.query('select 1 as one');
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** Refused connections carry their text inside: one error per address that was tried. */
const reasonOf = (error: unknown): string => {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: readonly unknown[] };
  if (message) return message;
  return errors === undefined || errors.length === 0 ? String(code ?? error) : reasonOf(errors[0]);
};

const withoutPassword = (url: string): string => {
  if (!URL.canParse(url) || url.startsWith('sqlite:')) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
};
