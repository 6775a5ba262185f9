/** Waits until the servers of all hosts have followed the additive phase of an apply. */
import { setTimeout as sleep } from 'node:timers/promises';
import { liveProcesses } from '../processes.js';
import { noteWaiting } from './applies.js';
import { defaultWait, unavailable, type ApplyOptions } from './options.js';

/** Milliseconds between two reads of the processes. */
const interval = 100;

/** Returns whether a server may use the schema of the database. */
export const isServed = async ({ database }: Pick<ApplyOptions, 'database'>): Promise<boolean> =>
  database.isEmbedded !== true && (await liveProcesses(database)).length > 0;

/**
 * Resolves when no request of any server relies on a schema before a generation.
 * @throws SERVICE_UNAVAILABLE naming the host that does not follow; the apply is waiting then
 */
export const untilFollowed = async (
  { id, generation }: { readonly id: string; readonly generation: number },
  options: ApplyOptions,
): Promise<void> => {
  const { database, serve = (then) => then(), wait = defaultWait, signal } = options;
  const until = performance.now() + wait;
  try {
    await serve(async () => {
      for (;;) {
        const processes = await liveProcesses(database);
        const behind = processes.filter((each) => each.generation < generation);
        if (behind.length === 0) return;
        if (performance.now() >= until) throw new Error(describe(behind));
        await sleep(interval, undefined, { signal });
      }
    });
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    const refusal = unavailable(
      `only what is new is applied, and nothing is dropped or narrowed: ${reason}; run svc schema apply --resume, or --abandon`,
    );
    await noteWaiting(database, id, { reason, error: refusal }).catch(() => undefined);
    throw refusal;
  }
};

const describe = (processes: readonly { readonly host: string; readonly pid: number }[]): string => {
  const names = [...new Set(processes.map(({ host, pid }) => `process ${pid} of the host "${host}"`))];
  return `the schema is not followed by ${names.join(', ')}`;
};
