/** Runs the statements of a write in one transaction, with hooks before and after them. */
import type { Collection, Field } from '../../contract/collection.js';
import type { BindInput } from '../sql/fragment.js';
import type { Database, Executor, SqlDialect } from '../databases/contract.js';
import type { Key } from '../plan/write-plan.js';
import { explainFailure, type Write } from './failures.js';
import type { KeyList } from './key-list.js';

/** A write of a transaction that has run. */
export interface CompletedWrite {
  readonly collection: Collection;
  readonly action: Write['action'];
  /** A key is empty where the database generated it without returning it. */
  readonly keys: readonly Key[];
  /** Names of the fields that were written. */
  readonly fields: readonly string[];
}

/** An update or deletion of related rows. */
export interface RelatedChange {
  readonly collection: Collection;
  readonly keys: readonly Key[];
  /** Names of the fields that an update writes; none for a deletion. */
  readonly fields: readonly string[];
}

/** Checks and records of a write, run in its transaction. */
export interface WriteHooks {
  /** Runs first. @param keys of the rows that will be updated or deleted */
  before(keys: KeyList, executor: Executor): Promise<void>;
  /** Runs before rows are updated or deleted that the request does not name by its path or keys. */
  readonly beforeRelated?: (change: RelatedChange, executor: Executor) => Promise<void>;
  /**
   * Records writes as a large transaction proceeds, so that it need not keep them; absent where `after` needs all of
   * them. @param written the writes since the last record
   */
  readonly record?: (written: readonly CompletedWrite[], executor: Executor) => Promise<void>;
  /** Runs last. @param written every write of the transaction that `record` has not received, in order */
  after(written: readonly CompletedWrite[], executor: Executor): Promise<void>;
  /** Runs after the commit, without a connection. */
  committed?(): Promise<void>;
}

export interface ExecuteContext {
  readonly database: Database;
  readonly dialect: SqlDialect;
  readonly input: BindInput;
  /** True where a write may run as a single autocommit statement. */
  readonly allowsAutocommit: boolean;
  /** Returns whether errors may name a field: the caller may read or write it. */
  mayName(collection: Collection, field: Field): boolean;
  /** Creates the hooks of one transaction. */
  hooks(): WriteHooks;
}

export interface TransactionContext extends ExecuteContext {
  readonly executor: Executor;
  /** The write in progress, which a failure is attributed to; `isShared` while `runShared` runs. */
  readonly current: { write: Write; isShared: boolean };
  /** False where each row is written by itself, because what `runShared` ran for several has failed. */
  readonly sharesStatements: boolean;
  readonly written: CompletedWrite[];
  /** Records what has been written so far. */
  record(): Promise<void>;
  /** Runs before an update or deletion of related rows. */
  beforeRelated(change: RelatedChange): Promise<void>;
}

/**
 * Describes a write for the explanation of its failure, which reads from the database outside of the
 * transaction.
 */
export const toWrite = (
  { collection, rows, locations, action }: Pick<Write, 'collection' | 'rows' | 'locations' | 'action'>,
  { database, dialect, mayName }: ExecuteContext,
): Write => ({ collection, rows, locations, action, executor: database, dialect, mayName });

/**
 * Runs statements for rows that could also be written one after another. Where they fail for several, the transaction runs
 * again without sharing, so that it fails, or not, as it would then.
 */
export const runShared = async (
  rows: readonly unknown[],
  { current }: TransactionContext,
  run: () => Promise<void>,
): Promise<void> => {
  current.isShared = rows.length > 1;
  await run();
  current.isShared = false;
};

/** Reads the output of a write by its keys, inside its transaction. */
type ReadOutput<Keys, Output> = (keys: Keys, executor: Executor) => Promise<Output>;

interface Transaction<Keys, Output> {
  /** The requested write, and the keys of the rows that it will change. */
  readonly write: Write;
  readonly keys: KeyList;
  run(context: TransactionContext): Promise<Keys>;
  readonly read: ReadOutput<Keys, Output>;
}

/** Writes by `run` and reads the output before the commit; rolls back where it cannot be read. */
export const inTransaction = async <Keys, Output>(
  { write, keys, run, read }: Transaction<Keys, Output>,
  context: ExecuteContext,
): Promise<Output> => {
  const hooks = context.hooks();
  const current: TransactionContext['current'] = { write, isShared: false };
  const { database } = context;
  const runOnce = (sharesStatements: boolean): Promise<Output> =>
    database.transaction(async (executor) => {
      // a transaction may run twice
      current.write = write;
      current.isShared = false;
      const written: CompletedWrite[] = [];
      await hooks.before(keys, executor);
      const record = async (): Promise<void> => {
        if (hooks.record !== undefined) await hooks.record(written.splice(0), executor);
      };
      const beforeRelated = async (change: RelatedChange): Promise<void> =>
        hooks.beforeRelated?.(change, executor);
      const steps = { executor, current, sharesStatements, written, record, beforeRelated };
      const result = await run({ ...context, ...steps });
      const rows = await read(result, executor);
      await hooks.after(written, executor);
      return rows;
    });
  const output = await explainFailure(
    () => current.write,
    async () => {
      try {
        return await runOnce(true);
      } catch (error) {
        if (!current.isShared || database.isGivenUp(error) || database.isConnectionLoss(error)) throw error;
        return runOnce(false);
      }
    },
  );
  await hooks.committed?.();
  return output;
};
