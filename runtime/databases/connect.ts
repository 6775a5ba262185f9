/** Opens the configured database and waits for a server that is still starting. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { Refusal } from '../config/refusal.js';
import type { Database, DatabaseFolder } from './contract.js';
import { loadFolder } from './open.js';
import { timed, type Observe } from '../observe.js';
import { measureDatabase } from './statement-timing.js';

/**
 * Opens the database. Says which one where none was chosen.
 * @param createsFile creates the file of an embedded database; otherwise only that of the default is created
 * @throws Refusal where the file does not exist
 * @throws Error with the database URL (without the password) and the time waited
 */
export const connect = (
  config: Config,
  observe: Observe,
  { createsFile = config.database.isDefault } = {},
): Promise<Database> => {
  const { url, wait, isDefault } = config.database;
  if (isDefault) observe({ kind: 'databaseDefault', url });
  const until = performance.now() + wait;
  return timed('database', observe, async () => {
    const folder = await loadFolder(url);
    const missing = createsFile ? null : folder.missingFile(url);
    if (missing !== null) throw new Refusal(missingMessage(missing));
    return retryUntil(until, { config, observe, folder });
  });
};

const missingMessage = (path: string): string =>
  `DATABASE_URL names the file ${path}, which does not exist; correct the path, or create an empty file for a new database`;

interface ConnectOptions {
  readonly config: Config;
  readonly observe: Observe;
  readonly folder: DatabaseFolder;
}

/** Retries until a time of the monotonic clock, in milliseconds. */
const retryUntil = async (until: number, { config, observe, folder }: ConnectOptions): Promise<Database> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await open(folder, config, observe);
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

const open = async (folder: DatabaseFolder, config: Config, observe: Observe): Promise<Database> => {
  const { ca, wait: _wait, isDefault: _isDefault, ...options } = config.database;
  const isMeasured = config.adminPort !== null;
  const opened = await folder.open({
    ...options,
    ...(ca !== null && { ca }),
    ...(isMeasured && { onWait: (ms) => observe({ kind: 'connectionAwaited', ms }) }),
  });
  const database = isMeasured ? measureDatabase(opened, observe) : opened;
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
