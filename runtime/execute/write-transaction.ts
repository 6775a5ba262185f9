/** Writes of several statements: all of them or none, and what is done around them. */
import type { Collection } from '../../contract/collection.js';
import type { BindInput } from '../sql/fragment.js';
import type { Database, Executor, SqlDialect } from '../databases/contract.js';
import type { Key } from '../plan/write-plan.js';
import { explainFailure, type Write } from './failures.js';

/** One write that has been done, inside its transaction. */
export interface Written {
  readonly collection: Collection;
  readonly action: Write['action'];
  /** A key without parts: the database does not tell it. */
  readonly keys: readonly Key[];
  /** Names of the fields that were written. */
  readonly fields: readonly string[];
}

/** What is done around a write, in its transaction. */
export interface Guard {
  /** Gets the keys of the rows that are about to be changed or deleted. */
  before(keys: readonly Key[], executor: Executor): Promise<void>;
  /** Gets every write of the transaction, in order. */
  after(written: readonly Written[], executor: Executor): Promise<void>;
}

export interface ExecuteContext {
  readonly database: Database;
  readonly dialect: SqlDialect;
  readonly input: BindInput;
  /** Whether a write of one row may be a statement of its own. */
  readonly alone: boolean;
  guard(): Guard;
}

export interface TransactionContext extends ExecuteContext {
  readonly executor: Executor;
  /** What is being written: a failure is about it. */
  readonly failing: { write: Write };
  readonly written: Written[];
}

export const toWrite = (
  { collection, rows, action }: Pick<Write, 'collection' | 'rows' | 'action'>,
  { database, dialect }: ExecuteContext,
): Write => ({ collection, rows, action, executor: database, dialect });

/** Reads what is answered of a write, by its keys, where the write can be seen and is not yet kept. */
export type ReadAnswer<Keys, Answer> = (keys: Keys, executor: Executor) => Promise<Answer>;

interface Transaction<Keys, Answer> {
  /** What is written at the top, and the rows that are about to be changed. */
  readonly write: Write;
  readonly keys: readonly Key[];
  run(context: TransactionContext): Promise<Keys>;
  readonly answer: ReadAnswer<Keys, Answer>;
}

/** Writes by `run` and reads the answer before the commit: what cannot be answered is not kept. */
export const inTransaction = <Keys, Answer>(
  { write, keys, run, answer }: Transaction<Keys, Answer>,
  context: ExecuteContext,
): Promise<Answer> => {
  const guard = context.guard();
  const failing: TransactionContext['failing'] = { write };
  const written: Written[] = [];
  return explainFailure(
    () => failing.write,
    () =>
      context.database.transaction(async (executor) => {
        await guard.before(keys, executor);
        const result = await run({ ...context, executor, failing, written });
        await guard.after(written, executor);
        return answer(result, executor);
      }),
  );
};
