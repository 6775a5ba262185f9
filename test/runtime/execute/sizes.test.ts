/** Limits of what is joined in memory, and the sizes of its buffers. */
import { expect, it } from 'vitest';
import { ByteWriter, limitBytes } from '../../../runtime/execute/bytes.js';
import { sizeHint, rememberSize } from '../../../runtime/execute/size-hints.js';

it('limits a response to 256 MB', () => {
  const most = 256 * 1024 * 1024;
  expect(limitBytes(most)).toBe(most);
  expect(() => limitBytes(most + 1)).toThrow('256 MB');
});

it('reserves the size of the largest response of a statement', () => {
  expect(sizeHint('select 1 as sizes_test')).toBe(1_024);
  for (const [size, hint] of [
    [5_000, 5_512],
    [100, 5_512],
    [5_512, 5_512],
    [9_000, 9_512],
  ] as const) {
    rememberSize('select 1 as sizes_test', size);
    expect(sizeHint('select 1 as sizes_test')).toBe(hint);
  }
  expect(sizeHint('select 2 as sizes_test')).toBe(1_024);
});

const writeRows = (size: number) => {
  const writer = new ByteWriter(size);
  const first = writer.bytes;
  for (let row = 0; row < 20; row += 1) {
    writer.reserve(6_000);
    writer.ascii('x'.repeat(500));
  }
  return { needed: writer.neededSize, hasGrown: writer.bytes !== first };
};

it('needs no second buffer where the first has the needed size', () => {
  const { needed, hasGrown } = writeRows(1_024);
  expect([hasGrown, writeRows(needed)]).toEqual([true, { needed, hasGrown: false }]);
});

it('remembers the sizes of a thousand statements', () => {
  for (let each = 0; each <= 1_000; each += 1) rememberSize(`select ${each} as sizes_test_c`, 5_000);
  expect([sizeHint('select 0 as sizes_test_c'), sizeHint('select 1 as sizes_test_c')]).toEqual([
    1_024, 5_512,
  ]);
});
