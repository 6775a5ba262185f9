/** Builds nodes in their one form, so that different spellings of one expression yield the same tree. */
import type { ColumnKinds, Expression, Operator } from './tree.js';

/** Joins operands by `and` or `or`, without nesting. */
export const joinLogical = (operator: 'and' | 'or', operands: readonly Expression[]): Expression =>
  flatten(operator, operands);

/** Concatenates texts, without nesting. */
export const concatenate = (operands: readonly Expression[]): Expression => flatten('||', operands);

const flatten = (operator: Operator, operands: readonly Expression[]): Expression => {
  const [first] = operands;
  if (operands.length === 1 && first !== undefined) return first;
  const flat = operands.flatMap((operand) =>
    operand.kind === 'operator' && operand.operator === operator ? operand.operands : [operand],
  );
  return { kind: 'operator', operator, operands: flat };
};

const opposites: ReadonlyMap<Operator, Operator> = new Map<Operator, Operator>([
  ['=', '<>'],
  ['<>', '='],
  ['<', '>='],
  ['>=', '<'],
  ['>', '<='],
  ['<=', '>'],
]);

/** Negates an expression: twice is not at all, and comparisons have opposites. */
export const negate = (expression: Expression): Expression => {
  if (expression.kind === 'operator') {
    const { operator, operands } = expression;
    const [operand] = operands;
    if (operator === 'not' && operand !== undefined) return operand;
    const opposite = opposites.get(operator);
    if (opposite !== undefined) return { ...expression, operator: opposite };
  }
  return { kind: 'operator', operator: 'not', operands: [expression] };
};

/** Compares two operands; 0 and 1 are booleans where the other side is. */
export const compareOperands = (
  operator: Operator,
  [left, right]: readonly [Expression, Expression],
  columns: ColumnKinds,
): Expression => ({
  kind: 'operator',
  operator,
  operands: [asBoolean(left, right, columns), asBoolean(right, left, columns)],
});

const asBoolean = (operand: Expression, other: Expression, columns: ColumnKinds): Expression => {
  if (operand.kind !== 'number' || other.kind !== 'column' || columns.get(other.name) !== 'boolean')
    return operand;
  return operand.text === '0' || operand.text === '1'
    ? { kind: 'boolean', value: operand.text === '1' }
    : operand;
};

/** Returns `IN` with sorted values, each once: their order means nothing. */
export const toList = (left: Expression, values: readonly Expression[], columns: ColumnKinds): Expression => {
  const byText = new Map(values.map((value) => [JSON.stringify(value), asBoolean(value, left, columns)]));
  const sorted = [...byText].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  return { kind: 'in', operands: [left, ...sorted] };
};
