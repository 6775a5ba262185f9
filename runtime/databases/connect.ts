/** Opens the configured database and waits for a server that is still starting. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import type { Database, DatabaseFolder } from './contract.js';
import { loadFolder } from './open.js';
import { timed, type Observe } from '../observe.js';

/** Opens the database. @throws Error with the database URL (without the password) and the time waited */
export const connect = (config: Config, observe: Observe): Promise<Database> => {
  const until = performance.now() + config.database.wait;
  return timed('database', observe, () => retryUntil(until, { config, observe }));
};

interface ConnectOptions {
  readonly config: Config;
  readonly observe: Observe;
}

/** Retries until a time of the monotonic clock, in milliseconds. */
const retryUntil = async (until: number, { config, observe }: ConnectOptions): Promise<Database> => {
  const folder = await loadFolder(config.database.url);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await open(folder, config);
    } catch (error) {
      const reason = reasonOf(error);
      const where = withoutPassword(config.database.url);
      if (folder.isPermanent(error)) {
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

const open = async (folder: DatabaseFolder, config: Config): Promise<Database> => {
  const { ca, wait: _wait, ...options } = config.database;
  const database = await folder.open({ ...options, ...(ca === null ? {} : { ca }) });
  try {
    await database.query('select 1 as one');
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** Returns the message of an error; a refused connection holds one error for each address tried. */
const reasonOf = (error: unknown): string => {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: readonly unknown[] };
  if (message) return message;
  return errors === undefined || errors.length === 0 ? String(code ?? error) : reasonOf(errors[0]);
};

const withoutPassword = (url: string): string => {
  // the path of a file contains no password
  if (!URL.canParse(url) || !url.includes('://')) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
};
