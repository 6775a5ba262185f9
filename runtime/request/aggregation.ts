/** Parses `aggregate`, `groupBy` and `having`. */
import { aggregateNames, isAggregateName, type AggregateName } from '../../contract/aggregates.js';
import { invalidQuery, mapAll } from '../../contract/errors.js';
import { parseCall, resultName } from '../../contract/functions.js';
import { parseFilter, type Filter } from './filter.js';
import { readNames, readObject, splitPath } from './names.js';

/** The aggregation of one level; its names are not resolved yet. */
export interface Aggregation {
  /** The values of each row of the response, in order. */
  readonly outputs: readonly OutputNode[];
  /** Paths of fields and calls of functions; empty for one row over all items. */
  readonly groupBy: readonly (readonly string[])[];
  readonly having: Filter | null;
}

/** A member of each row of the response. */
export type OutputNode =
  /** The values of all groups, each under its own name. */
  | { readonly kind: 'groups' }
  | { readonly kind: 'measure'; readonly as: string; readonly measure: MeasureName }
  | { readonly kind: 'object'; readonly as: string; readonly children: readonly OutputNode[] }
  | { readonly kind: 'constant'; readonly as: string; readonly json: string };

/** An operation on a field, or on rows where `path` is null. */
export interface MeasureName {
  readonly operation: AggregateName;
  readonly path: readonly string[] | null;
}

/** Reads the parameters of one level; returns null where there are none. @throws INVALID_QUERY */
export const readAggregation = (get: (name: string) => unknown, values: unknown[]): Aggregation | null => {
  const measures = readMeasures(get('aggregate'));
  const groupBy = readGroupBy(get('groupBy'));
  const having = readHaving(get('having'), values);
  if (measures.length > 0 || groupBy.length > 0)
    return { outputs: [{ kind: 'groups' }, ...measures], groupBy, having };
  if (get('having') !== undefined) throw invalidQuery('"having" needs "aggregate" or "groupBy"');
  return null;
};

/** Reads names or paths, as a list or separated by commas. @throws INVALID_QUERY */
export const readGroupBy = (value: unknown): Aggregation['groupBy'] =>
  (readNames(value, 'groupBy') ?? []).map((name) => splitPath(name, 'groupBy'));

/**
 * Reads the conditions on groups; their values are added to `values`, and the filter refers to them.
 * @throws INVALID_QUERY
 */
export const readHaving = (value: unknown, values: unknown[]): Filter | null =>
  value === undefined || value === null || value === ''
    ? null
    : parseFilter(readObject(value, 'having'), values);

/** Returns the key of a path in the answer: calls become `born_year`. */
export const outputName = (path: readonly string[]): string => {
  const last = path.at(-1) ?? '';
  const call = parseCall(last);
  return [...path.slice(0, -1), call === null ? last : resultName(call)].join('.');
};

/** Reads `{operation: fields}`, where `*` stands for the rows. */
const readMeasures = (value: unknown): readonly OutputNode[] => {
  if (value === undefined || value === null || value === '') return [];
  return mapAll(Object.entries(readObject(value, 'aggregate')), ([operation, fields]) => {
    if (!isAggregateName(operation))
      throw invalidQuery(
        `"aggregate" does not support "${operation}"; it supports ${aggregateNames.join(', ')}`,
      );
    return readMeasure(operation, [...new Set(readNames(fields, 'aggregate'))]);
  });
};

/** An operation on the rows alone is a value, one on fields an object. */
const readMeasure = (operation: AggregateName, names: readonly string[]): OutputNode => {
  if (names.length === 0)
    throw invalidQuery(`"${operation}" in "aggregate" needs a field, as in {"${operation}": "id"}`);
  const children = mapAll(names, (name): Extract<OutputNode, { kind: 'measure' }> => {
    const path = readMeasurePath(operation, name);
    const as = path === null ? '*' : outputName(path);
    return { kind: 'measure', as, measure: { operation, path } };
  });
  const [only] = children;
  return children.length === 1 && only?.measure.path === null
    ? { ...only, as: operation }
    : { kind: 'object', as: operation, children };
};

const readMeasurePath = (operation: AggregateName, name: string): readonly string[] | null => {
  if (name !== '*') return operation === 'countAll' ? null : splitPath(name, 'aggregate');
  if (operation !== 'count' && operation !== 'countAll')
    throw invalidQuery(`"${operation}" in "aggregate" needs a field; only count takes "*"`);
  return null;
};
