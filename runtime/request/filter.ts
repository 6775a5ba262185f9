/** Parses filters to a tree whose names are not resolved yet. Literals become slots of the value list. */
import { invalidQuery, mapAll } from '../../contract/errors.js';
import { operatorNames, operators, oppositeOf, type Operator } from '../../contract/operators.js';
import { isObject } from '../../contract/objects.js';
import { asList } from './query-string.js';

/** A filter whose names are not resolved yet. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  /** A key that is not an operator: a field or relation, and the filter on it. */
  | { readonly kind: 'field'; readonly name: string; readonly filter: Filter }
  | { readonly kind: 'some' | 'none'; readonly filter: Filter }
  /** Conditions on the values of JSON; the names of fields in it are paths. */
  | { readonly kind: 'json'; readonly filter: Filter }
  /** `slot` is the index of the operand; `null` and `empty` have none. */
  | { readonly kind: 'compare'; readonly operator: Operator; readonly slot: number | null };

const byKey: ReadonlyMap<string, Operator> = new Map(operatorNames.map((name) => [`_${name}`, name]));
const maxFilterDepth = 64;
/** Limits the conditions of a filter: databases take about a second to plan some thousands. */
const maxConditions = 2_000;

/**
 * Parses a filter object and appends its literals to `values`.
 * @throws INVALID_QUERY naming the operator and the expected form
 */
export const parseFilter = (filter: Readonly<Record<string, unknown>>, values: unknown[]): Filter => {
  const parsed = parseObject(filter, { values, depth: 0 });
  if (countConditions(parsed) <= maxConditions) return parsed;
  throw invalidQuery(`"filter" has more than ${maxConditions} conditions; "_in" takes many values at once`);
};

const countConditions = (filter: Filter): number => {
  if (filter.kind === 'compare') return 1;
  return 'filter' in filter
    ? countConditions(filter.filter)
    : filter.filters.reduce((sum, part) => sum + countConditions(part), 0);
};

/** Returns whether a filter has a condition in every alternative, so that it does not match every row by its form. */
export const hasCondition = (filter: Filter): boolean => {
  switch (filter.kind) {
    case 'compare':
      return true;
    case 'and':
      return filter.filters.some(hasCondition);
    case 'or':
      return filter.filters.length > 0 && filter.filters.every(hasCondition);
    default:
      return hasCondition(filter.filter);
  }
};

const parseObject = (filter: Readonly<Record<string, unknown>>, { values, depth }: Context): Filter => {
  if (depth > maxFilterDepth) throw invalidQuery(`"filter" is nested deeper than ${maxFilterDepth} levels`);
  const filters = mapAll(Object.entries(filter), ([key, value]) => parseEntry(key, value, { values, depth }));
  const [only] = filters;
  return filters.length === 1 && only !== undefined ? only : { kind: 'and', filters };
};

interface Context {
  readonly values: unknown[];
  readonly depth: number;
}

const parseEntry = (key: string, value: unknown, { values, depth }: Context): Filter => {
  if (key === '_and' || key === '_or') return parseLogic(key, value, { values, depth });
  if (key === '_some' || key === '_none') {
    return { kind: key === '_some' ? 'some' : 'none', filter: parseNested(key, value, { values, depth }) };
  }
  if (key === '_json') return { kind: 'json', filter: parseNested(key, value, { values, depth }) };
  if (key.startsWith('_') && !isObject(value)) return parseComparison(key, value, values);
  if (byKey.has(key)) return parseComparison(key, value, values);
  if (isObject(value))
    return { kind: 'field', name: key, filter: parseNested(key, value, { values, depth }) };
  // a bare value means `_eq`
  return { kind: 'field', name: key, filter: parseComparison('_eq', value, values) };
};

const parseLogic = (key: '_and' | '_or', value: unknown, { values, depth }: Context): Filter => {
  const list = asList(value);
  if (list === null && !(Array.isArray(value) && value.length === 0)) {
    throw invalidQuery(`"${key}" must be a list of filters`);
  }
  const filters = mapAll(list ?? [], (entry) => parseNested(key, entry, { values, depth }));
  return { kind: key === '_and' ? 'and' : 'or', filters };
};

const parseNested = (key: string, value: unknown, { values, depth }: Context): Filter => {
  if (!isObject(value)) throw invalidQuery(`"${key}" must hold an object`);
  return parseObject(value, { values, depth: depth + 1 });
};

const parseComparison = (key: string, value: unknown, values: unknown[]): Filter => {
  const operator = byKey.get(key);
  if (operator === undefined) {
    throw invalidQuery(`"${key}" is not an operator; operators are ${[...byKey.keys()].join(', ')}`);
  }
  const { operand: kind, nullable, negates } = operators[operator];
  if (kind === 'flag') {
    const effective = readFlag(key, value) ? operator : oppositeOf(operator);
    return { kind: 'compare', operator: effective ?? operator, slot: null };
  }
  if (value === null && nullable === true) {
    return { kind: 'compare', operator: negates === undefined ? 'null' : 'nnull', slot: null };
  }
  const operand = kind === 'list' || kind === 'range' ? readList(key, value) : readScalar(key, value);
  if (kind === 'range' && (operand as unknown[]).length !== 2) {
    throw invalidQuery(`"${key}" needs two bounds, as in [1, 2] or 1,2`);
  }
  return { kind: 'compare', operator, slot: values.push(operand) - 1 };
};

const readFlag = (key: string, value: unknown): boolean => {
  if (value === true || value === 'true' || value === 1 || value === '1' || value === '') return true;
  if (value === false || value === 'false' || value === 0 || value === '0') return false;
  throw invalidQuery(`"${key}" must be true or false`);
};

/**
 * Reads a list. An empty text is a list that matches nothing, except for `_nin`, where it would match
 * everything.
 */
const readList = (key: string, value: unknown): readonly unknown[] => {
  if (value === '' && key !== '_nin') return [];
  const list = typeof value === 'string' && value !== '' ? value.split(',') : asList(value);
  if (list === null || list.length === 0) {
    throw invalidQuery(`"${key}" needs a list with at least one value, as in [1, 2] or 1,2`);
  }
  return list.map((entry) => readScalar(key, entry));
};

const readScalar = (key: string, value: unknown): string | number | boolean => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw invalidQuery(`"${key}" needs a text, a number or true or false`);
};
