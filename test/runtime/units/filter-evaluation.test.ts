/** Filters on payloads: the validation of fields and of permissions. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection, type Collection } from '../../../contract/collection.js';
import {
  binary,
  boolean,
  date,
  decimal,
  float,
  integer,
  json,
  string,
  text,
  timestamp,
} from '../../../contract/fields.js';
import { evaluateFilter, evaluateRule, type Failure } from '../../../runtime/plan/filter-evaluation.js';
import { parseFilter } from '../../../runtime/request/filter.js';
import type { Rule } from '../../../runtime/access/grant.js';
import { createMatcher } from '../../../runtime/plan/matcher.js';

const things = createRegistry([
  defineCollection({
    name: 'thing',
    path: '/items/thing',
    key: ['id'],
    fields: {
      id: integer(),
      name: string(),
      email: string({ lowerCase: true }),
      about: text(),
      count: integer(),
      price: decimal({ scale: 2 }),
      open: boolean(),
      day: date(),
      moment: timestamp({ fraction: 0 }),
      facts: json(),
      code: string({ length: 3 }),
      ratio: float(),
      cover: binary(),
    },
  }),
]).collections.get('thing') as Collection;

type Filters = Readonly<Record<string, unknown>>;

interface Options {
  readonly nullPasses?: boolean;
}

const variables = new Map<unknown, unknown>([
  ['$ROLES', ['a', 'b']],
  ['$NOBODY', null],
  ['$NONE', []],
  ['$NOTHING', undefined],
]);

const contextOf = (payload: Filters, { nullPasses = false }: Options = {}) => ({
  collection: things,
  payload: new Map(Object.entries(payload)),
  nullPasses,
  resolve: (value: unknown) => (variables.has(value) ? variables.get(value) : value),
  matches: createMatcher(),
});

const failuresOf = (filter: Filters, payload: Filters, options?: Options): readonly Failure[] => {
  const values: unknown[] = [];
  const parsed = parseFilter(filter, values);
  return evaluateFilter(parsed, { ...contextOf(payload, options), values });
};

const passes = (filter: Filters, payload: Filters, options?: Options): boolean =>
  failuresOf(filter, payload, options).length === 0;

/** A value of a field, an operator with its operand, and whether the value passes. */
type Row = readonly [field: string, value: unknown, filter: Filters, want: boolean];

const tables: Readonly<Record<string, readonly Row[]>> = {
  equality: [
    ['name', 'a', { _eq: 'a' }, true],
    ['name', 'a', { _eq: 'A' }, false],
    ['name', 'a', { _neq: 'b' }, true],
    ['name', 'a', { _neq: 'a' }, false],
    ['count', 5, { _eq: '5' }, true],
    ['count', 5, { _eq: 'five' }, false],
    ['count', 5, { _neq: 'five' }, false],
    ['open', true, { _eq: 'true' }, true],
    ['open', true, { _eq: 'perhaps' }, false],
    ['email', 'a@b.c', { _eq: 'A@B.C' }, true],
    ['facts', { a: 1 }, { _eq: '{"a":1}' }, true],
  ],
  lists: [
    ['name', 'b', { _in: ['a', 'b'] }, true],
    ['name', 'c', { _in: ['a', 'b'] }, false],
    ['name', 'c', { _nin: ['a', 'b'] }, true],
    ['name', 'b', { _nin: ['a', 'b'] }, false],
    ['name', 'b', { _in: ['$ROLES'] }, true],
    ['name', 'c', { _in: ['$ROLES'] }, false],
    ['count', 5, { _in: ['five', 5] }, true],
    ['count', 6, { _nin: ['five', 5] }, false],
  ],
  order: [
    ['count', 5, { _lt: 6 }, true],
    ['count', 6, { _lt: 6 }, false],
    ['count', 6, { _lte: 6 }, true],
    ['count', 7, { _lte: 6 }, false],
    ['count', 7, { _gt: 6 }, true],
    ['count', 6, { _gt: 6 }, false],
    ['count', 6, { _gte: 6 }, true],
    ['count', 5, { _gte: 6 }, false],
    ['count', 5, { _gt: 'five' }, false],
    ['count', 5, { _gte: 'five' }, false],
    ['count', 5, { _lte: 'five' }, false],
    ['day', '2024-01-02', { _lt: '2024-01-10' }, true],
    ['day', '2024-01-10', { _lt: '2024-01-02' }, false],
    ['day', '2024-01-02', { _gt: 'yesterday' }, false],
    ['moment', '2024-01-02 01:00:00', { _gte: '2024-01-02T03:00:00+02:00' }, true],
  ],
  'variables without a value': [
    ['name', 'null', { _eq: '$NOBODY' }, false],
    ['name', 'a', { _neq: '$NOBODY' }, false],
    ['name', 'undefined', { _eq: '$NOTHING' }, false],
    ['count', 0, { _eq: '$NOBODY' }, false],
    ['count', 5, { _gt: '$NOBODY' }, false],
    ['name', 'null', { _contains: '$NOBODY' }, false],
    ['name', 'undefined', { _contains: '$NOTHING' }, false],
    ['name', 'a', { _ncontains: '$NOBODY' }, false],
    ['name', 'a', { _ncontains: '$NOTHING' }, false],
    ['name', 'a', { _nin: ['$NONE'] }, false],
  ],
  'long operands': [
    ['code', 'abc', { _lt: 'abcd' }, true],
    ['code', 'abc', { _neq: 'abcd' }, true],
  ],
  'binary values': [
    ['cover', Buffer.from('abc'), { _eq: 'YWJj' }, true],
    ['cover', Buffer.from('abd'), { _eq: 'YWJj' }, false],
    ['cover', Buffer.from('abc'), { _starts_with: 'YWJ' }, true],
  ],
  ranges: [
    ['count', 5, { _between: [5, 7] }, true],
    ['count', 7, { _between: [5, 7] }, true],
    ['count', 4, { _between: [5, 7] }, false],
    ['count', 8, { _between: [5, 7] }, false],
    ['count', 8, { _nbetween: [5, 7] }, true],
    ['count', 6, { _nbetween: [5, 7] }, false],
    ['count', 6, { _nbetween: ['five', 7] }, false],
    ['count', 6, { _between: [5, 'seven'] }, false],
    ['count', 6, { _between: ['five', 7] }, false],
    ['count', 6, { _nbetween: ['five', 3] }, false],
  ],
  texts: [
    ['name', 'abc', { _contains: 'b' }, true],
    ['name', 'abc', { _contains: 'B' }, false],
    ['name', 'abc', { _icontains: 'B' }, true],
    ['name', 'abc', { _ncontains: 'b' }, false],
    ['name', 'abc', { _ncontains: 'd' }, true],
    ['name', 'abc', { _starts_with: 'a' }, true],
    ['name', 'abc', { _starts_with: 'b' }, false],
    ['name', 'abc', { _istarts_with: 'A' }, true],
    ['name', 'abc', { _istarts_with: 'B' }, false],
    ['name', 'abc', { _ends_with: 'c' }, true],
    ['name', 'abc', { _ends_with: 'b' }, false],
    ['name', 'abc', { _iends_with: 'C' }, true],
    ['name', 'abc', { _iends_with: 'B' }, false],
    ['name', 'ABC', { _icontains: 'b' }, true],
  ],
  patterns: [
    ['name', 'abc', { _regex: '^a.c$' }, true],
    ['name', 'abcd', { _regex: '^a.c$' }, false],
    ['name', '\u{1f600}', { _regex: '^.$' }, true],
    ['name', '-', { _regex: '^[\\w-.]$' }, true],
    ['name', '(', { _regex: '(' }, false],
    ['name', null, { _regex: 'null' }, false],
  ],
  nulls: [
    ['name', null, { _null: true }, true],
    ['name', 'a', { _null: true }, false],
    ['name', 'a', { _nnull: true }, true],
    ['name', null, { _nnull: true }, false],
    ['name', null, { _empty: true }, true],
    ['name', '', { _empty: true }, true],
    ['name', 'a', { _empty: true }, false],
    ['name', 'a', { _nempty: true }, true],
    ['name', '', { _nempty: true }, false],
    ['name', null, { _nempty: true }, false],
    ['name', null, { _eq: 'null' }, false],
    ['name', null, { _neq: 'a' }, false],
    ['name', null, { _contains: 'u' }, false],
    ['count', null, { _lt: 5 }, false],
    ['count', null, { _gt: -5 }, false],
    ['count', null, { _between: [-1, 1] }, false],
  ],
};

describe.each(Object.entries(tables))('%s', (_, rows) => {
  it.each(rows)('%s: %j passes %j: %s', (field, value, filter, want) => {
    expect(passes({ [field]: filter }, { [field]: value })).toBe(want);
  });
});

describe('numbers', () => {
  it.each<[unknown, string, unknown, boolean]>([
    ['1.10', '_eq', '1.1', true],
    ['0.1', '_eq', 0.1, true],
    ['-1.5', '_lt', '-1.25', true],
    ['-1.25', '_lt', '-1.5', false],
    ['9007199254740993', '_eq', '9007199254740992', false],
    ['9007199254740993', '_gt', '9007199254740992', true],
    ['10', '_gt', '9', true],
    ['.5', '_eq', '0.5', true],
    ['+5', '_eq', ' 5. ', true],
    ['100', '_eq', '1e2', true],
    ['100', '_lt', '1e3', true],
    ['1000', '_lt', '1e2', false],
    ['0', '_eq', ' ', false],
    ['0', '_eq', '', false],
    ['0.12345678901234567891', '_eq', '0.12345678901234567892', false],
    ['.12345678901234567891', '_eq', '0.12345678901234567892', false],
    ['12345678901234567891', '_eq', '12345678901234567892.', false],
    ['0', '_eq', false, false],
    ['5', '_eq', '5x', false],
    ['5', '_eq', 'x5', false],
    ['5', '_neq', '.', false],
  ])('are compared digit by digit: %s %s %j is %s', (value, operator, operand, want) => {
    expect(passes({ price: { [operator]: operand } }, { price: value })).toBe(want);
  });
});

it('a number with an exponent is compared as a double', () => {
  expect(passes({ ratio: { _gt: 5 } }, { ratio: 1e21 })).toBe(true);
  expect(passes({ ratio: { _lt: '1e22' } }, { ratio: 1e21 })).toBe(true);
});

describe('null, where a field is validated', () => {
  it.each(['_eq', '_lt', '_contains', '_regex', '_in'])('passes %s', (operator) => {
    const operand = operator === '_in' ? ['a'] : 'a';
    expect(passes({ name: { [operator]: operand } }, { name: null }, { nullPasses: true })).toBe(true);
    expect(passes({ name: { [operator]: operand } }, { name: 'b' }, { nullPasses: true })).toBe(false);
  });

  it('fails conditions that test for null', () => {
    expect(passes({ name: { _nnull: true } }, { name: null }, { nullPasses: true })).toBe(false);
    expect(passes({ name: { _nempty: true } }, { name: null }, { nullPasses: true })).toBe(false);
  });
});

describe('a payload', () => {
  it('passes conditions on fields that it does not have', () => {
    expect(passes({ name: { _eq: 'a' } }, {})).toBe(true);
    expect(passes({ name: { _eq: 'a' } }, { count: 5 })).toBe(true);
  });

  it('passes "and" where it passes every part, "or" where it passes one', () => {
    const parts = [{ name: { _eq: 'a' } }, { count: { _gt: 5 } }];
    const payloads = [
      { name: 'a', count: 6 },
      { name: 'a', count: 5 },
      { name: 'b', count: 6 },
      { name: 'b', count: 5 },
    ];
    expect(payloads.map((payload) => passes({ _and: parts }, payload))).toEqual([true, false, false, false]);
    expect(payloads.map((payload) => passes({ _or: parts }, payload))).toEqual([true, true, true, false]);
    expect(passes({ _or: [] }, { name: 'a' })).toBe(true);
  });

  it('joins operators of one field in the same way', () => {
    expect(passes({ count: { _gt: 5, _lt: 7 } }, { count: 6 })).toBe(true);
    expect(passes({ count: { _gt: 5, _lt: 7 } }, { count: 7 })).toBe(false);
    expect(passes({ count: { _or: [{ _lt: 5 }, { _gt: 7 }] } }, { count: 8 })).toBe(true);
    expect(passes({ count: { _or: [{ _lt: 5 }, { _gt: 7 }] } }, { count: 6 })).toBe(false);
  });

  it.each<[Filters, string]>([
    [{ name: { other: { _eq: 1 } } }, 'field'],
    [{ name: { _some: { other: { _eq: 1 } } } }, 'some'],
    [{ name: { _none: { other: { _eq: 1 } } } }, 'none'],
  ])('never passes a condition on other items: %j', (filter, type) => {
    expect(failuresOf(filter, { name: 'a' })).toEqual([{ field: 'name', type, operand: null }]);
  });

  it('never passes a filter without a field', () => {
    const compare = { kind: 'compare', operator: 'eq', slot: 0 } as const;
    expect(evaluateFilter(compare, { ...contextOf({}), values: ['a'] })).toEqual([
      { field: '', type: 'compare', operand: null },
    ]);
  });

  it('fails a rule on a field that the collection does not have', () => {
    expect(passes({ gone: { _eq: 'a' } }, { gone: 'a' })).toBe(false);
    expect(passes({ gone: { _eq: 'a' } }, { gone: 'b' })).toBe(false);
  });

  it('returns each failed comparison, of "or" those of the first part', () => {
    expect(failuresOf({ name: { _eq: 'b' }, count: { _gt: 5, _lt: 3 } }, { name: 'a', count: 4 })).toEqual([
      { field: 'name', type: 'eq', operand: 'b' },
      { field: 'count', type: 'gt', operand: 5 },
      { field: 'count', type: 'lt', operand: 3 },
    ]);
    expect(
      failuresOf({ _or: [{ name: { _eq: 'b' } }, { count: { _gt: 5 } }] }, { name: 'a', count: 4 }),
    ).toEqual([{ field: 'name', type: 'eq', operand: 'b' }]);
    expect(failuresOf({ name: { _nnull: true } }, { name: null })).toEqual([
      { field: 'name', type: 'nnull', operand: null },
    ]);
  });
});

const ruleOf = (...filters: readonly Filters[]): Rule => ({
  kind: 'filters',
  filters: filters.map((filter) => {
    const values: unknown[] = [];
    return { filter: parseFilter(filter, values), values };
  }),
});

describe('a rule', () => {
  it('that permits everything never fails', () => {
    expect(evaluateRule({ kind: 'always' }, contextOf({ name: 'a' }))).toEqual([]);
  });

  it('of several filters passes if one of them passes', () => {
    const rule = ruleOf({ name: { _eq: 'a' } }, { name: { _eq: 'b' } });
    expect(evaluateRule(rule, contextOf({ name: 'b' }))).toEqual([]);
    expect(evaluateRule(rule, contextOf({ name: 'c' }))).toEqual([
      { field: 'name', type: 'eq', operand: 'a' },
    ]);
    expect(evaluateRule({ kind: 'filters', filters: [] }, contextOf({ name: 'c' }))).toEqual([]);
  });
});
