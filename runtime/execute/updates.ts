/** Updates of several rows with values of their own: which of them are checked, and which are written, together. */
import type { Collection } from '../../contract/collection.js';
import type { ApiError } from '../../contract/errors.js';
import { missingItem } from '../plan/item.js';
import { usesOwnRowOnly } from '../plan/own-row.js';
import { locate, type PayloadLocation } from '../plan/problem-collection.js';
import type { Condition } from '../plan/types.js';
import type { Key, UpdatePlan } from '../plan/write-plan.js';
import { compileUpdates } from '../sql/write.js';
import { chunk } from './chunk.js';
import { groupByColumns, maxValues } from './insert.js';
import { isRowPermitted, type RowsContext } from './row-locks.js';
import { distinctKeys, findStoredKeys, keyText } from './stored-keys.js';
import { runShared, toWrite, type TransactionContext } from './write-transaction.js';

/** Keys per statement. */
export const maxKeys = 1_000;

/** The update of one row. */
export interface RowUpdate {
  readonly plan: UpdatePlan;
  readonly key: Key;
  /** Where the payload names the row, if not where the values of the plan are. */
  readonly location?: PayloadLocation;
}

/**
 * Checks and locks the rows of updates in one collection, those with the same condition together.
 * @throws FORBIDDEN with the place of the first row that is missing or may not be written
 */
export const requirePermissions = async (
  updates: readonly RowUpdate[],
  context: RowsContext,
): Promise<void> => {
  const groups = new Map<Condition, RowUpdate[]>();
  for (const update of updates) {
    const group = groups.get(update.plan.where);
    if (group === undefined) groups.set(update.plan.where, [update]);
    else group.push(update);
  }
  for (const [where, group] of groups) {
    const collection = (group[0] as RowUpdate).plan.collection;
    const keys = distinctKeys(group.map(({ key }) => key));
    for (const part of chunk(keys, maxKeys))
      if (!(await isRowPermitted({ collection, where }, part, context)))
        throw await refusalOf(collection, [...groups], { updates, context });
  }
};

/** Returns the error of the first update, in order, whose row is missing or may not be written. */
const refusalOf = async (
  collection: Collection,
  groups: readonly (readonly [Condition, readonly RowUpdate[]])[],
  { updates, context }: { readonly updates: readonly RowUpdate[]; readonly context: RowsContext },
): Promise<ApiError> => {
  const refused = new Set<RowUpdate>();
  for (const [where, group] of groups) {
    const keys = distinctKeys(group.map(({ key }) => key));
    const permitted = await findStoredKeys({ collection, where }, keys, context);
    for (const update of group) if (!permitted.has(keyText(update.key))) refused.add(update);
  }
  const first = updates.find((update) => refused.has(update));
  const error = missingItem(collection);
  return first === undefined ? error : locate(error, first.location ?? first.plan.location);
};

/**
 * Splits updates, in order, into runs of those that `mayShare` allows to be treated together, each of another row; any other
 * is a run of its own. Keys are as stored.
 */
const toRuns = (
  updates: readonly RowUpdate[],
  mayShare: (plan: UpdatePlan) => boolean,
): readonly (readonly RowUpdate[])[] => {
  const runs: RowUpdate[][] = [];
  let known: Set<string> | null = null;
  for (const update of updates) {
    const key = keyText(update.key);
    const isShared = mayShare(update.plan);
    if (isShared && known !== null && !known.has(key)) {
      known.add(key);
      runs.at(-1)?.push(update);
    } else {
      known = isShared ? new Set([key]) : null;
      runs.push([update]);
    }
  }
  return runs;
};

/**
 * Splits updates into runs that may be checked before the first of them is written: none of them changes a row that the check
 * of another reads.
 */
export const toCheckedRuns = (
  updates: readonly RowUpdate[],
  { sharesStatements }: TransactionContext,
): readonly (readonly RowUpdate[])[] =>
  toRuns(updates, (plan) => sharesStatements && isAlone(plan) && usesOwnRowOnly(plan.where));

/**
 * Splits updates into runs that statements for several rows may write: without checks of the stored row; without values that
 * must be unique, and triggers, for which the order of the rows matters; and without bytes, which not every type takes from an
 * expression.
 */
export const toWrittenRuns = (
  updates: readonly RowUpdate[],
  { sharesStatements }: TransactionContext,
): readonly (readonly RowUpdate[])[] => {
  const collection = updates[0]?.plan.collection;
  if (collection === undefined) return [];
  const { key, uniques, triggers, fields } = collection;
  const unique = new Set([...key.map(({ name }) => name), ...[...uniques.values()].flat()]);
  const isSharable = (name: string): boolean => !unique.has(name) && fields.get(name)?.type !== 'binary';
  return toRuns(
    updates,
    (plan) =>
      sharesStatements &&
      !triggers &&
      isAlone(plan) &&
      plan.stored === null &&
      plan.row.size > 0 &&
      [...plan.row.keys()].every(isSharable),
  );
};

/** Returns whether an update writes no related rows. */
const isAlone = ({ parents, lists }: UpdatePlan): boolean => parents.length === 0 && lists.length === 0;

/** Rows per statement, which compares each of them with the keys of the others. */
const maxRows = 100;

/** Updates a run of rows that are locked and known to be permitted. */
export const writeRun = async (run: readonly RowUpdate[], context: TransactionContext): Promise<void> => {
  const { executor, dialect, current, written } = context;
  const [last] = run.slice(-1);
  if (last === undefined) return;
  const { collection } = last.plan;
  current.write = toWrite(
    { collection, rows: [last.plan.row], locations: [last.plan.location], action: 'update' },
    context,
  );
  const rows = run.map(({ plan, key }) => ({ key, row: plan.row }));
  await runShared(run, context, async () => {
    for (const group of groupByColumns(rows.map(({ row }) => row))) {
      const values = (1 + collection.key.length) * (1 + (rows[group[0] ?? 0]?.row.size ?? 0));
      for (const part of chunk(group, Math.min(maxRows, Math.floor(maxValues / values)))) {
        const keyed = part.flatMap((index) => rows[index] ?? []);
        await executor.write(compileUpdates(collection, keyed, dialect));
      }
    }
  });
  for (const { key, row } of rows)
    written.push({ collection, action: 'update', fields: [...row.keys()], keys: [key] });
};
