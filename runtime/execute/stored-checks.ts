/** Validates stored rows of a write, in its transaction, against the rules of the permissions it requires. */
import { missingItem } from '../plan/item.js';
import { checkStored } from '../plan/row-validation.js';
import { updateCondition } from '../plan/update-condition.js';
import { conditionTrue } from '../plan/types.js';
import type { Scalar } from '../plan/parsed-value.js';
import { readValue } from '../plan/values.js';
import type { CreatePlan, Key, UpdatePlan } from '../plan/write-plan.js';
import type { Collection, Field } from '../../contract/collection.js';
import { compileColumns } from '../sql/write.js';
import { requireRowPermission, toKey, type RowsContext } from './row-locks.js';

/** Validates inserted rows. @throws FAILED_VALIDATION, FORBIDDEN where a trigger removed the row */
export const checkCreated = async (
  { collection, rows, stored }: CreatePlan,
  keys: readonly Key[],
  context: RowsContext,
): Promise<void> => {
  for (const { rowIndex, check } of stored) {
    const { columns } = check;
    const [found] = await readStored(
      collection,
      { columns, keys: keys.slice(rowIndex, rowIndex + 1) },
      context,
    );
    if (found === undefined) throw missingItem(collection);
    checkStored(check, found.values, rows[rowIndex] ?? new Map());
  }
};

/**
 * Locks rows and validates them as the update will store them. A row that passes by fewer permissions than the plan
 * needs the row conditions of those. @throws FAILED_VALIDATION, FORBIDDEN
 */
export const checkUpdated = async (
  { collection, row, grant, stored, writtenNames }: UpdatePlan,
  keys: readonly Key[],
  context: RowsContext,
): Promise<void> => {
  if (stored === null) return;
  for (const { key, values } of await readStored(collection, { columns: stored.columns, keys }, context)) {
    const remaining = checkStored(stored, values, row);
    if (remaining === grant) continue;
    const where = updateCondition(remaining, writtenNames, stored.context.writing);
    await requireRowPermission({ collection, where }, [key], context);
  }
};

interface StoredRow {
  readonly key: Key;
  readonly values: ReadonlyMap<string, Scalar | null>;
}

/** Reads and locks fields of stored rows. */
export const readStored = async (
  collection: Collection,
  { columns, keys }: { readonly columns: readonly Field[]; readonly keys: readonly Key[] },
  context: RowsContext,
): Promise<readonly StoredRow[]> => {
  const fields = [...new Set([...collection.key, ...columns])];
  const matches = { fields: collection.key, tuples: keys, where: conditionTrue, ...context };
  const { text, values } = compileColumns(collection, fields, matches);
  const rows = await context.executor.query(text, values);
  return rows.map((row) => ({
    key: toKey(collection, row),
    values: new Map(columns.map((field) => [field.name, toStoredScalar(field, row[field.name])])),
  }));
};

/** Parses a stored value; what is not valid for its field is compared as the database returns it. */
const toStoredScalar = (field: Field, value: unknown): Scalar | null => {
  if (value === null) return null;
  const read = readValue(field, value);
  return read.ok ? read.value : String(value);
};
