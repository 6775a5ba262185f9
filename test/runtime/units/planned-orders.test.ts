/** Orders of queries and of nested lists as plans. */
import { describe, expect, it } from 'vitest';
import { planOf, type CompileOptions } from './compiled.js';
import { reasonOf } from './refusals.js';

type Query = Readonly<Record<string, unknown>>;

/** The columns that a query sorts by. */
const orderOf = (collection: string, query: Query, options: CompileOptions = {}): readonly string[] =>
  planOf(collection, query, options).order.map(
    ({ column, descending }) =>
      `${descending ? '-' : ''}${[...column.path.map(({ relation }) => relation.name), column.field.name].join('/')}`,
  );

describe('an order', () => {
  it('is that of the collection or of its key', () => {
    expect(orderOf('odd', {})).toEqual(['v1.0', 'id']);
    expect(orderOf('loan', {})).toEqual(['book', 'day']);
  });

  it('is that of the readable columns if the key is hidden', () => {
    expect(orderOf('note', {}, { permissions: [{ collection: 'note', fields: ['text', 'book'] }] })).toEqual([
      'book',
      'text',
    ]);
    expect(orderOf('loan', {}, { permissions: [{ collection: 'loan', fields: ['day', 'reader'] }] })).toEqual(
      ['day', 'reader'],
    );
    expect(orderOf('odd', {}, { permissions: [{ collection: 'odd', fields: ['id'] }] })).toEqual(['id']);
    expect(orderOf('log', {})).toEqual(['line']);
    expect(orderOf('item', {})).toEqual(['id']);
  });

  it('of a view is that of its statement', () => {
    expect(orderOf('sums', {})).toEqual([]);
    expect(orderOf('sums', { sort: ['count'] })).toEqual(['count']);
  });

  it('continues with the rest of the key, or with the readable columns if that is hidden', () => {
    expect(orderOf('loan', { sort: ['-day'] })).toEqual(['-day', 'book']);
    const permissions = [{ collection: 'loan', fields: ['day', 'reader'] }];
    expect(orderOf('loan', { sort: ['reader'] }, { permissions })).toEqual(['reader', 'day']);
  });

  it('of readable columns omits those that cannot be sorted by', () => {
    const fields = ['pages', 'cover', 'facts', 'secret', 'pin'];
    expect(orderOf('book', {}, { permissions: [{ collection: 'book', fields }] })).toEqual(['pages']);
  });

  it('by the key of a related row continues with the own key', () => {
    expect(orderOf('fine', { sort: ['loan.book', 'id'] })).toEqual(['loan/book', 'id']);
    expect(orderOf('loan', { sort: ['book.title'] })).toEqual(['book/title', 'book', 'day']);
    expect(orderOf('note', { sort: ['book.sequel.code'] })).toEqual(['book/sequel/code', 'id']);
  });

  it('supports columns and relations with dots and signs in their names', () => {
    expect(orderOf('odd', { sort: ['a.b.c', '-v1.0'] })).toEqual(['a.b.c', '-v1.0', 'id']);
    expect(orderOf('odd', { sort: ['-x'] })).toEqual(['-x', 'id']);
    expect(orderOf('odd', { sort: ['--x'] })).toEqual(['--x', 'id']);
    expect(orderOf('odd', { sort: ['x'] })).toEqual(['x', 'id']);
    expect(planOf('odd', { sort: ['-x'] }).order[0]?.descending).toBe(false);
    expect(orderOf('odd', { sort: ['-shelf.label'] })).toEqual(['-shelf/label', 'id']);
    const hidden = [{ collection: 'odd', fields: ['id', 'x'] }];
    expect(
      planOf('odd', { fields: ['id'], sort: ['-x'] }, { permissions: hidden }).order[0]?.descending,
    ).toBe(true);
  });
});

it.each([
  ['book', 'title.x', 'FORBIDDEN: the field "title" does not exist or may not be used'],
  ['book', 'nothing.x', 'FORBIDDEN: the field "nothing" does not exist or may not be used'],
  ['book', 'notes.text', 'INVALID_QUERY: "sort" cannot follow the list "notes"'],
  ['odd', 'target.title', 'INVALID_QUERY: "sort" takes "target" with a collection, as in "target:book"'],
])('an order of %s does not follow %s', (collection, path, reason) => {
  expect(reasonOf(() => planOf(collection, { sort: [path] }))).toBe(reason);
});

/** The columns by which each nested list is sorted; `~`: rows without a value come last. */
const nestedOrders = (collection: string, query: Query, options: CompileOptions = {}) => {
  const { select } = planOf(collection, query, options);
  const lists = select.kind === 'key' ? [] : select.entries.filter((entry) => entry.kind === 'many');
  return lists.map(({ plan }) =>
    plan.order.map(({ column, nullsLast }) => `${nullsLast === true ? '~' : ''}${column.field.name}`).join(),
  );
};

describe('the order of a nested list', () => {
  it('is that of its sort field, or of its collection', () => {
    expect(nestedOrders('book', { fields: ['loans.reader', 'notes.text'] })).toEqual(['~day,book', 'id']);
  });

  it('is that of the query for the named list', () => {
    const query = { fields: ['notes.text', 'loans.reader'], deep: { loans: { _sort: ['reader'] } } };
    expect(nestedOrders('book', query)).toEqual(['id', 'reader,book,day']);
    expect(nestedOrders('book', { ...query, deep: { notes: { _sort: ['text'] } } })).toEqual([
      'text,id',
      '~day,book',
    ]);
  });

  it('is not by a sort field that the caller cannot read', () => {
    const permissions = [{ collection: 'crate' }, { collection: 'tag', fields: ['id', 'crate'] }];
    expect(nestedOrders('crate', { fields: ['tags.id'] }, { permissions })).toEqual(['id']);
  });
});
