/** Parses `aggregate`, `groupBy` and `having`. */
import { aggregateNames, isAggregateName, type AggregateName } from '../../contract/aggregates.js';
import { invalidQuery } from '../../contract/errors.js';
import { parseFilter, type Filter } from './filter.js';
import { readNames, readObject, splitPath } from './names.js';

export interface Aggregation {
  readonly measures: readonly MeasureName[];
  /** Paths of fields and calls of functions; empty for one row over all items. */
  readonly groupBy: readonly (readonly string[])[];
  readonly having: Filter | null;
}

/** An operation on a field, or on rows where `path` is null. */
export interface MeasureName {
  readonly operation: AggregateName;
  readonly path: readonly string[] | null;
}

/** Reads the parameters of one level; returns null where there are none. @throws INVALID_QUERY */
export const readAggregation = (get: (name: string) => unknown, values: unknown[]): Aggregation | null => {
  const measures = readMeasures(get('aggregate'));
  const groupBy = (readNames(get('groupBy'), 'groupBy') ?? []).map((name) => splitPath(name, 'groupBy'));
  const having = get('having');
  if (measures.length === 0 && groupBy.length === 0) {
    if (having !== undefined) throw invalidQuery('"having" needs "aggregate" or "groupBy"');
    return null;
  }
  return {
    measures,
    groupBy,
    having:
      having === undefined || having === null || having === ''
        ? null
        : parseFilter(readObject(having, 'having'), values),
  };
};

/** Reads `{operation: fields}`, where `*` stands for the rows. */
const readMeasures = (value: unknown): readonly MeasureName[] => {
  if (value === undefined || value === null || value === '') return [];
  return Object.entries(readObject(value, 'aggregate')).flatMap(([operation, fields]) => {
    if (!isAggregateName(operation))
      throw invalidQuery(
        `"aggregate" does not support "${operation}"; it supports ${aggregateNames.join(', ')}`,
      );
    const names = readNames(fields, 'aggregate') ?? [];
    if (names.length === 0)
      throw invalidQuery(`"${operation}" in "aggregate" needs a field, as in {"${operation}": "id"}`);
    return names.map((name): MeasureName => ({ operation, path: readMeasurePath(operation, name) }));
  });
};

const readMeasurePath = (operation: AggregateName, name: string): readonly string[] | null => {
  if (name !== '*') return operation === 'countAll' ? null : splitPath(name, 'aggregate');
  if (operation !== 'count' && operation !== 'countAll')
    throw invalidQuery(`"${operation}" in "aggregate" needs a field; only count takes "*"`);
  return null;
};
