/** Rows of a JSON array, and what is refused before it begins. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readJsonArray } from '../../../runtime/transfers/source/json-array.js';
import { maxRowBytes } from '../../../runtime/transfers/source/row.js';
import { collectionOf } from './compiled.js';

const naming = { mapping: {}, collection: collectionOf('book') };

const read = async (...chunks: readonly (readonly number[] | string)[]): Promise<unknown> => {
  const open = async () => Readable.from(chunks.map((chunk) => Buffer.from(chunk as string)));
  const items: unknown[] = [];
  for await (const { item } of readJsonArray(open, { position: 0, line: 0 }, naming)) items.push(item);
  return items;
};

it.each([
  ['nothing', []],
  ['a byte order mark', [[0xef, 0xbb, 0xbf]]],
  ['a byte order mark in two pieces', [[0xef], [0xbb, 0xbf]]],
  ['a byte order mark and blanks', [[0xef, 0xbb, 0xbf, 0x20, 0x0a]]],
])('an array may begin after %s', async (_, before) => {
  expect(await read(...before, '[{"a":1}]')).toEqual([{ a: 1 }]);
});

it.each([
  ['part of a byte order mark', [0xef, 0xbb]],
  ['its bytes in another order', [0xbf, 0xbb, 0xef]],
  ['one of its bytes', [0xbb]],
  ['two byte order marks', [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf]],
  ['a byte order mark after a blank', [0x20, 0xef, 0xbb, 0xbf]],
  ['a blank within a byte order mark', [0xef, 0xbb, 0x20, 0xbf]],
])('an array may not begin after %s', async (_, before) => {
  await expect(read(before, '[{"a":1}]')).rejects.toThrow('an array "[" is expected');
});

describe('an object of an array', () => {
  const part = 'x'.repeat(maxRowBytes / 4);

  it('may have as many bytes as a row, however many chunks it comes in, and so may the next', async () => {
    const open = '{"a":"';
    // what comes with the end of an object is not kept
    const rest = 'x'.repeat(maxRowBytes / 4 - open.length);
    const object = [open, part, part, part, rest, '"}'];
    const items = (await read('[', ...object, ',', ...object, ']')) as { a: string }[];
    expect(items.map(({ a }) => a.length)).toEqual([maxRowBytes - open.length, maxRowBytes - open.length]);
  });

  it('is refused as soon as it is longer, with the line on which it begins', async () => {
    const chunks = ['[\n{"b":1},\n', '{"a":"', part, part, part, part];
    const error = await read(...chunks).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: `the object is longer than ${maxRowBytes} bytes`, line: 3 });
  });
});
