/**
 * Filters held against a payload: field validation (meta) and the validation of permissions. Pure.
 * What cannot be held against one, as a question for related items, is failed.
 */
import type { Rule } from '../access/grant.js';
import type { Filter } from '../request/filter.js';

/** One comparison that a payload fails. */
export interface Failure {
  readonly field: string;
  /** The operator, as in `type` of FAILED_VALIDATION. */
  readonly type: string;
  readonly operand: unknown;
}

export interface ValidationContext {
  /** By field name; fields that are absent pass. */
  readonly payload: ReadonlyMap<string, unknown>;
  resolve(value: unknown): unknown;
}

/** Of rules joined by or, one has to pass; the failures of the first are told. */
export const validateRule = (rule: Rule, context: ValidationContext): readonly Failure[] => {
  if (rule.kind === 'always') return [];
  return validateOne(
    rule.filters.map(({ filter, values }) => validateFilter(filter, { ...context, values })),
  );
};

const validateOne = (results: readonly (readonly Failure[])[]): readonly Failure[] =>
  results.some((failures) => failures.length === 0) ? [] : (results[0] ?? []);

interface FilterContext extends ValidationContext {
  readonly values: readonly unknown[];
}

export const validateFilter = (filter: Filter, context: FilterContext): readonly Failure[] => {
  switch (filter.kind) {
    case 'and':
      return filter.filters.flatMap((part) => validateFilter(part, context));
    case 'or':
      return validateOne(filter.filters.map((part) => validateFilter(part, context)));
    case 'field':
      return validateField(filter.name, filter.filter, context);
    case 'some':
    case 'none':
    case 'compare':
      return [{ field: '', type: filter.kind, operand: null }];
  }
};

const validateField = (name: string, filter: Filter, context: FilterContext): readonly Failure[] => {
  if (!context.payload.has(name)) return [];
  if (filter.kind === 'and') return filter.filters.flatMap((part) => validateField(name, part, context));
  if (filter.kind === 'or')
    return validateOne(filter.filters.map((part) => validateField(name, part, context)));
  if (filter.kind !== 'compare') return [{ field: name, type: filter.kind, operand: null }];
  const operand = resolveOperand(filter.slot === null ? null : context.values[filter.slot], context);
  const value = context.payload.get(name);
  return passes(filter.operator, value, operand) ? [] : [{ field: name, type: filter.operator, operand }];
};

const resolveOperand = (operand: unknown, { resolve }: FilterContext): unknown =>
  Array.isArray(operand) ? operand.flatMap((each) => resolve(each)) : resolve(operand);

/** A null passes everything but a question for null. */
const passes = (operator: string, value: unknown, operand: unknown): boolean => {
  if (operator === 'null') return value === null;
  if (operator === 'nnull') return value !== null;
  if (operator === 'empty') return value === null || value === '';
  if (operator === 'nempty') return value !== null && value !== '';
  if (value === null) return true;
  return testers[operator]?.(value, operand) ?? true;
};

type Tester = (value: unknown, operand: unknown) => boolean;

/** Numbers and what spells numbers are compared as numbers, everything else as text. */
const compare = (left: unknown, right: unknown): number => {
  const [a, b] = [Number(left), Number(right)];
  if (left !== '' && right !== '' && !Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  const [x, y] = [String(left), String(right)];
  if (x === y) return 0;
  return x < y ? -1 : 1;
};

const listOf = (operand: unknown): readonly unknown[] => (Array.isArray(operand) ? operand : [operand]);
const isWithin: Tester = (value, operand) => {
  const [low, high] = listOf(operand);
  return compare(value, low) >= 0 && compare(value, high) <= 0;
};
const isIn: Tester = (value, operand) => listOf(operand).some((each) => compare(value, each) === 0);
const lower = (value: unknown): string => String(value).toLowerCase();

const positive: Readonly<Record<string, Tester>> = {
  eq: (value, operand) => compare(value, operand) === 0,
  in: isIn,
  between: isWithin,
  contains: (value, operand) => String(value).includes(String(operand)),
  icontains: (value, operand) => lower(value).includes(lower(operand)),
  starts_with: (value, operand) => String(value).startsWith(String(operand)),
  istarts_with: (value, operand) => lower(value).startsWith(lower(operand)),
  ends_with: (value, operand) => String(value).endsWith(String(operand)),
  iends_with: (value, operand) => lower(value).endsWith(lower(operand)),
};

const testers: Readonly<Record<string, Tester>> = {
  ...positive,
  ...Object.fromEntries(
    Object.entries(positive).map(([name, test]): [string, Tester] => [
      name === 'eq' ? 'neq' : `n${name}`,
      (value, operand) => !test(value, operand),
    ]),
  ),
  lt: (value, operand) => compare(value, operand) < 0,
  lte: (value, operand) => compare(value, operand) <= 0,
  gt: (value, operand) => compare(value, operand) > 0,
  gte: (value, operand) => compare(value, operand) >= 0,
  regex: (value, operand) => compileRegex(String(operand))?.test(String(value)) === true,
};

/** `null`: no regular expression, which nothing passes. Some are one only without regard to code points. */
const compileRegex = (text: string): RegExp | null => {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(text, flags);
    } catch {
      // the next one may do
    }
  }
  return null;
};
