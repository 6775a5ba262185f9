/** Keys as they are stored: databases take other spellings for the same key, as `1.5` for `1.50` or `A` for `a`. */
import type { Collection } from '../../contract/collection.js';
import { fieldTypes } from '../../contract/field-types.js';
import { readKey } from '../plan/item.js';
import { conditionTrue, type Condition } from '../plan/types.js';
import { compileNamed } from '../sql/write.js';
import { chunk } from './chunk.js';
import type { Key } from '../plan/write-plan.js';
import type { RowsContext } from './row-locks.js';

/** Keys as text, each with the key that it means, as it is stored. */
export type StoredKeys = ReadonlyMap<string, Key>;

export const keyText = (key: Key): string => JSON.stringify(key);

/** Whether a key of the collection may be spelled otherwise than it is stored. */
export const hasSpellings = ({ key }: Collection): boolean =>
  key.some(({ type }) => fieldTypes[type].canonical !== true);

/** Keys per statement, which holds each of them twice. */
const together = 200;

interface Rows {
  readonly collection: Collection;
  readonly where?: Condition;
}

/**
 * What the named keys mean to the database, of the rows that pass. Those that are missing mean no row.
 * A row that several of the keys mean comes with the first of them: the others are asked for again.
 */
export const findStoredKeys = async (
  rows: Rows,
  keys: readonly Key[],
  context: RowsContext,
): Promise<StoredKeys> => {
  const stored = new Map<string, Key>();
  for (const part of chunk(keys, together)) {
    let asked = part;
    let found: StoredKeys;
    do {
      found = await findFirstNamed(rows, asked, context);
      for (const [named, key] of found) stored.set(named, key);
      asked = asked.filter((key) => !stored.has(keyText(key)));
    } while (found.size > 0 && asked.length > 0);
  }
  return stored;
};

const findFirstNamed = async (
  { collection, where = conditionTrue }: Rows,
  keys: readonly Key[],
  context: RowsContext,
): Promise<StoredKeys> => {
  const { text, values } = compileNamed(collection, { ...context, keys, where });
  const rows = await context.executor.query(text, values);
  const named = rows.filter((row) => row.named !== null);
  return new Map(named.map((row) => [keyText(keys[Number(row.named)] ?? []), toStored(collection, row)]));
};

const toStored = (collection: Collection, row: Readonly<Record<string, unknown>>): Key =>
  readKey(
    collection,
    collection.key.map((_, index) => row[`k${index}`]),
  );

/** Each key once. */
export const distinctKeys = (keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [keyText(key), key])).values(),
];
