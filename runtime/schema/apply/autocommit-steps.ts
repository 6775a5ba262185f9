/** Runs the steps of an apply that no transaction contains, each of which is committed by itself: labels of enums, indexes on tables with rows. */
import type { Executor, SchemaPrinter } from '../../databases/contract.js';
import type { TableShape } from '../shapes.js';
import { comparableShapes, type Apply } from './apply.js';
import { defaultWait, type ApplyOptions } from './options.js';
import { planLabels, type Step } from './plan.js';
import { readRemaining } from './remaining-steps.js';
import { createRunner, untilGranted } from './steps.js';

/**
 * Adds the new labels of enums, once the data allows the apply. Returns the rest of the apply.
 * @param check throws where the data does not allow it
 */
export const addLabels = async (
  apply: Apply,
  options: ApplyOptions,
  check: (executor: Executor) => Promise<void>,
): Promise<Apply> => {
  const steps = planLabels(...comparableShapes(apply), apply.live.printer);
  if (steps.length === 0) return apply;
  await options.database.transaction(check);
  await runAutocommit(steps, apply, options);
  return { ...(await readRemaining(apply, options)), isPartial: true };
};

export interface PlannedBuilds {
  /** The tables without the indexes that are built later. */
  readonly tables: readonly TableShape[];
  readonly steps: readonly Step[];
  /** Names of those indexes. */
  readonly names: ReadonlySet<string>;
}

/** Finds the new indexes of tables with rows, which are built while rows are written. */
export const findIndexBuilds = async (
  before: readonly TableShape[],
  after: readonly TableShape[],
  { printer, executor }: { readonly printer: SchemaPrinter; readonly executor: Executor },
): Promise<PlannedBuilds> => {
  const steps: Step[] = [];
  const names = new Set<string>();
  const tables: TableShape[] = [];
  for (const table of after) {
    const old = before.find(({ name }) => name === table.name);
    const kept: TableShape['indexes'][number][] = [];
    for (const index of table.indexes) {
      const isNew = old !== undefined && !old.indexes.some(({ name }) => name === index.name);
      const built = (isNew && (await printer.indexBuilds?.plan(table.name, index, executor))) || [];
      const description = `build index ${index.name} of ${table.name}`;
      steps.push(...built.map((sql) => ({ description, table: table.name, sql })));
      if (built.length === 0) kept.push(index);
      else names.add(index.name);
    }
    tables.push(kept.length === table.indexes.length ? table : { ...table, indexes: kept });
  }
  return { tables, steps, names };
};

/** Runs steps that are committed one by one. @throws SERVICE_UNAVAILABLE where others hold what they need */
export const runAutocommit = async (
  steps: readonly Step[],
  apply: Apply,
  options: ApplyOptions,
): Promise<void> => {
  const { database, wait = defaultWait } = options;
  const run = (executor: Executor): Promise<void> =>
    createRunner(executor, { ...apply, isPartial: true }, options)(steps);
  // the locks are waited for as long as the apply may take, as nobody waits behind them
  await untilGranted(() => database.changeApart?.(run, wait) ?? Promise.resolve(), { ...options, wait: 0 });
};
