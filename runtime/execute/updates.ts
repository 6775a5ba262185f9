/** Updates of several rows with values of their own: which of them are checked together. */
import { usesOwnRowOnly } from '../plan/own-row.js';
import type { Condition } from '../plan/types.js';
import type { Key, UpdatePlan } from '../plan/write-plan.js';
import { chunk } from './chunk.js';
import { requireRowPermission, type RowsContext } from './row-locks.js';
import { distinctKeys, keyText } from './stored-keys.js';
import type { TransactionContext } from './write-transaction.js';

/** Keys per statement. */
export const maxKeys = 1_000;

/** The update of one row. */
export interface RowUpdate {
  readonly plan: UpdatePlan;
  readonly key: Key;
}

/** Checks and locks the rows of updates in one collection, those with the same condition together. @throws FORBIDDEN */
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
    for (const part of chunk(keys, maxKeys)) await requireRowPermission({ collection, where }, part, context);
  }
};

/**
 * Splits updates, in order, into runs of those that may all be checked before the first of them is written: none of them
 * changes a row that the check of another reads. Keys are as stored.
 */
export const toRuns = (
  updates: readonly RowUpdate[],
  { sharesStatements }: Pick<TransactionContext, 'sharesStatements'>,
): readonly (readonly RowUpdate[])[] => {
  const runs: RowUpdate[][] = [];
  let known: Set<string> | null = null;
  for (const update of updates) {
    const key = keyText(update.key);
    const isPlain = sharesStatements && writesOwnRowOnly(update.plan);
    if (isPlain && known !== null && !known.has(key)) {
      known.add(key);
      runs.at(-1)?.push(update);
    } else {
      known = isPlain ? new Set([key]) : null;
      runs.push([update]);
    }
  }
  return runs;
};

const writesOwnRowOnly = ({ parents, lists, where }: UpdatePlan): boolean =>
  parents.length === 0 && lists.length === 0 && usesOwnRowOnly(where);
