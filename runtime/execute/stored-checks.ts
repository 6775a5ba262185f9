/** Validates stored rows of a write, in its transaction, against the rules of the permissions it requires. */
import { missingItem } from '../plan/item.js';
import { checkStored } from '../plan/row-validation.js';
import { updateCondition } from '../plan/update-condition.js';
import { conditionTrue } from '../plan/types.js';
import type { Scalar } from '../plan/parsed-value.js';
import { readValue } from '../plan/values.js';
import type { CreatePlan, Key, UpdatePlan } from '../plan/write-plan.js';
import type { Collection, Field } from '../../contract/collection.js';
import { compileColumnsByTuples } from '../sql/write.js';
import { chunk } from './chunk.js';
import { requireRowPermission, toKey, type RowsContext } from './row-locks.js';
import { keyText } from './stored-keys.js';

/** Rows per statement. */
const batchSize = 500;

/** Validates inserted rows. @throws FAILED_VALIDATION, FORBIDDEN where a trigger removed the row */
export const checkCreated = async (
  { collection, rows, stored }: CreatePlan,
  keys: readonly Key[],
  context: RowsContext,
): Promise<void> => {
  for (const group of groupByColumns(stored).flatMap((checks) => chunk(checks, batchSize))) {
    const columns = group[0]?.check.columns ?? [];
    const keyOf = ({ rowIndex }: RowCheck): Key => keys[rowIndex] as Key;
    const found = await readStored(collection, { columns, keys: group.map(keyOf) }, context);
    const byKey = new Map(found.map((row) => [keyText(row.key), row]));
    for (const each of group) {
      const key = keyOf(each);
      // the database may spell a given key in its own way
      const row =
        byKey.get(keyText(key)) ?? (await readStored(collection, { columns, keys: [key] }, context))[0];
      if (row === undefined) throw missingItem(collection);
      checkStored(each.check, row.values, rows[each.rowIndex] ?? new Map());
    }
  }
};

type RowCheck = CreatePlan['stored'][number];

/** Groups checks that read the same columns. */
const groupByColumns = (checks: readonly RowCheck[]): readonly (readonly RowCheck[])[] => {
  const groups = new Map<string, RowCheck[]>();
  for (const each of checks) {
    const columns = JSON.stringify(each.check.columns.map(({ name }) => name));
    const group = groups.get(columns);
    if (group === undefined) groups.set(columns, [each]);
    else group.push(each);
  }
  return [...groups.values()];
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
  const { text, values } = compileColumnsByTuples(collection, fields, matches);
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
