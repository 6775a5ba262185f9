/** Writes of several statements: all of them or none, and what is done around them. */
import type { Collection } from '../../contract/collection.js';
import { unprocessable } from '../../contract/errors.js';
import type { ListWrite, WriteRow } from '../plan/write.js';
import type { Database, Executor, SqlDialect } from '../databases/contract.js';
import type { BindInput } from '../sql/fragment.js';
import { explainFailure, type Write } from './failures.js';
import type { Key } from './insert.js';

/** One write that has been done, inside its transaction. */
export interface Written {
  readonly collection: Collection;
  readonly action: Write['action'];
  /** A key without parts: not told by the database. */
  readonly keys: readonly Key[];
  /** Names of the fields that were written. */
  readonly fields: readonly string[];
}

/** What is done around a write, in its transaction. */
export interface Guard {
  /** Told of the rows that are about to be changed or deleted. */
  before(keys: readonly Key[], executor: Executor): Promise<void>;
  /** Told of every write of the transaction, in order. */
  after(written: readonly Written[], executor: Executor): Promise<void>;
}

/** Writes a list of each of the rows that have just been written. */
export type WriteList = (
  list: ListWrite,
  owner: { readonly collection: Collection; readonly keys: readonly Key[] },
  context: InsideContext,
) => Promise<void>;

export interface WriteContext {
  readonly database: Database;
  readonly dialect: SqlDialect;
  readonly input: BindInput;
  /** Whether a write of one row may be a statement of its own. */
  readonly alone: boolean;
  guard(): Guard;
  readonly writeList: WriteList;
}

export interface InsideContext extends WriteContext {
  readonly executor: Executor;
  /** What is being written: a failure is about it. */
  readonly failing: { write: Write };
  readonly written: Written[];
}

export const toWrite = (
  { collection, rows, action }: Pick<Write, 'collection' | 'rows' | 'action'>,
  { database, dialect }: WriteContext,
): Write => ({ collection, rows, action, executor: database, dialect });

/** A write of several statements: all of them or none. */
export const inTransaction = <Result>(
  { keys, ...write }: Write & { readonly keys: readonly Key[] },
  context: WriteContext,
  body: (inside: InsideContext) => Promise<Result>,
): Promise<Result> => {
  const guard = context.guard();
  const failing: InsideContext['failing'] = { write };
  const written: Written[] = [];
  const run = (executor: Executor): Promise<Result> => body({ ...context, executor, failing, written });
  return explainFailure(
    () => failing.write,
    () =>
      context.database.transaction(async (executor) => {
        await guard.before(keys, executor);
        const result = await run(executor);
        await guard.after(written, executor);
        return result;
      }),
  );
};

interface Step extends Pick<Written, 'collection' | 'action'> {
  readonly rows: readonly WriteRow[];
  readonly lists: readonly ListWrite[];
}

/**
 * Writes the rows by `run`, which gives their keys as far as they are told, then their lists.
 * @throws UNPROCESSABLE_ENTITY for lists of rows whose key is not told
 */
export const writeStep = async (
  { collection, action, rows, lists }: Step,
  context: InsideContext,
  run: () => Promise<readonly Key[] | null>,
): Promise<readonly Key[] | null> => {
  const { failing, written } = context;
  failing.write = toWrite({ collection, rows, action }, context);
  const keys = await run();
  if (keys === null && lists.length > 0) throw unknownKey(collection);
  written.push(...toWritten({ collection, action, rows, lists }, keys ?? rows.map(() => [])));
  for (const list of lists) {
    // an update says the same of all its rows
    const owners = action === 'create' ? keys?.slice(list.row, list.row + 1) : keys;
    await context.writeList(list, { collection, keys: owners ?? [] }, context);
  }
  return keys;
};

const unknownKey = ({ name, key }: Collection): Error =>
  unprocessable(
    `the database makes the key of "${name}" and does not tell it: give ${key.map((field) => `"${field.name}"`).join(' and ')}`,
  );

/** Rows that are made name fields of their own; an update says the same of all its rows. */
const toWritten = ({ collection, action, rows, lists }: Step, keys: readonly Key[]): readonly Written[] =>
  rows.flatMap((row, index) => {
    const named = lists.filter((list) => list.row === index).map(({ relation }) => relation.name);
    const fields = [...row.keys(), ...named];
    if (action === 'update' && fields.length === 0) return [];
    return [{ collection, action, fields, keys: action === 'update' ? keys : keys.slice(index, index + 1) }];
  });
