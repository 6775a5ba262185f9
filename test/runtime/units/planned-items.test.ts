/** Reads of items by their keys. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../contract/errors.js';
import {
  missingItem,
  readKey,
  restrictToFirst,
  restrictToItem,
  restrictToItems,
  splitKeyValue,
} from '../../../runtime/plan/item.js';
import { collectionOf, compile, render, type CompileOptions } from './compiled.js';

type Query = Readonly<Record<string, unknown>>;

const itemStatement = (
  query: Query,
  restrict: NonNullable<CompileOptions['restrict']>,
  keys: readonly unknown[],
) => {
  const { read, values } = compile('loan', { fields: ['reader'], ...query }, { restrict });
  return [render(read.rows.statement, values, keys), read.counts.length];
};

describe('an item', () => {
  const loan = collectionOf('loan');

  it('is read by the parts of its key, each of its type', () => {
    expect(readKey(loan, ['a', '2020-01-02T10:00:00Z'])).toEqual(['a', '2020-01-02']);
    expect(readKey(collectionOf('note'), ['5'])).toEqual([5]);
  });

  it.each([[['a']], [['a', '2020-01-02', 'b']], [['a', 'today']]])(
    'is not found by an invalid key: %j',
    (parts) => {
      expect(() => readKey(loan, parts)).toThrow(
        'the item of "loan" does not exist or may not be used this way',
      );
      expect(missingItem(loan)).toBeInstanceOf(ApiError);
    },
  );

  it('has the same key format in body and path', () => {
    expect(splitKeyValue(loan, 'a%2Cb,2020-01-02')).toEqual(['a,b', '2020-01-02']);
    expect(splitKeyValue(loan, 5)).toEqual([5]);
    expect(splitKeyValue(collectionOf('book'), 'a,b')).toEqual(['a,b']);
  });

  it('is read without order, page and counts', () => {
    const query = { sort: ['reader'], limit: 5, offset: 3, page: 2, meta: ['*'], filter: { reader: 'x' } };
    expect(itemStatement(query, restrictToItem, ['a', '2020-01-02'])).toEqual([
      'select t0."reader" from "loan" t0 where ((t0."book" = ? and t0."day" = ?) and t0."reader" = ?)' +
        ' -- "a", "2020-01-02", "x"',
      0,
    ]);
  });

  it('is read with others in their order', () => {
    expect(
      itemStatement({}, (plan) => restrictToItems(plan, 2), ['a', '2020-01-02', 'b', '2020-01-03']),
    ).toEqual([
      'select t0."reader" from "loan" t0 where ((t0."book" = ? and t0."day" = ?) or (t0."book" = ? and t0."day" = ?))' +
        ' order by t0."book", t0."day" limit ? -- "a", "2020-01-02", "b", "2020-01-03", 100n',
      0,
    ]);
  });

  it('is the first of a singleton', () => {
    const query = { limit: 5, offset: 3, page: 2, meta: ['*'] };
    expect(itemStatement(query, restrictToFirst, [])).toEqual([
      'select t0."reader" from "loan" t0 order by t0."book", t0."day" limit ? -- 1n',
      0,
    ]);
  });
});
