/** The keys of the rows that a write changes, in chunks: a write by query may meet more than fit in memory as objects. */
import type { Collection } from '../../contract/collection.js';
import { readKey } from '../plan/item.js';
import type { PayloadLocation } from '../plan/problem-collection.js';
import type { Key } from '../plan/write-plan.js';
import { chunk } from './chunk.js';

export interface KeyList {
  readonly count: number;
  /** Returns the keys in order, at most `size` at a time; may be called several times. */
  chunks(size: number): Iterable<readonly Key[]>;
  /** Returns where the request has a key; absent where it has none of them. */
  readonly locate?: LocateKey | undefined;
}

/** Returns where a request has a key. */
export type LocateKey = (key: Key) => PayloadLocation;

/** Creates a list of keys that are in memory already. */
export const keyList = (keys: readonly Key[], locate?: LocateKey): KeyList => ({
  count: keys.length,
  chunks: (size) => chunk(keys, size),
  ...(locate !== undefined && { locate }),
});

/** Returns the key of a list of one; null for others. */
export const onlyKey = (keys: KeyList): Key | null => {
  if (keys.count !== 1) return null;
  for (const [key] of keys.chunks(1)) return key ?? null;
  return null;
};

/** Returns the keys of rows that consist of the key fields; keeps them as JSON, which takes a fraction of the memory. */
export const keyListOfRows = (collection: Collection, rows: Buffer, count: number): KeyList => ({
  count,
  *chunks(size) {
    for (const part of splitRows(rows, size)) {
      const found = JSON.parse(`[${part.toString()}]`) as Readonly<Record<string, unknown>>[];
      yield found.map((row) =>
        readKey(
          collection,
          collection.key.map(({ name }) => row[name]),
        ),
      );
    }
  },
});

const quote = 0x22;
const backslash = 0x5c;
const closingBrace = 0x7d;

/** Splits comma-separated JSON objects without nested ones into parts of at most `size`. */
function* splitRows(rows: Buffer, size: number): Generator<Buffer> {
  let start = 0;
  let count = 0;
  let isInText = false;
  for (let at = 0; at < rows.length; at += 1) {
    const byte = rows[at];
    if (byte === quote) isInText = !isInText;
    else if (isInText) at += byte === backslash ? 1 : 0;
    else if (byte === closingBrace && (count += 1) === size) {
      yield rows.subarray(start, at + 1);
      start = at + 2;
      count = 0;
    }
  }
  if (start < rows.length) yield rows.subarray(start);
}
