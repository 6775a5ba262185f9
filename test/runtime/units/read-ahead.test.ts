import { expect, it } from 'vitest';
import { readAhead } from '../../../runtime/concurrency/read-ahead.js';

it('reads the next value while the caller works on the one before, and no further', async () => {
  const read: number[] = [];
  const values = async function* (): AsyncGenerator<number> {
    for (let value = 1; value <= 3; value++) {
      read.push(value);
      yield value;
    }
  };
  const seen: unknown[] = [];
  for await (const value of readAhead(values())) {
    await new Promise(setImmediate);
    seen.push([value, [...read]]);
  }
  expect(seen).toEqual([
    [1, [1, 2]],
    [2, [1, 2, 3]],
    [3, [1, 2, 3]],
  ]);
});

async function* untilError(): AsyncGenerator<number> {
  yield 1;
  throw new Error('unreadable');
}

it('throws an error after the values before it', async () => {
  const seen: number[] = [];
  const read = async (): Promise<void> => {
    for await (const value of readAhead(untilError())) {
      await new Promise(setImmediate);
      seen.push(value);
    }
  };
  await expect(read()).rejects.toThrow('unreadable');
  expect(seen).toEqual([1]);
});

it('ends what it reads where the caller ends, also where the next value could not be read', async () => {
  let isEnded = false;
  const values = async function* (): AsyncGenerator<number> {
    try {
      yield 1;
      throw new Error('unreadable');
    } finally {
      isEnded = true;
    }
  };
  for await (const value of readAhead(values())) {
    expect(value).toBe(1);
    break;
  }
  expect(isEnded).toBe(true);
});
