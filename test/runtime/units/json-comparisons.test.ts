/** Values in JSON as comparisons: of a number with a number, of a text with a text. */
import { describe, expect, it } from 'vitest';
import type { SqlDialect } from '../../../runtime/databases/contract.js';
import { compileCondition, createCompiler, createScope } from '../../../runtime/sql/condition.js';
import { createStatement, type BindInput } from '../../../runtime/sql/fragment.js';
import { jsonPath } from '../../../runtime/sql/json-path.js';
import { readQuery } from '../../../runtime/request/query.js';
import { dialects, inputOf, planOf, type ReadPermission } from './compiled.js';

/** A dialect whose expressions for the forms of a value are their names. */
const dialect: SqlDialect = {
  ...dialects.sqlite,
  jsonAt: (_column, _field, path) => {
    const at = path.join('.');
    return { value: `value(${at})`, text: `text(${at})`, number: `number(${at})` };
  },
};

const level = 'json(facts, a)';

interface Options {
  readonly permissions?: readonly ReadPermission[];
  readonly variables?: Partial<Pick<BindInput, 'resolve' | 'resolveQueryValue'>>;
}

/** The condition of a query, with its values. */
const conditionOf = (filter: Readonly<Record<string, unknown>>, { permissions, variables }: Options = {}) => {
  const query = { fields: ['code'], filter };
  const { where } = planOf('book', query, { permissions });
  const condition = compileCondition(where, createScope(createCompiler(dialect)));
  return createStatement(condition).render({ ...inputOf(readQuery(query).values), ...variables });
};

const textOf = (...parameters: Parameters<typeof conditionOf>): string => conditionOf(...parameters).text;
const valuesOf = (...parameters: Parameters<typeof conditionOf>) => conditionOf(...parameters).values;

const unlessNumber = '(case when number(a) is null then text(a) end)';

describe('a value in JSON', () => {
  it.each<[string, unknown, string]>([
    ['_eq', 5, 'coalesce((number(a)) = ?, (text(a)) = ?)'],
    ['_neq', 5, 'coalesce((number(a)) <> ?, (text(a)) <> ?)'],
    ['_in', [5, 6], 'coalesce((number(a)) in (?, ?), (text(a)) in (?, ?))'],
    ['_nin', [5, 6], 'coalesce((number(a)) not in (?, ?), (text(a)) not in (?, ?))'],
  ])('is equal as a number, or else as a text: %s', (operator, operand, want) => {
    expect(textOf({ [level]: { [operator]: operand } })).toBe(want);
  });

  it.each<[string, unknown, string]>([
    ['_lt', 5, '< ?'],
    ['_lte', 5, '<= ?'],
    ['_gt', 5, '> ?'],
    ['_gte', 5, '>= ?'],
    ['_between', [5, 6], 'between ? and ?'],
    ['_nbetween', [5, 6], 'not between ? and ?'],
  ])('that is a number is never before or after a text: %s', (operator, operand, want) => {
    expect(textOf({ [level]: { [operator]: operand } })).toBe(
      `coalesce((number(a)) ${want}, ${unlessNumber} ${want})`,
    );
  });

  it('is searched as a text alone', () => {
    const { text, values } = conditionOf({ [level]: { _contains: 5 } });
    expect([text, values]).toEqual(['(text(a)) glob ?', ['*5*']]);
  });

  it('is null or empty without a comparison as a number', () => {
    expect(textOf({ [level]: { _null: true } })).toBe('value(a) is null');
    expect(textOf({ [level]: { _empty: true } })).toBe('(value(a) is null or (text(a) = ?) is true)');
  });
});

describe('an operand for a value in JSON', () => {
  it.each<[string, unknown, readonly unknown[]]>([
    ['_eq', 5, [5, '5']],
    ['_eq', 1.5, [1.5, '1.5']],
    ['_eq', '1e3', [1000, '1e3']],
    ['_eq', 'a', [null, 'a']],
    ['_eq', true, [null, 'true']],
    ['_eq', ' ', [null, ' ']],
    ['_in', [5, 'a', false], [5, null, null, '5', 'a', 'false']],
  ])('is bound as a number, as far as it is one, and as a text: %s %j', (operator, operand, want) => {
    expect(valuesOf({ [level]: { [operator]: operand } })).toEqual(want);
  });

  it.each<[string, unknown, readonly unknown[]]>([
    ['_lt', 5, [5, null]],
    ['_gt', '5', [5, null]],
    ['_gte', 'a', [null, 'a']],
    ['_lte', ' ', [null, ' ']],
    ['_lt', 'Infinity', [null, 'Infinity']],
    ['_between', ['a', 'b'], [null, null, 'a', 'b']],
    ['_between', [5, 6], [5, 6, null, null]],
    ['_nbetween', [5, 'b'], [null, null, null, 'b']],
  ])('that is a number has no place among texts: %s %j', (operator, operand, want) => {
    expect(valuesOf({ [level]: { [operator]: operand } })).toEqual(want);
  });

  it('of a rule is bound as that of a query', () => {
    const rule = { [level]: { _gte: 5, _neq: '$LEVEL' } };
    const variables = { resolve: (value: unknown) => (value === '$LEVEL' ? 7 : value) };
    const permissions = [{ collection: 'book', permissions: rule }];
    expect(valuesOf({}, { permissions, variables })).toEqual([5, null, 7, '7']);
  });

  it('that is null, such as a variable without a value, equals nothing', () => {
    const variables = { resolve: (value: unknown) => (value === '$LEVEL' ? null : value) };
    const boundOf = (rule: unknown) =>
      valuesOf({}, { permissions: [{ collection: 'book', permissions: { [level]: rule } }], variables });
    expect(boundOf({ _eq: '$LEVEL' })).toEqual([null, null]);
    expect(boundOf({ _lt: '$LEVEL' })).toEqual([null, null]);
    expect(boundOf({ _in: ['$LEVEL', 'a'] })).toEqual([null, null, null, 'a']);
    expect(boundOf({ _between: ['$LEVEL', 'b'] })).toEqual([null, null, null, null]);
  });

  it('leaves those of a rule of the column as they are', () => {
    const permissions = [
      { collection: 'book', fields: ['code'] },
      { collection: 'book', fields: ['facts'], permissions: { title: { _eq: '5' } } },
    ];
    expect(valuesOf({ [level]: { _eq: 5 } }, { permissions })).toEqual(['5', 5, '5', '5']);
    expect(valuesOf({ [level]: { _lt: 'b' } }, { permissions })).toEqual(['5', null, '5', '5', 'b']);
  });

  it('is a variable with its value, a number or several values too', () => {
    const resolved: Readonly<Record<string, unknown>> = { $LEVEL: 7, $LEVELS: [7, 'a'] };
    const variables = {
      resolveQueryValue: (value: unknown) => resolved[String(value)] ?? value,
    };
    expect(valuesOf({ [level]: { _eq: '$LEVEL' } }, { variables })).toEqual([7, '7']);
    expect(valuesOf({ [level]: { _in: '$LEVELS' } }, { variables })).toEqual([7, null, '7', 'a']);
    expect(valuesOf({ [level]: { _in: ['$LEVEL', 'b'] } }, { variables })).toEqual([7, null, '7', 'b']);
  });

  it('is resolved apart from the other values of the query', () => {
    const resolved: unknown[] = [];
    const resolveQueryValue = (value: unknown): unknown => {
      resolved.push(value);
      return value;
    };
    conditionOf({ title: { _contains: 'x' }, [level]: { _eq: 5 } }, { variables: { resolveQueryValue } });
    expect(resolved).toEqual(['x', 5, '5']);
  });
});

it.each([
  [['a'], `'$."a"'`],
  [['theme', 'dark'], `'$."theme"."dark"'`],
  [['list', 0, 12, 'n'], `'$."list"[0][12]."n"'`],
  [[1], `'$[1]'`],
])('the path %j is %s', (path, want) => {
  expect(jsonPath(path)).toBe(want);
});
