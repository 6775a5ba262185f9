/** Consistency of the tables of operators and field types. */
import { expect, it } from 'vitest';
import { operatorsOf } from '../../../contract/field-operators.js';
import { fieldTypes, type FieldType } from '../../../contract/field-types.js';
import { operatorNames, operators, oppositeOf } from '../../../contract/operators.js';

it('opposites are opposites of each other', () => {
  const oneWay = operatorNames.filter((name) => {
    const opposite = oppositeOf(name);
    return opposite !== null && oppositeOf(opposite) !== name;
  });
  expect(oneWay).toEqual([]);
});

it.each([
  ['null', 'nnull'],
  ['nempty', 'empty'],
  ['in', 'nin'],
  ['niends_with', 'iends_with'],
  ['lt', null],
  ['regex', null],
] as const)('the opposite of %s is %s', (name, opposite) => {
  expect(oppositeOf(name)).toBe(opposite);
});

it('an operator without a comparison is the opposite of one with it, or a flag', () => {
  const silent = operatorNames.filter((name) => operators[name].comparison === undefined);
  const strange = silent.filter((name) => {
    const { operand, negates } = operators[name];
    return operand !== 'flag' && (negates === undefined || operators[negates].comparison === undefined);
  });
  expect(strange).toEqual(['regex']);
});

it('the operators of a field follow from its type', () => {
  expect([...operatorsOf({ type: 'boolean' })]).toEqual(['eq', 'neq', 'null', 'nnull']);
  expect([...operatorsOf({ type: 'uuid' })]).toEqual(['eq', 'neq', 'in', 'nin', 'null', 'nnull']);
  expect(operatorsOf({ type: 'date' }).has('between')).toBe(true);
  expect(operatorsOf({ type: 'string' }).has('lt')).toBe(false);
});

it.each(Object.keys(fieldTypes) as FieldType[])('a concealed %s has only _null and _nnull', (type) => {
  const known = ['empty', 'nempty', 'null', 'nnull'];
  expect([...operatorsOf({ type, conceal: true })]).toEqual(known);
  expect([...operatorsOf({ type, hash: true })]).toEqual(known);
});

it.each(Object.keys(fieldTypes) as FieldType[])('_regex is not a filter of %s', (type) => {
  expect(operatorsOf({ type }).has('regex')).toBe(false);
});
