/** Registers a process that serves the API, so that an apply of the schema waits for it. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { coalesceCalls } from '../concurrency/call-coalescing.js';
import { packageVersion } from '../config/package.js';
import type { Database } from '../databases/contract.js';
import type { BuildSource } from '../reloading-service.js';
import { beatInterval, beatProcess, removeProcess, type ProcessRow } from '../schema/processes.js';

/** Ends the registration of a process. */
export type Unregister = () => Promise<void>;

/**
 * Registers the process, and resolves when the database has its row. An embedded database has none: its processes are on
 * one machine, and a write a second would stop their event loops.
 */
export const registerProcess = async (
  database: Database,
  source: Pick<BuildSource, 'generation' | 'onGeneration'>,
): Promise<Unregister> => {
  if (database.isEmbedded === true) return async () => undefined;
  const own = { id: randomUUID(), host: hostname(), pid: process.pid, version: packageVersion };
  // one after the other; the apply that waits reads what the last one wrote
  const beat = coalesceCalls(
    (state: ProcessRow['state']): Promise<void> =>
      beatProcess(database.reserved, database, { ...own, generation: source.generation(), state }),
    (_, state) => state,
  );
  const tryBeat = (): Promise<void> => beat('running').catch(() => undefined);
  await tryBeat();
  const timer = setInterval(() => void tryBeat(), beatInterval).unref();
  source.onGeneration(() => void tryBeat());
  return async () => {
    clearInterval(timer);
    source.onGeneration(() => undefined);
    // what has begun must not write the row again
    await beat('ending').catch(() => undefined);
    await removeProcess(database.reserved, own.id).catch(() => undefined);
  };
};
