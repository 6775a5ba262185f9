/** Filters on lists and on items of many-to-any relations as plans: without a database, every form once. */
import { describe, expect, it } from 'vitest';
import { messageOf } from './member-plans.js';
import { planOf, statementOf, type ReadPermission } from './compiled.js';

type Query = Readonly<Record<string, unknown>>;

const whereOf = (collection: string, filter: Query, permissions?: readonly ReadPermission[]): string =>
  statementOf(collection, { fields: ['*'], limit: -1, filter }, { permissions })
    .replace(/^.*? where /, '')
    .replace(/ order by .*? -- | order by .*$/, ' | ')
    .replaceAll('"', '');

const some = (condition: string): string =>
  `exists (select 1 from note t1 where t1.book = t0.code${condition})`;

describe('a filter on a list', () => {
  it.each<[Query, string]>([
    [{ _eq: 5 }, `${some(' and t1.id = ?')} | 5n`],
    [{ _in: [5, 6] }, `${some(' and t1.id in (?, ?)')} | 5n, 6n`],
    [{ _neq: 5 }, `not (${some(' and t1.id = ?')}) | 5n`],
    [{ _nin: [5, 6] }, `not (${some(' and t1.id in (?, ?)')}) | 5n, 6n`],
    [{ _null: true }, `not (${some('')}) | `],
    [{ _null: false }, `${some('')} | `],
    [{ _nnull: true }, `${some('')} | `],
    [{ id: { _null: true } }, `not (${some('')}) | `],
    [{ id: { _nnull: false } }, `not (${some('')}) | `],
    [{ id: { _null: false } }, `${some(' and not (t1.id is null)')} | `],
    [{ text: { _null: true } }, `${some(' and t1.text is null')} | `],
    [{ _some: { id: { _null: true } } }, `${some(' and t1.id is null')} | `],
    [{ id: { _null: true }, text: 'a' }, `${some(' and (t1.id is null and t1.text = ?)')} | a`],
    [{ _eq: 5, _null: false }, `(${some(' and t1.id = ?')} and ${some('').replaceAll('t1', 't2')}) | 5n`],
  ])('%j', (filter, expected) => {
    expect(whereOf('book', { notes: filter })).toBe(expected);
  });

  it('on the key is no test for an empty list in a rule, nor where the key has several parts', () => {
    const ruled = [
      { collection: 'book', permissions: { notes: { id: { _null: true } } } },
      { collection: 'note' },
    ];
    expect(whereOf('book', {}, ruled)).toContain(some(' and t1.id is null'));
    expect(whereOf('book', { loans: { book: { _null: true } } })).toContain('t1.book is null');
  });

  it.each<[Query, string]>([
    [{ notes: { _gt: 5 } }, '"_gt" cannot compare the list "notes"'],
    [{ loans: { _eq: 'a' } }, '"_eq" cannot compare the list "loans"'],
    [{ shelf: { _some: { label: 'a' } } }, '"_some" needs a to-many relation; "shelf" leads to one item'],
    [{ shelf: { _none: { label: 'a' } } }, '"_none" needs a to-many relation; "shelf" leads to one item'],
    [{ title: { _some: { label: 'a' } } }, '"title" does not support the operator "_some"'],
  ])('%j is rejected', (filter, message) => {
    expect(messageOf(() => planOf('book', { filter }))).toContain(message);
  });

  it('names fields of the related collection where they may not be used', () => {
    const permissions = [{ collection: 'book' }];
    for (const filter of [{ notes: { text: 'a' } }, { notes: { _null: true } }, { shelf: { label: 'a' } }])
      expect(messageOf(() => planOf('book', { filter }, { permissions }))).toMatch(/"(?:notes|shelf)/);
    const keyless = [{ collection: 'book' }, { collection: 'note', fields: ['text'] }];
    const byKey = { notes: { id: { _null: true } } };
    expect(messageOf(() => planOf('book', { filter: byKey }, { permissions: keyless }))).toContain(
      '"notes.id"',
    );
  });
});

describe('a filter on the item of a many-to-any relation', () => {
  it('tests of which target the item is', () => {
    expect(whereOf('odd', { 'target:book': { title: 'a' } })).toBe(
      '(t0.kind = ? and t1.title = ?) | book, book, a',
    );
  });
});
