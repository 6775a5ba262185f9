/** Runs the statements of an apply, without holding up everybody else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { invalidPayload } from '../../../contract/errors.js';
import type { Executor } from '../../databases/contract.js';
import type { TableShape } from '../shapes.js';
import type { LiveSchema } from '../snapshot/write.js';
import type { Apply } from './apply.js';
import { noteStep } from './applies.js';
import { defaultWait, unavailable, type ApplyOptions } from './options.js';
import type { Step } from './plan.js';

/** Runs steps; what the database refuses is the fault of the diff. */
export const createRunner = (executor: Executor, apply: Apply, options: ApplyOptions) => {
  const { id, live, generation, isPartial = false } = apply;
  const { database, onStep, signal } = options;
  const { transactional } = live.printer;
  let done = 0;
  return async (steps: readonly Step[]): Promise<void> => {
    for (const step of steps) {
      const progress = { done, steps: done + steps.length - steps.indexOf(step) };
      signal?.throwIfAborted();
      onStep?.(step, progress);
      // committed before the statement; an embedded database has one transaction at a time
      if (!transactional || database.isEmbedded !== true)
        await noteStep(database.reserved, id, { ...progress, step: step.description });
      const write = (): Promise<unknown> => executor.write({ text: step.sql, values: [] });
      try {
        // a transaction that was given up begins again as a whole
        await (transactional ? write() : untilGranted(write, options));
      } catch (error) {
        signal?.throwIfAborted();
        if (database.isConnectionLoss(error) || database.isGivenUp(error)) throw error;
        const isWhole = generation === null && !isPartial && (transactional || done === 0);
        throw refused(step, error, isWhole);
      }
      done += 1;
    }
  };
};

const refused = ({ description }: Step, cause: unknown, isWhole: boolean): Error => {
  const rest = isWhole ? 'nothing was changed' : 'the steps before it are done; make a new diff for the rest';
  const error = invalidPayload(`the database refused the step "${description}"; ${rest}`);
  return Object.assign(error, { cause });
};

/** Milliseconds for which others run before a lock is requested again, doubled each time. */
const firstPause = 100;
const longestPause = 2_000;

/**
 * Runs what asks for the locks of tables. It waits for them a second only, as everybody else waits behind it, and tries
 * again later. @throws SERVICE_UNAVAILABLE where others hold them all the time
 */
export const untilGranted = async <Result>(
  run: () => Promise<Result>,
  { database, wait = defaultWait, signal }: Pick<ApplyOptions, 'database' | 'wait' | 'signal'>,
): Promise<Result> => {
  const until = performance.now() + wait;
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    try {
      return await run();
    } catch (error) {
      if (!database.isGivenUp(error)) throw error;
      if (performance.now() + pause >= until) throw blocked(error);
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal });
    }
  }
};

const blocked = (cause: unknown): Error => {
  const message = 'long transactions of others use the tables; apply again when they have ended';
  return Object.assign(unavailable(message), { cause });
};

/** Changes the schema, which begins again where it is rolled back because others hold a lock. */
export const changeSchema = <Result>(
  { printer }: LiveSchema,
  options: ApplyOptions,
  body: (executor: Executor) => Promise<Result>,
): Promise<Result> => {
  const change = (): Promise<Result> => options.database.changeSchema(body);
  return printer.transactional ? untilGranted(change, options) : change();
};

/** Shortens texts that are too long for their column, which the caller has accepted. */
export const shorten = async (
  executor: Executor,
  {
    before,
    after,
    printer,
  }: {
    readonly before: readonly TableShape[];
    readonly after: readonly TableShape[];
    readonly printer: LiveSchema['printer'];
  },
): Promise<void> => {
  // the conversion of other types makes them as long as they are
  const isText = ({ dataType, values }: TableShape['columns'][number]): boolean =>
    values === null && printer.dataType(dataType, values)?.kind === 'text';
  const old = new Map(before.map((table) => [table.name, table]));
  for (const table of after) {
    for (const { name, length, dataType, generated } of table.columns) {
      const present = old.get(table.name)?.columns.find((column) => column.name === name);
      if (present === undefined || length === null || !isText(present) || !/char/i.test(dataType)) continue;
      if (generated !== null || present.generated !== null || (present.length ?? Infinity) <= length)
        continue;
      const column = executor.quote(name);
      const text = `update ${executor.quote(table.name)} set ${column} = substr(${column}, 1, ${length})`;
      await executor.write({ text, values: [] });
    }
  }
};
