/** Finds comparisons of rules that match no row, since the type of the field has not their operator or value. Pure. */
import type { FieldDeclaration } from '../../contract/fields.js';
import { operatorsOf } from '../../contract/field-operators.js';
import { operators, type OperandKind } from '../../contract/operators.js';
import type { Filter } from '../request/filter.js';
import { printUnsupported } from './comparison.js';
import { readOtherNumber, readValue } from './values.js';

/** Options of a field that decide how it is compared. */
export type ComparedField = Pick<FieldDeclaration, 'type' | 'conceal' | 'hash'>;

/**
 * Returns the problems of the comparisons directly below a field, such as `expects an integer`; they contain no values.
 * @param values the values of the rule by slot; variables are not examined
 */
export const findComparisonProblems = (
  field: ComparedField,
  filter: Filter,
  values: readonly unknown[],
): readonly string[] => {
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.filters.flatMap((part) => findComparisonProblems(field, part, values));
  // regular expressions are for validations whatever the type is
  if (filter.kind !== 'compare' || filter.operator === 'regex') return [];
  const known = operatorsOf(field);
  if (!known.has(filter.operator)) return [printUnsupported(filter.operator, field, [...known])];
  const { operand } = operators[filter.operator];
  if (filter.slot === null || !hasFieldValues[operand]) return [];
  const literals = [values[filter.slot]].flat().filter((value) => !isVariable(value));
  const refused = literals.map((value) => findExpected(field, value)).find((expected) => expected !== null);
  return refused === undefined ? [] : [`expects ${refused}`];
};

/** Has true for the kinds of operands that consist of values of the field. */
const hasFieldValues: Readonly<Record<OperandKind, boolean>> = {
  value: true,
  list: true,
  range: true,
  text: false,
  flag: false,
  pattern: false,
};

const isVariable = (value: unknown): boolean => typeof value === 'string' && value.startsWith('$');

/** Returns what a value should be, or null where it can be compared; a number beyond the range of an integer can. */
const findExpected = ({ type }: ComparedField, value: unknown): string | null => {
  const read = readValue({ type }, value);
  return read.ok || readOtherNumber({ type }, value).ok ? null : read.expected;
};
