/** Entries are created once, and the oldest leaves when there are too many. */
import { expect, it } from 'vitest';
import { findOrCreate } from '../../../runtime/concurrency/bounded-map.js';

it('creates entries once, up to a maximum', () => {
  const texts = new Map<string, string>();
  const created: string[] = [];
  const find = (key: string) =>
    findOrCreate(texts, { key, maximum: 2 }, () => {
      created.push(key);
      return key.toUpperCase();
    });
  expect(['a', 'b', 'a', 'b'].map(find)).toEqual(['A', 'B', 'A', 'B']);
  expect(created).toEqual(['a', 'b']);
  for (const key of ['c', 'b', 'c', 'a']) find(key);
  expect(created).toEqual(['a', 'b', 'c', 'a']);
  expect([...texts.keys()]).toEqual(['c', 'a']);
});

it('keeps nothing where creating fails', () => {
  const texts = new Map([['a', 'A']]);
  const fail = () =>
    findOrCreate(texts, { key: 'b', maximum: 1 }, () => {
      throw new Error('no text');
    });
  expect(fail).toThrow('no text');
  expect([...texts.keys()]).toEqual(['a']);
});
