/** Looks at the schema at intervals, or when the database tells of a change. */
import type { Database, SchemaTrigger } from '../databases/contract.js';
import type { Observe } from '../observe.js';

export interface WatchOptions {
  /** Milliseconds between two looks, 0 for none; `trigger`: when the database tells of a change. */
  readonly interval: number | 'trigger';
  readonly database: Pick<Database, 'schemaTrigger'>;
  readonly observe: Observe;
  /** Looks once. A failure that has been reported is not reported again. */
  look(): Promise<unknown>;
}

/** Milliseconds between two looks where the trigger is missing, and beside it, as somebody may remove it. */
const withoutTrigger = 2_000;
const besideTrigger = 60_000;
/** Milliseconds for which more changes are waited for. */
const settleDelay = 100;

/** Returns a function that stops. */
export const watchSchema = ({ interval, database, observe, look }: WatchOptions): (() => void) => {
  if (interval !== 'trigger') return lookAtIntervals(interval, look);
  const watching = findTrigger(database).then((found) => {
    if (typeof found !== 'string') return listen(found, look);
    const message = `SCHEMA_WATCH=trigger: ${found}; the schema is looked at every 2 s`;
    observe({ kind: 'warning', message });
    return lookAtIntervals(withoutTrigger, look);
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

const lookAtIntervals = (interval: number, look: WatchOptions['look']): (() => void) => {
  if (interval === 0) return () => {};
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const wait = (): void => {
    if (isStopped) return;
    // hosts that were started together do not all look at the same time
    timer = setTimeout(() => void look().then(wait, wait), interval * (0.9 + Math.random() * 0.1)).unref();
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
};

const listen = (trigger: SchemaTrigger, look: WatchOptions['look']): (() => void) => {
  let timer: NodeJS.Timeout | null = null;
  // a change that comes during a look is seen by the next one
  const end = trigger.listen(() => {
    timer ??= setTimeout(() => {
      timer = null;
      void look().catch(() => undefined);
    }, settleDelay).unref();
  });
  const stopLooking = lookAtIntervals(besideTrigger, look);
  return () => {
    if (timer !== null) clearTimeout(timer);
    stopLooking();
    void end();
  };
};
