/** Filters as conditions: on related items, on lists, and on items of several collections. */
import { describe, expect, it } from 'vitest';
import { planOf, type ReadPermission } from './compiled.js';
import { planOf as planOfBlocks } from './event-plans.js';
import { printCondition } from './printed-conditions.js';
import { reasonOf } from './refusals.js';

type Query = Readonly<Record<string, unknown>>;

const bookFilter = (filter: Query, permissions?: readonly ReadPermission[]): string =>
  printCondition(planOf('book', { fields: ['title'], filter }, { permissions }).where);

const blockFilter = (filter: Query, permissions?: readonly ReadPermission[]): string =>
  printCondition(planOfBlocks('block', { fields: ['id'], filter }, permissions && { permissions }).where);

describe('a filter on a related item', () => {
  it.each<[Query, string]>([
    [{ shelf: { label: { _eq: 'a' } } }, 'shelf.label eq value 0'],
    [{ shelf: { label: { _eq: 'a' }, _nnull: true } }, '(shelf.label eq value 0 and not shelf is null)'],
    [
      { title: { _eq: 'a' }, shelf: { _nnull: true, label: { _eq: 'a' } } },
      '(title eq value 0 and (not shelf is null and shelf.label eq value 1))',
    ],
    [
      { shelf: { _or: [{ _null: true }, { label: { _eq: 'a' } }] } },
      '(shelf is null or shelf.label eq value 0)',
    ],
    [{ shelf: { _or: [] } }, 'true'],
    [{ shelf: { _and: [] } }, 'true'],
  ])('may be beside one on its key: %j', (filter, want) => {
    expect(bookFilter(filter)).toBe(want);
  });
});

const noteFilter = (query: Query, permissions?: readonly ReadPermission[]) =>
  planOf('note', { fields: ['text'], ...query }, { permissions }).where;

it('a function of a related item is that of a rule only in a permission', () => {
  const filter = { book: { 'year(bought)': { _eq: 2020 } } };
  const permissions = [{ collection: 'note', permissions: filter }, { collection: 'book' }];
  expect(noteFilter({ filter })).toMatchObject({ column: { inRule: false } });
  expect(noteFilter({}, permissions)).toMatchObject({ column: { inRule: true } });
});

describe('a filter on a field', () => {
  it.each<[Query, string]>([
    [{ title: { _or: [] } }, '_or'],
    [{ title: { _like: { a: 1 } } }, '_like'],
    [{ title: { _none: { a: 1 } } }, '_none'],
  ])('takes operators of values only: %j', (filter, operator) => {
    expect(reasonOf(() => bookFilter(filter))).toBe(
      `INVALID_QUERY: "title" does not support the operator "${operator}"`,
    );
  });
});

it('a field without texts is empty where it is null', () => {
  const filter = { hidden: { _empty: true } };
  expect(printCondition(planOfBlocks('event', { fields: ['id'], filter }).where)).toBe('hidden is null');
});

describe('a filter on a list', () => {
  it.each<[Query, string]>([
    [{ notes: { text: { _null: true } } }, 'some(notes: text is null)'],
    [{ notes: { id: { _eq: 1 } } }, 'some(notes: id eq value 0)'],
    [{ notes: { id: { _nnull: true } } }, 'some(notes: not id is null)'],
    [{ loans: { day: { _null: true } } }, 'some(loans: day is null)'],
    [
      { _and: [{ notes: { _or: [{ text: 'a' }, { text: 'b' }] } }, { notes: { id: 1 } }] },
      'some(notes: ((text eq value 0 or text eq value 1) and id eq value 2))',
    ],
  ])('finds books with a row: %j', (filter, want) => {
    expect(bookFilter(filter)).toBe(want);
  });

  it('finds books without rows where it asks for a key of null, unless it is a permission', () => {
    const filter = { notes: { id: { _null: true } } };
    expect(bookFilter(filter)).toBe('not some(notes: true)');
    expect(bookFilter({}, [{ collection: 'book', permissions: filter }, { collection: 'note' }])).toBe(
      'some(notes: id is null)',
    );
  });

  it('has either fields or quantifiers', () => {
    expect(reasonOf(() => bookFilter({ notes: { text: 'a', _some: { text: 'b' } } }))).toBe(
      'INVALID_QUERY: "_some" stands directly below a to-many relation only',
    );
  });

  it('finds rows that the caller may read, where the list is visible', () => {
    const permissions = [
      { collection: 'book', fields: ['title'] },
      { collection: 'book', fields: ['notes'], permissions: { title: { _eq: 'a' } } },
      { collection: 'note', permissions: { text: { _eq: 'b' } } },
    ];
    expect(bookFilter({ notes: { id: { _eq: 1 } } }, permissions)).toBe(
      '(at(row: title eq "a") and some(notes: (text eq "b" and id eq value 0)))',
    );
  });
});

describe('a filter on an item of several collections', () => {
  const filter = { item: { id: { _eq: 5 } } };
  const block = { collection: 'block' };
  const song = { collection: 'song' };
  const both =
    '((kind eq "album" and item:album.id eq value 0) or (kind eq "song" and item:song.id eq value 0))';

  it('finds that of each collection', () => {
    expect(blockFilter(filter)).toBe(both);
    expect(blockFilter({ 'item:song': { name: { _eq: 'a' } } })).toBe(
      '(kind eq "song" and item:song.name eq value 0)',
    );
  });

  it('finds that of the collections that the caller may read', () => {
    expect(blockFilter(filter, [block, song])).toBe('(kind eq "song" and item:song.id eq value 0)');
    expect(reasonOf(() => blockFilter(filter, [block]))).toBe(
      'FORBIDDEN: the field "item" does not exist or may not be used',
    );
  });

  it('finds that of every collection in a permission', () => {
    expect(blockFilter({}, [{ ...block, permissions: filter }])).toBe(both.replaceAll('value 0', '5'));
  });
});
