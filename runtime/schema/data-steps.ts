/**
 * Numbered changes of rows and tables that table declarations cannot express. Each runs once per database and
 * is recorded in `svc_data_steps`. A released step is never changed or renumbered.
 */
import { findRows, insertRow } from '../execute/system-rows.js';
import type { Database, Executor } from '../databases/contract.js';

export interface DataStep {
  /** Starts at 1; steps run in this order. */
  readonly number: number;
  readonly name: string;
  /** Returns whether the step has work to do, given the tables that existed before bootstrap. */
  applies(tables: ReadonlySet<string>): boolean;
  /** Runs in a transaction; idempotent, because some databases commit with every DDL statement. */
  run(executor: Executor): Promise<void>;
}

const write = async (executor: Executor, text: string): Promise<void> => {
  await executor.write({ text, values: [] });
};

export const dataSteps: readonly DataStep[] = [
  {
    number: 1,
    name: 'move svc_lanes to svc_model_locks',
    applies: (tables) => tables.has('svc_lanes'),
    // stop workers and servers of the version before: they still lock the old table
    async run(executor) {
      await write(
        executor,
        'insert into svc_model_locks (model, turns) select model, turns from svc_lanes ' +
          'where model not in (select model from svc_model_locks)',
      );
      await write(executor, 'drop table svc_lanes');
    },
  },
];

interface RunOptions {
  readonly steps?: readonly DataStep[];
  /** Names of the tables that existed before bootstrap. */
  readonly tables: ReadonlySet<string>;
  /** Called with the name of every step before it runs. */
  readonly log: (message: string) => void;
}

/** Runs steps that have not run yet. @returns the names of those that had work to do */
export const runDataSteps = async (
  database: Database,
  { steps = dataSteps, tables, log }: RunOptions,
): Promise<readonly string[]> => {
  const rows = await findRows(database, 'svc_data_steps', { columns: ['number'] });
  const done = new Set(rows.map(({ number }) => number));
  const run: string[] = [];
  for (const step of steps.filter(({ number }) => !done.has(number))) {
    const applies = step.applies(tables);
    if (applies) log(step.name);
    await database.transaction(async (executor) => {
      if (applies) await step.run(executor);
      const { number, name } = step;
      await insertRow(executor, 'svc_data_steps', { number, name, date_done: Date.now() });
    });
    if (applies) run.push(step.name);
  }
  return run;
};
