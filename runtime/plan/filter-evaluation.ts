/**
 * Evaluates filters on a payload, for field validation (meta) and the validation of permissions. Pure. A
 * filter that a payload cannot decide, such as one on related items, fails.
 */
import type { Rule } from '../access/grant.js';
import { requireField, type Collection, type Field } from '../../contract/collection.js';
import { operators, type Operator, type PositiveOperator } from '../../contract/operators.js';
import type { Filter } from '../request/filter.js';
import { compareValues, textOf } from './compare-values.js';
import type { Matcher } from './matcher.js';

/** One comparison that a payload fails. */
export interface Failure {
  readonly field: string;
  /** The operator, as in `type` of FAILED_VALIDATION. */
  readonly type: string;
  readonly operand: unknown;
}

export interface EvaluationContext {
  readonly collection: Collection;
  /** Values by field name, in their stored form. Fields that are absent pass; what is no field never does. */
  readonly payload: ReadonlyMap<string, unknown>;
  /** True where null passes every operator but those that test for null; otherwise it passes none of them. */
  readonly nullPasses: boolean;
  resolve(value: unknown): unknown;
  readonly matches: Matcher;
}

/**
 * Evaluates a rule on a payload; the filters of a rule are alternatives. Returns the failures of the first filter where none
 * passes.
 */
export const evaluateRule = (rule: Rule, context: EvaluationContext): readonly Failure[] => {
  if (rule.kind === 'always') return [];
  return validateOne(
    rule.filters.map(({ filter, values }) => evaluateFilter(filter, { ...context, values })),
  );
};

const validateOne = (results: readonly (readonly Failure[])[]): readonly Failure[] =>
  results.some((failures) => failures.length === 0) ? [] : (results[0] ?? []);

interface FilterContext extends EvaluationContext {
  readonly values: readonly unknown[];
}

/**
 * Returns the comparisons that fail, none if the payload passes. Of alternatives that all fail, it returns
 * those of the first.
 */
export const evaluateFilter = (filter: Filter, context: FilterContext): readonly Failure[] => {
  switch (filter.kind) {
    case 'and':
      return filter.filters.flatMap((part) => evaluateFilter(part, context));
    case 'or':
      return validateOne(filter.filters.map((part) => evaluateFilter(part, context)));
    case 'field':
      return validateField(filter.name, filter.filter, context);
    case 'some':
    case 'none':
    case 'json':
    case 'compare':
      return [{ field: '', type: filter.kind, operand: null }];
  }
};

const validateField = (name: string, filter: Filter, context: FilterContext): readonly Failure[] => {
  if (!context.collection.fields.has(name)) return failUndecidable(name, filter);
  if (!context.payload.has(name)) return [];
  if (filter.kind === 'and') return filter.filters.flatMap((part) => validateField(name, part, context));
  if (filter.kind === 'or')
    return validateOne(filter.filters.map((part) => validateField(name, part, context)));
  if (filter.kind !== 'compare') return failUndecidable(name, filter);
  const operand = filter.slot === null ? null : context.values[filter.slot];
  const value = context.payload.get(name);
  const field = requireField(context.collection, name);
  const comparison = { field, value, operands: resolveOperands(operand, context), matches: context.matches };
  return passes(filter.operator, comparison, context)
    ? []
    : [{ field: name, type: filter.operator, operand }];
};

const failUndecidable = (field: string, filter: Filter): readonly Failure[] => [
  { field, type: filter.kind === 'compare' ? filter.operator : filter.kind, operand: null },
];

const resolveOperands = (operand: unknown, { resolve }: FilterContext): readonly unknown[] =>
  (Array.isArray(operand) ? operand : [operand]).flatMap((each) => resolve(each));

interface Comparison {
  readonly field: Field;
  readonly value: unknown;
  readonly operands: readonly unknown[];
  readonly matches: Matcher;
}

const passes = (operator: Operator, comparison: Comparison, { nullPasses }: EvaluationContext): boolean => {
  const { value } = comparison;
  if (operator === 'null') return value === null;
  if (operator === 'nnull') return value !== null;
  if (operator === 'empty') return value === null || value === '';
  if (operator === 'nempty') return value !== null && value !== '';
  if (value === null) return nullPasses;
  return isSatisfied(operator, comparison);
};

/** Returns null where the operand is invalid or missing: neither the operator nor its negation passes. */
type Tester = (comparison: Comparison) => boolean | null;

const isEqual: Tester = ({ field, value, operands }) => {
  const orders = operands.map((operand) => compareValues(field, value, operand));
  if (orders.includes(0)) return true;
  return orders.length === 0 || orders.includes(null) ? null : false;
};

const isWithin: Tester = ({ field, value, operands: [low, high] }) => {
  const [fromLow, fromHigh] = [compareValues(field, value, low), compareValues(field, value, high)];
  if (fromLow === null || fromHigh === null) return null;
  return fromLow >= 0 && fromHigh <= 0;
};

const orderTester =
  (holds: (order: number) => boolean): Tester =>
  ({ field, value, operands }) => {
    const order = compareValues(field, value, operands[0]);
    return order === null ? null : holds(order);
  };

const textTester =
  (holds: (text: string, part: string) => boolean, spell = (text: string): string => text): Tester =>
  ({ value, operands: [part] }) => {
    if (part === null || part === undefined) return null;
    return holds(spell(textOf(value)), spell(textOf(part)));
  };

const contains = (text: string, part: string): boolean => text.includes(part);
const startsWith = (text: string, part: string): boolean => text.startsWith(part);
const endsWith = (text: string, part: string): boolean => text.endsWith(part);
const lower = (text: string): string => text.toLowerCase();

const testers: Readonly<Record<PositiveOperator, Tester>> = {
  eq: isEqual,
  in: isEqual,
  between: isWithin,
  lt: orderTester((order) => order < 0),
  lte: orderTester((order) => order <= 0),
  gt: orderTester((order) => order > 0),
  gte: orderTester((order) => order >= 0),
  contains: textTester(contains),
  icontains: textTester(contains, lower),
  starts_with: textTester(startsWith),
  istarts_with: textTester(startsWith, lower),
  ends_with: textTester(endsWith),
  iends_with: textTester(endsWith, lower),
  regex: ({ value, operands: [source], matches }) => matches(textOf(value), textOf(source)),
};

const isSatisfied = (operator: Operator, comparison: Comparison): boolean => {
  const { negates } = operators[operator];
  // negated operators have a positive one, and operators without operand were handled before
  return testers[(negates ?? operator) as PositiveOperator](comparison) === (negates === undefined);
};
