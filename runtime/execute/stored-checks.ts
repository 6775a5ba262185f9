/** Validates stored rows of a write, in its transaction, against the rules of the permissions it requires. */
import { listsField, type ParsedPermission } from '../access/grant.js';
import { missingItem } from '../plan/item.js';
import { checkStored } from '../plan/row-validation.js';
import { permissionCondition } from '../plan/update-condition.js';
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

/** The keys, as text, of the rows to which each permission applied before an update. */
export type Covered = ReadonlyMap<ParsedPermission, ReadonlySet<string>>;

/** Reads, before the update, what `checkUpdated` has to know of the rows: nothing where only one permission applies. */
export const findCovered = async (
  { collection, grant, stored }: UpdatePlan,
  keys: readonly Key[],
  context: RowsContext,
): Promise<Covered> => {
  const covered = new Map<ParsedPermission, ReadonlySet<string>>();
  if (stored === null || grant.permissions.length < 2) return covered;
  for (const permission of grant.permissions) {
    const where = permissionCondition(permission, grant, stored.context.writing);
    const matches = { fields: collection.key, tuples: keys, where, ...context };
    const { text, values } = compileColumnsByTuples(collection, collection.key, matches);
    const rows = await context.executor.query(text, values);
    covered.set(permission, new Set(rows.map((row) => keyText(toKey(collection, row)))));
  }
  return covered;
};

/**
 * Validates rows as an update has stored them, with what the database computes. A row that passes by fewer permissions than
 * the plan had to be covered by those before. @throws FAILED_VALIDATION, FORBIDDEN
 */
export const checkUpdated = async (
  { collection, row, grant, stored, writtenNames }: UpdatePlan,
  { keys, covered }: { readonly keys: readonly Key[]; readonly covered: Covered },
  context: RowsContext,
): Promise<void> => {
  if (stored === null) return;
  const found = await readStored(collection, { columns: stored.columns, keys }, context);
  // a trigger may have removed a row, or changed its key; two keys may be spellings of one row
  if (found.length < keys.length)
    await requireRowPermission({ collection, where: conditionTrue }, keys, context);
  for (const { key, values } of found) {
    const { permissions } = checkStored(stored, values, row);
    if (grant.permissions.every((each) => permissions.includes(each))) continue;
    const covering = permissions.filter((each) => covered.get(each)?.has(keyText(key)));
    const isCovered = writtenNames.every((name) => covering.some((each) => listsField(each, name)));
    if (covering.length === 0 || !isCovered) throw missingItem(collection);
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
