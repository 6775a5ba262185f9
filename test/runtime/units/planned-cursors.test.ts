/** Pages by keyset as conditions on the sort keys. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../contract/errors.js';
import { canPage, planCursor } from '../../../runtime/plan/cursor.js';
import {
  conditionFalse,
  type ColumnRef,
  type Condition,
  type ReadPlan,
} from '../../../runtime/plan/types.js';
import { fieldOf, planOf, type ReadPermission } from './compiled.js';

type Query = Readonly<Record<string, unknown>>;

/** Prints a condition; `k0` is the first bound key. */
const print = (condition: Condition): string => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return `(${condition.conditions.map(print).join(condition.kind === 'and' ? ' and ' : ' or ')})`;
    case 'not':
      return `not ${print(condition.condition)}`;
    case 'null':
      return `${condition.column.field.name} null`;
    case 'compare': {
      const { column, operator, operand } = condition;
      return `${column.field.name} ${operator} ${operand.from === 'cursor' ? `k${operand.index}` : operand.from}`;
    }
    default:
      return condition.kind;
  }
};

const after = (plan: ReadPlan, nulls: readonly boolean[] | null): string =>
  print(planCursor(plan, nulls).cursor?.after ?? conditionFalse);

const reasonOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${String(error.details.reason)}`;
    throw error;
  }
  return null;
};

/** Leaves out the brackets. */
const flat = (text: string): string => text.replaceAll(/[()]/g, '');

const withFirstColumn = ({ order, ...plan }: ReadPlan, changes: Partial<ColumnRef>): ReadPlan => ({
  ...plan,
  order: order.map((each, index) =>
    index === 0 ? { ...each, column: { ...each.column, ...changes } } : each,
  ),
});

/** Makes the first sort key an enum. */
const withEnum = (plan: ReadPlan): ReadPlan => {
  const [first] = plan.order;
  if (first === undefined) throw new Error('the plan has no order');
  return withFirstColumn(plan, { field: { ...first.column.field, values: ['a', 'b'] } });
};

describe('the rows after', () => {
  it.each<[string, Query, readonly boolean[], string]>([
    ['one key', {}, [false], 'code gt k0'],
    ['a descending key', { sort: ['-code'] }, [false], 'code lt k0'],
    [
      'two keys',
      { sort: ['title', '-code'] },
      [false, false],
      '(title gt k0 or title eq k0) and (title gt k0 or (title eq k0 and code lt k1))',
    ],
    [
      'three keys',
      { sort: ['pages', 'title', 'code'] },
      [false, false, false],
      '(pages gt k0 or pages eq k0) and (pages gt k0 or (pages eq k0 and title gt k1)' +
        ' or (pages eq k0 and title eq k1 and code gt k2))',
    ],
    [
      'a key that may be null, descending: null is the smallest',
      { sort: ['-bought', 'code'] },
      [false, false],
      '((bought lt k0 or bought null) or bought eq k0)' +
        ' and ((bought lt k0 or bought null) or (bought eq k0 and code gt k1))',
    ],
    [
      'null, with one bound key less',
      { sort: ['bought', 'code'] },
      [true, false],
      '(not bought null or bought null) and (not bought null or (bought null and code gt k0))',
    ],
    [
      'null, descending',
      { sort: ['-bought', 'code'] },
      [true, false],
      'bought null and (bought null and code gt k0)',
    ],
  ])('%s', (_, query, nulls, want) => {
    expect(flat(after(planOf('book', query), nulls))).toBe(flat(want));
  });

  it('a key of a related row may be without value, as the row may be missing', () => {
    const plan = planOf('note', { sort: ['-book.title', 'id'] });
    expect(after(plan, [false, false])).toContain('title null');
    expect(after(planOf('book', { sort: ['-title', 'code'] }), [false, false])).not.toContain('null');
  });

  it('a key that is hidden in some rows may be without value', () => {
    const permissions: ReadPermission[] = [
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['title'], permissions: { lent: { _eq: true } } },
    ];
    const plan = planOf('book', { fields: ['code'], sort: ['-title', 'code'] }, { permissions });
    expect(after(plan, [false, false])).toContain('title null');
  });

  it('an enum that may be null includes the rows without a value', () => {
    const plan = withEnum(planOf('shelf', { sort: ['-genre', 'id'] }));
    expect(after(plan, [false, false])).toContain('genre null');
    expect(
      after(withFirstColumn(plan, { field: { name: 'genre', type: 'string', values: ['a'] } }), [
        false,
        false,
      ]),
    ).not.toContain('null');
  });

  it('no row are all rows, in the order of the cursor', () => {
    const { cursor } = planCursor(planOf('note', { sort: ['-book.title'] }), null);
    expect(cursor?.order).toBe('["note",["book","title",null,true],["id",null,false]]');
    expect(print(cursor?.after ?? conditionFalse)).toBe('true');
  });
});

it('the key of an enum is the position of its value', () => {
  const { cursor } = planCursor(withEnum(planOf('shelf', { sort: ['-genre', 'id'] })), [false, false]);
  expect(cursor?.keys.map(({ column: { field, computed } }) => [field.name, field.type, computed])).toEqual([
    ['genre', 'integer', { kind: 'position', source: expect.objectContaining({ values: ['a', 'b'] }) }],
    ['id', 'integer', undefined],
  ]);
  expect(cursor?.order).toBe('["shelf",["genre",null,true],["id",null,false]]');
});

const orderIn = (zone: string): unknown =>
  planCursor(
    withFirstColumn(planOf('loan', { sort: ['year(day)'] }), {
      computed: { kind: 'part', part: 'year', source: fieldOf('loan', 'day'), zone },
    }),
    null,
  ).cursor?.order;

it('the order of a cursor differs by the time zone of a part', () => {
  expect(orderIn('UTC')).toBe('["loan",["year(day)","UTC",false],["book",null,false],["day",null,false]]');
  expect(orderIn('Asia/Tokyo')).toContain('Asia/Tokyo');
});

describe('a cursor is refused', () => {
  const total = 'which cannot be read or does not exist';
  const foreign = '"after" must be the cursor of a page of the same collection with the same "sort"';

  it.each<[string, () => ReadPlan, readonly boolean[] | null, string]>([
    ['without a key', () => planOf('log', {}), null, `a cursor needs the key of "log", ${total}`],
    [
      'where the key is hidden',
      () => planOf('loan', {}, { permissions: [{ collection: 'loan', fields: ['day', 'reader'] }] }),
      null,
      `a cursor needs the key of "loan", ${total}`,
    ],
    [
      'where the key is hidden in some rows',
      () =>
        planOf(
          'note',
          { fields: ['text'], sort: ['text', 'id'] },
          {
            permissions: [
              { collection: 'note', fields: ['text'] },
              { collection: 'note', fields: ['id'], permissions: { text: { _eq: 'a' } } },
            ],
          },
        ),
      null,
      `a cursor needs the key of "note", ${total}`,
    ],
    [
      'for a type that does not compare as it sorts',
      () => planOf('book', { sort: ['cover', 'code'] }),
      null,
      'a cursor cannot follow the order of "cover" (binary)',
    ],
    [
      'with offset',
      () => planOf('book', { offset: 1 }),
      [false],
      '"after" takes the place of "offset" and "page"',
    ],
    [
      'with page',
      () => planOf('book', { page: 2 }),
      [false],
      '"after" takes the place of "offset" and "page"',
    ],
    ['with another number of keys', () => planOf('book', {}), [false, false], foreign],
  ])('%s', (_, plan, nulls, reason) => {
    expect(reasonOf(() => planCursor(plan(), nulls))).toBe(`INVALID_QUERY: ${reason}`);
  });

  it('never on the first page for an offset', () => {
    expect(reasonOf(() => planCursor(planOf('book', { offset: 1 }), null))).toBeNull();
  });
});

it('pages by keyset need a total order of comparable keys', () => {
  expect(canPage(planOf('book', {}))).toBe(true);
  expect(canPage(planOf('book', { sort: ['-title'] }))).toBe(true);
  expect(canPage(planOf('book', { sort: ['cover'] }))).toBe(false);
  expect(canPage(withEnum(planOf('shelf', { sort: ['genre'] })))).toBe(true);
  expect(canPage(planOf('log', {}))).toBe(false);
  expect(canPage(planOf('fine', { sort: ['loan.book'] }))).toBe(true);
  // the key of a related row is not that of the row
  const permissions = [{ collection: 'odd', fields: ['-shelf'] }, { collection: 'shelf' }];
  expect(canPage(planOf('odd', { fields: ['-shelf'], sort: ['-shelf.id'] }, { permissions }))).toBe(false);
});
