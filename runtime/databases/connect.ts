/** Opens the configured database, waiting for one that is still starting. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import type { Database, DatabaseFolder } from './contract.js';
import { loadFolder } from './open.js';
import { timed, type Observe } from '../observe.js';

/** @throws Error naming the database, without its password, and how long was waited */
export const connect = (config: Config, observe: Observe): Promise<Database> => {
  const until = performance.now() + config.database.wait;
  return timed('database', observe, () => connectUntil(until, { config, observe }));
};

interface Setting {
  readonly config: Config;
  readonly observe: Observe;
}

/** @param until on the monotonic clock, in milliseconds */
const connectUntil = async (until: number, { config, observe }: Setting): Promise<Database> => {
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

/** Refused connections carry their text inside: one error per address that was tried. */
const reasonOf = (error: unknown): string => {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: readonly unknown[] };
  if (message) return message;
  return errors === undefined || errors.length === 0 ? String(code ?? error) : reasonOf(errors[0]);
};

const withoutPassword = (url: string): string => {
  // a path names a file, and has no password
  if (!URL.canParse(url) || !url.includes('://')) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
};
