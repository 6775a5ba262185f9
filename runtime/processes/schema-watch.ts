/** Checks the schema at intervals, or when the database tells of a change. */
import type { Database, SchemaTrigger } from '../databases/contract.js';
import type { Observe } from '../observe.js';

export interface WatchOptions {
  /** Milliseconds between two checks, 0 for none; `trigger`: when the database tells of a change. */
  readonly interval: number | 'trigger';
  readonly database: Pick<Database, 'schemaTrigger'>;
  readonly observe: Observe;
  /** Checks once. A failure that has been reported is not reported again. */
  check(): Promise<unknown>;
}

/** Milliseconds between two checks where the trigger is missing, and beside it, as somebody may remove it. */
const withoutTrigger = 2_000;
const besideTrigger = 60_000;
/** Milliseconds for which more changes are waited for. */
const settleDelay = 100;

/** Returns a function that stops. */
export const watchSchema = ({ interval, database, observe, check }: WatchOptions): (() => void) => {
  if (interval !== 'trigger') return checkAtIntervals(interval, check);
  const watching = findTrigger(database).then((found) => {
    if (typeof found !== 'string') return listen(found, check);
    const message = `SCHEMA_WATCH=trigger: ${found}; the schema is checked every 2 s`;
    observe({ kind: 'warning', message });
    return checkAtIntervals(withoutTrigger, check);
  });
  return () => void watching.then((stop) => stop());
};

/** Returns the trigger, or why there is none. */
const findTrigger = async ({
  schemaTrigger,
}: Pick<Database, 'schemaTrigger'>): Promise<SchemaTrigger | string> => {
  if (schemaTrigger === undefined) return 'this database has no event triggers';
  try {
    if (await schemaTrigger.isInstalled()) return schemaTrigger;
    return 'the trigger does not exist; svc schema watch --install creates it';
  } catch {
    return 'the database did not say whether it has the trigger';
  }
};

const checkAtIntervals = (interval: number, check: WatchOptions['check']): (() => void) => {
  if (interval === 0) return () => {};
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const wait = (): void => {
    if (isStopped) return;
    // hosts that were started together do not all check at the same time
    timer = setTimeout(() => void check().then(wait, wait), interval * (0.9 + Math.random() * 0.1)).unref();
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
};

const listen = (trigger: SchemaTrigger, check: WatchOptions['check']): (() => void) => {
  let timer: NodeJS.Timeout | null = null;
  // a change that comes during a check is seen by the next one
  const end = trigger.listen(() => {
    timer ??= setTimeout(() => {
      timer = null;
      void check().catch(() => undefined);
    }, settleDelay).unref();
  });
  const stopChecking = checkAtIntervals(besideTrigger, check);
  return () => {
    if (timer !== null) clearTimeout(timer);
    stopChecking();
    void end();
  };
};
