/** Plans comparisons of columns: which operators a type has, and what each compares. */
import { invalidQuery } from '../../contract/errors.js';
import { hasEmptyText, operatorsOf, pathOperators, takesPaths } from '../../contract/field-operators.js';
import { operators, type Operator } from '../../contract/operators.js';
import type { Filter } from '../request/filter.js';
import {
  anyOf,
  type ColumnRef,
  type Comparison,
  type Computed,
  type Condition,
  type Operand,
} from './types.js';

export type ComparisonFilter = Extract<Filter, { kind: 'compare' }>;

/** Returns the operand for a slot of the filter. */
export type SlotReader = (slot: number) => Operand;

/** Reads operands by slot from the values of the query, so that one plan serves all queries of a shape. */
export const fromQuery: SlotReader = (slot) => ({ from: 'query', slot });

/** Plans an operator on a column. @throws INVALID_QUERY naming the operators of its type */
export const compareColumn = (
  column: ColumnRef,
  { operator, slot }: ComparisonFilter,
  { name, slots }: { readonly name: string; readonly slots: SlotReader },
): Condition => {
  const known = column.computed?.kind === 'json' ? pathOperators : operatorsOf(column.field);
  if (!known.has(operator)) throw unsupported({ name, operator }, column, known);
  const empty = planEmpty(column);
  if (operator === 'null') return { kind: 'null', column };
  if (operator === 'empty') return empty;
  if (operator === 'nnull') return { kind: 'not', condition: { kind: 'null', column } };
  if (operator === 'nempty') return { kind: 'not', condition: empty };
  if (slot === null) throw new Error(`_${operator} without an operand`);
  const { comparison, negated } = comparisonOf(operator);
  const compared: Condition = { kind: 'compare', column, operator: comparison, operand: slots(slot) };
  return negated ? { kind: 'not', condition: compared } : compared;
};

/** Plans that a value is null or an empty text, which a value of JSON is where its text is. */
const planEmpty = (column: ColumnRef): Condition => {
  const { field, computed } = column;
  if (computed?.kind !== 'json') return { kind: hasEmptyText(field) ? 'empty' : 'null', column };
  return anyOf([
    { kind: 'null', column },
    // an object has no text, which makes the comparison unknown
    { kind: 'at', path: [], condition: equalsEmptyText(readJsonAs(column, computed, 'text')) },
  ]);
};

const equalsEmptyText = (column: ColumnRef): Condition => ({
  kind: 'compare',
  column,
  operator: 'eq',
  operand: { from: 'constant', value: '' },
});

const unsupported = (
  { name, operator }: { readonly name: string; readonly operator: Operator },
  { field, computed }: ColumnRef,
  known: ReadonlySet<Operator>,
): Error => {
  const others = computed === undefined && takesPaths(field) ? ['json'] : [];
  return invalidQuery(`"${name}" ${printUnsupported(operator, field, [...known, ...others])}`);
};

/** Prints why a field has no such operator: `(integer) does not support "_contains"; it supports _eq, …`. */
export const printUnsupported = (
  operator: Operator,
  { type }: Pick<ColumnRef['field'], 'type'>,
  known: readonly string[],
): string =>
  `(${type}) does not support "_${operator}"; it supports ${known.map((each) => `_${each}`).join(', ')}`;

/** Returns the comparison of an operator, and whether it is negated. */
const comparisonOf = (operator: Operator): { readonly comparison: Comparison; readonly negated: boolean } => {
  const { comparison, negates } = operators[operator];
  if (comparison !== undefined) return { comparison, negated: false };
  const positive = negates === undefined ? undefined : operators[negates].comparison;
  if (positive === undefined) throw new Error(`_${operator} compares nothing`);
  return { comparison: positive, negated: true };
};

/** Returns the column of a value in JSON as its text or its number. */
export const readJsonAs = (
  column: ColumnRef,
  computed: Extract<Computed, { kind: 'json' }>,
  as: 'text' | 'number',
): ColumnRef => ({
  ...column,
  field: { name: column.field.name, type: as === 'text' ? 'string' : 'float', nullable: true },
  computed: { ...computed, as },
});
