/** Reads that find everything by key, and columns that need no more than parsing. */
import { describe, expect, it } from 'vitest';
import { readsByKey } from '../../../runtime/plan/own-row.js';
import { plainColumns } from '../../../runtime/plan/plain-columns.js';
import { conditionTrue, type Entry, type ReadPlan } from '../../../runtime/plan/types.js';
import { collectionOf, planOf, policiesOf, type ReadPermission } from './compiled.js';
import { collectionOf as memberCollectionOf, policiesOf as memberPoliciesOf } from './member-plans.js';

type Query = Readonly<Record<string, unknown>>;

const finds = (collection: string, query: Query, permissions?: readonly ReadPermission[]): boolean =>
  readsByKey({ ...planOf(collection, query, { permissions }), byKey: true });

/** Permissions of books of which one field is visible on some rows only. */
const someBooks = (field: string, permissions: Query): readonly ReadPermission[] => [
  { collection: 'book', fields: ['title', 'secret', 'shelf', 'notes'].filter((name) => name !== field) },
  { collection: 'book', fields: [field], permissions },
  { collection: 'shelf' },
  { collection: 'note' },
];

const ownRule = { title: { _eq: 'a' } };
const ruleOfOthers = { shelf: { label: { _eq: 'a' } } };
const shelvesBy = (permissions: Query): readonly ReadPermission[] => [
  { collection: 'book' },
  { collection: 'shelf', permissions },
];

const withFilter = (filter: Query) => ({ fields: ['shelf.label'], deep: { shelf: { _filter: filter } } });

describe('a read finds its rows by key', () => {
  it('if it is one by key', () => {
    const plan = planOf('book', { fields: ['title'] });
    expect(readsByKey(plan)).toBe(false);
    expect(readsByKey({ ...plan, byKey: true })).toBe(true);
  });

  it.each<[string, Query, boolean]>([
    ['its own columns', { title: { _eq: 'a' } }, true],
    ['no other row', { _or: [{ title: { _null: true } }, { secret: { _empty: true } }] }, true],
    ['no other row, in a negation', { title: { _nnull: true } }, true],
    ['a related item', { shelf: { label: { _eq: 'a' } } }, false],
    [
      'a related item among others',
      { _and: [{ title: { _eq: 'a' } }, { shelf: { label: { _null: true } } }] },
      false,
    ],
    ['a list', { notes: { text: { _eq: 'a' } } }, false],
  ])('if its condition is on %s: %j', (_, filter, want) => {
    expect(finds('book', { fields: ['title'], filter })).toBe(want);
  });

  it.each<[string, string, string]>([
    ['a field', 'title', 'title'],
    ['a list', 'notes', 'notes'],
    ['a related item', 'shelf', 'shelf.label'],
  ])('if the visibility of %s depends on its own row', (_, field, selected) => {
    expect(finds('book', { fields: [selected] })).toBe(true);
    expect(finds('book', { fields: [selected] }, someBooks(field, { pages: { _gt: 1 } }))).toBe(true);
    expect(finds('book', { fields: [selected] }, someBooks(field, ruleOfOthers))).toBe(false);
  });

  it('if related items are visible by their own columns', () => {
    const fields = ['shelf.label'];
    expect(finds('book', { fields }, shelvesBy({ label: { _eq: 'a' } }))).toBe(true);
    expect(finds('book', { fields }, [...shelvesBy({ books: { title: { _eq: 'a' } } })])).toBe(false);
  });

  it('if related items are filtered by their own columns', () => {
    expect(finds('book', withFilter({ label: { _eq: 'a' } }))).toBe(true);
    expect(finds('book', withFilter({ books: ownRule }))).toBe(false);
  });

  it('if the same is true of everything below it', () => {
    const fields = ['book.shelf.label', 'book.title'];
    const others = [...someBooks('title', ruleOfOthers)];
    expect(finds('note', { fields })).toBe(true);
    expect(finds('note', { fields }, others)).toBe(false);
  });
});

/** Whether a read by key, of nothing but these entries, finds its rows. */
const findsEntries = (...entries: readonly Entry[]): boolean => {
  const plan: ReadPlan = { ...planOf('book', {}), byKey: true, where: conditionTrue };
  return readsByKey({ ...plan, select: { kind: 'object', entries } });
};

const below = (permissions: Query): Entry => ({
  kind: 'group',
  name: 'group',
  select: planOf('book', { fields: ['title'] }, { permissions: someBooks('title', permissions) }).select,
});

it('a constant needs no row, and an object without a row of its own what is in it', () => {
  const constant: Entry = { kind: 'constant', name: 'a', json: '1' };
  expect(findsEntries(constant)).toBe(true);
  expect(findsEntries(constant, below({ pages: { _gt: 1 } }))).toBe(true);
  expect(findsEntries(constant, below(ruleOfOthers))).toBe(false);
});

const keyed = (rule: ReadPlan['where'] | null): boolean =>
  readsByKey({ ...planOf('book', {}), byKey: true, select: { kind: 'key', fields: [], rule } });

it('a bare key needs its own row, unless its visibility depends on others', () => {
  const { where } = planOf('book', { filter: ruleOfOthers });
  expect([keyed(null), keyed(conditionTrue), keyed(where)]).toEqual([true, true, false]);
});

const plainOf = (name: string, fields?: readonly string[]): readonly string[] => {
  const policies = memberPoliciesOf(name, fields && [{ fields }]);
  const grant = policies.grant(memberCollectionOf(name), 'create');
  return grant === null ? [] : [...plainColumns(grant).keys()];
};

describe('columns that are only parsed', () => {
  it('are those that are neither the key nor computed nor read-only', () => {
    expect(plainOf('member', ['*'])).toEqual([
      'name',
      'age',
      'fee',
      'joined',
      'secret',
      'pin',
      'level',
      'code',
      'nick',
      'team',
    ]);
    expect(plainOf('pair', ['*'])).toEqual(['weight']);
  });

  it('include read-only ones for administrators', () => {
    expect(plainOf('member')).toContain('status');
  });

  it('are those that the caller may write', () => {
    expect(plainOf('member', ['id', 'age', 'tag', 'status'])).toEqual(['age']);
  });

  it('are not those of a relation to several collections', () => {
    const grant = policiesOf().grant(collectionOf('odd'), 'create');
    const names = grant === null ? [] : [...plainColumns(grant).keys()];
    expect(names).toContain('-shelf');
    expect(names).not.toContain('target');
  });

  it('are found once per grant', () => {
    const grant = policiesOf().grant(collectionOf('book'), 'create');
    expect(grant && plainColumns(grant)).toBe(grant && plainColumns(grant));
  });
});
