/**
 * Resolves keys, and values of other unique fields, to the stored keys of their rows: databases accept other spellings of
 * a value, such as `1.5` for `1.50` or `A` for `a`.
 */
import type { Collection, Field } from '../../contract/collection.js';
import { fieldTypes } from '../../contract/field-types.js';
import { readKey } from '../plan/item.js';
import { conditionTrue, type Condition } from '../plan/types.js';
import { compileKeyMatches } from '../sql/write.js';
import { chunk } from './chunk.js';
import type { Key } from '../plan/write-plan.js';
import type { RowsContext } from './row-locks.js';

/** Stored keys by the text of the given key. */
export type StoredKeys = ReadonlyMap<string, Key>;

/** Returns a key as the text by which keys are compared in maps and sets. */
export const keyText = (key: Key): string => JSON.stringify(key);

/** Returns whether a key of the collection may be spelled differently from its stored form. */
export const hasAlternativeSpellings = ({ key }: Collection): boolean =>
  key.some(({ type }) => fieldTypes[type].canonical !== true);

/** Keys per statement; each is bound twice. */
const batchSize = 200;

interface Rows {
  readonly collection: Collection;
  readonly where?: Condition;
  /** Unique fields whose values are given in place of keys. */
  readonly fields?: readonly Field[];
  /** True where the rows are locked; they are when absent. */
  readonly isLocked?: boolean;
}

/**
 * Returns the stored keys of the rows that the given keys identify and that meet the condition. Keys without
 * a row are absent. A row that several keys identify is returned for the first of them, and the others are
 * queried again.
 */
export const findStoredKeys = async (
  rows: Rows,
  keys: readonly Key[],
  context: RowsContext,
): Promise<StoredKeys> => {
  const stored = new Map<string, Key>();
  for (const part of chunk(keys, batchSize)) {
    let pending = part;
    let found: StoredKeys;
    do {
      found = await findFirstMatches(rows, pending, context);
      for (const [given, key] of found) stored.set(given, key);
      pending = pending.filter((key) => !stored.has(keyText(key)));
    } while (found.size > 0 && pending.length > 0);
  }
  return stored;
};

const findFirstMatches = async (
  { collection, where = conditionTrue, fields = collection.key, isLocked = true }: Rows,
  keys: readonly Key[],
  context: RowsContext,
): Promise<StoredKeys> => {
  const { text, values } = compileKeyMatches(collection, {
    ...context,
    fields,
    tuples: keys,
    where,
    isLocked,
  });
  const rows = await context.executor.query(text, values);
  const given = rows.filter((row) => row.named !== null);
  return new Map(given.map((row) => [keyText(keys[Number(row.named)] ?? []), toStored(collection, row)]));
};

const toStored = (collection: Collection, row: Readonly<Record<string, unknown>>): Key =>
  readKey(
    collection,
    collection.key.map((_, index) => readBit(row[`k${index}`], collection.key[index])),
  );

/** Returns a BIT of a boolean field, which drivers return as bytes, as a number; other values as they are. */
const readBit = (value: unknown, field: Field | undefined): unknown =>
  field?.type === 'boolean' && Buffer.isBuffer(value) ? value.at(-1) : value;

/** Returns the keys without duplicates. */
export const distinctKeys = (keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [keyText(key), key])).values(),
];
