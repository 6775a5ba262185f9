/** Keys that are kept as JSON and read in chunks. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection } from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { keyList, keyListOfRows, onlyKey } from '../../../runtime/execute/key-list.js';

const { collections } = createRegistry([
  defineCollection({
    name: 'seat',
    path: null,
    key: ['row', 'place'],
    fields: { row: integer(), place: string() },
  }),
]);
const seat = collections.get('seat') as NonNullable<ReturnType<typeof collections.get>>;

const listOf = (keys: readonly (readonly [number, string])[]) => {
  const rows = keys.map(([row, place]) => JSON.stringify({ row, place })).join(',');
  return keyListOfRows(seat, Buffer.from(rows), keys.length);
};

describe('keys of selected rows', () => {
  const keys = [
    [1, 'a'],
    [2, '}, {"'],
    [3, 'back\\"slash\\'],
    [4, 'é{'],
    [5, ''],
  ] as const;

  it.each([1, 2, 3, 4, 5, 6])('are read in order, %s at a time, and again', (size) => {
    const list = listOf(keys);
    for (const chunks of [[...list.chunks(size)], [...list.chunks(size)]]) {
      expect(chunks.flat()).toEqual(keys);
      expect(
        chunks
          .map(({ length }) => length)
          .every((length, index) => index === chunks.length - 1 || length === size),
      ).toBe(true);
    }
    expect(list.count).toBe(5);
  });

  it('are none where no row is selected', () => {
    expect([...listOf([]).chunks(2)]).toEqual([]);
    expect([...keyList([]).chunks(2)]).toEqual([]);
  });

  it('have an only key where there is one', () => {
    expect(onlyKey(listOf([[1, 'a']]))).toEqual([1, 'a']);
    expect(onlyKey(keyList([[1]]))).toEqual([1]);
    expect(onlyKey(listOf(keys))).toBeNull();
    expect(onlyKey(keyList([]))).toBeNull();
  });
});
