/** Aggregations: made at random, and their answers worked out of whole tables. */
import * as fc from 'fast-check';
import type { Collection, Field } from '../../../contract/collection.js';
import { filterOn, writeFilter, type FilterTree } from './filters.js';
import { checkQuery } from './names.js';
import { cut, isWanted, type Expected } from './reference.js';
import type { Row } from './rows.js';
import { callsOn, checkTerm, fieldOf, isShown, keyOf, namesOn, valueOf, type Term } from './terms.js';
import { compareValues } from './values.js';
import { visibleRows, type Place, type World } from './visible.js';

interface Measured {
  readonly operation: string;
  readonly term: Term;
}

interface SortedBy {
  /** The position of a group, or a result of an operation. */
  readonly by: number | Measured;
  readonly descending: boolean;
}

export interface AggregateQuery {
  readonly filter: FilterTree | undefined;
  readonly groupBy: readonly Term[];
  readonly measures: readonly Measured[];
  /** Smallest number of rows of a group. */
  readonly atLeast: number | undefined;
  readonly sort: readonly SortedBy[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

/** Types whose values have one spelling; texts are equal as the collation says. */
const grouped = new Set([
  'integer',
  'bigInteger',
  'boolean',
  'date',
  'time',
  'dateTime',
  'timestamp',
  'uuid',
]);
const ordered = new Set(['integer', 'bigInteger', 'decimal', 'date', 'dateTime', 'timestamp', 'time']);
const exact = new Set(['integer', 'decimal']);

const measuresOf = (operations: readonly string[], terms: readonly Term[]) =>
  terms.length === 0
    ? []
    : [fc.record({ operation: fc.constantFrom(...operations), term: fc.constantFrom(...terms) })];

const isConcealed = ({ conceal }: Field): boolean => conceal === true;

const measureOn = (collection: Collection): fc.Arbitrary<Measured> => {
  const calls = callsOn(collection);
  const termsOf = (types: ReadonlySet<string>): readonly Term[] => [
    ...namesOn(collection, (field) => types.has(field.type) && !isConcealed(field)),
    ...calls,
  ];
  return fc.oneof(
    ...measuresOf(['count'], [...namesOn(collection, () => true), ...calls]),
    ...measuresOf(['countDistinct'], termsOf(grouped)),
    ...measuresOf(['sum', 'sumDistinct', 'avg', 'avgDistinct'], termsOf(exact)),
    ...measuresOf(['min', 'max'], termsOf(ordered)),
  );
};

export const aggregateOn = (collection: Collection): fc.Arbitrary<AggregateQuery> => {
  const terms = [...namesOn(collection, ({ type }) => grouped.has(type)), ...callsOn(collection)];
  const measure = measureOn(collection);
  const measures = fc.uniqueArray(measure, {
    minLength: 1,
    maxLength: 4,
    selector: ({ operation, term }) => `${operation} ${term}`,
  });
  return fc.uniqueArray(fc.constantFrom(...terms), { maxLength: 2 }).chain((groupBy) =>
    fc.record({
      filter: fc.option(filterOn(collection, 1), { freq: 1, nil: undefined }),
      groupBy: fc.constant(groupBy),
      measures,
      atLeast: fc.option(fc.constantFrom(1, 2, 4), { freq: 2, nil: undefined }),
      sort: groupBy.length === 0 ? fc.constant([]) : sortOf(groupBy, measure),
      limit: groupBy.length === 0 ? fc.constant(-1) : fc.constantFrom(undefined, -1, -1, 1, 3),
      offset: groupBy.length === 0 ? fc.constant(undefined) : fc.constantFrom(undefined, undefined, 1, 2),
    }),
  );
};

const sortOf = (groupBy: readonly Term[], measure: fc.Arbitrary<Measured>) =>
  fc.uniqueArray(
    fc.record({
      by: fc.oneof(fc.nat({ max: groupBy.length - 1 }), measure),
      descending: fc.boolean(),
    }),
    { maxLength: 2, selector: ({ by }) => JSON.stringify(by) },
  );

/** The parameters that say it. */
export const writeAggregate = ({ filter, groupBy, measures, atLeast, sort, ...page }: AggregateQuery) => {
  const aggregate: Record<string, string[]> = {};
  for (const { operation, term } of measures) (aggregate[operation] ??= []).push(term);
  const keys = sort.map(({ by, descending }) => {
    const name = typeof by === 'number' ? groupBy[by] : `${by.operation}.${by.term}`;
    return `${descending ? '-' : ''}${name}`;
  });
  return {
    aggregate,
    groupBy,
    ...page,
    ...(keys.length > 0 && { sort: keys }),
    ...(filter !== undefined && { filter: writeFilter(filter) }),
    ...(atLeast !== undefined && { having: { count: { _gte: atLeast } } }),
  };
};

interface RowGroup {
  /** A value for each term of `groupBy`. */
  readonly values: readonly unknown[];
  readonly rows: readonly Row[];
}

/** The answer to an aggregation. @throws Forbidden */
export const answerAggregate = (collection: Collection, query: AggregateQuery, world: World): Expected => {
  const place = { world, collection };
  const { filter, groupBy, measures, atLeast = 0, sort } = query;
  checkQuery({ filter, fields: ['*'] }, place);
  const sorting = sort.flatMap(({ by }) => (typeof by === 'number' ? [] : [by.term]));
  for (const term of [...groupBy, ...measures.map((each) => each.term), ...sorting]) checkTerm(term, place);
  const rows = visibleRows(world, collection)
    .filter((row) => isWanted(row, { filter }, place))
    .filter((row) => groupBy.every((term) => isShown(term, row, place)));
  const found = groupsOf(rows, groupBy, place)
    .filter((group) => group.rows.length >= atLeast)
    .toSorted((left, right) => compareGroups(left, right, { query, place }));
  const data = cut(found, query, world.fallback).map((group) => {
    const shown: Record<string, unknown> = {};
    groupBy.forEach((term, index) => (shown[keyOf(term)] = group.values[index]));
    for (const each of measures)
      ((shown[each.operation] ??= {}) as Record<string, unknown>)[keyOf(each.term)] = measure(
        each,
        group.rows,
        place,
      );
    return shown;
  });
  return { data };
};

/** Without terms, one group of all rows, if any. */
const groupsOf = (rows: readonly Row[], groupBy: readonly Term[], place: Place): readonly RowGroup[] => {
  const groups = new Map<string, { values: readonly unknown[]; rows: Row[] }>(
    groupBy.length === 0 ? [['[]', { values: [], rows: [] }]] : [],
  );
  for (const row of rows) {
    const values = groupBy.map((term) => valueOf(term, row, place));
    const key = JSON.stringify(values);
    const group = groups.get(key) ?? { values, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()];
};

/** By `sort`, then by the values of the groups; null comes first. */
const compareGroups = (
  left: RowGroup,
  right: RowGroup,
  { query, place }: { readonly query: AggregateQuery; readonly place: Place },
): number => {
  const rest = query.groupBy.map((_, by): SortedBy => ({ by, descending: false }));
  for (const { by, descending } of [...query.sort, ...rest]) {
    const order =
      typeof by === 'number'
        ? comparePresent(left.values[by], right.values[by], {
            field: fieldOf(query.groupBy[by] ?? '', place.collection),
            place,
          })
        : comparePresent(measure(by, left.rows, place), measure(by, right.rows, place), {
            field: ['min', 'max'].includes(by.operation) ? fieldOf(by.term, place.collection) : undefined,
            place,
          });
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
};

interface Compared {
  /** Undefined for a number. */
  readonly field: Field | undefined;
  readonly place: Place;
}

const comparePresent = (left: unknown, right: unknown, { field, place }: Compared): number => {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  return field === undefined
    ? Number(left) - Number(right)
    : compareValues(field, left, right, place.world.archive);
};

const measure = ({ operation, term }: Measured, rows: readonly Row[], place: Place): unknown => {
  const field = fieldOf(term, place.collection);
  const present = rows.map((row) => valueOf(term, row, place)).filter((value) => value !== null);
  const values = operation.endsWith('Distinct')
    ? [...new Map(present.map((value) => [String(value), value])).values()]
    : present;
  if (operation.startsWith('count')) return values.length;
  if (values.length === 0) return null;
  const scale = field?.type === 'decimal' ? (field.scale ?? 0) : 0;
  if (operation.startsWith('sum')) return writeExact(sumOf(values, scale), scale);
  if (operation.startsWith('avg')) {
    const digits = 10n ** BigInt(averageDigits);
    return writeExact(divide(sumOf(values, scale) * digits, BigInt(values.length)), scale + averageDigits);
  }
  const sorted = values.toSorted((left, right) => comparePresent(left, right, { field, place }));
  return operation === 'min' ? sorted[0] : sorted.at(-1);
};

/** Digits that an average has beyond those of its field. */
const averageDigits = 4;

/** In units of the last digit. */
const sumOf = (values: readonly unknown[], scale: number): bigint =>
  values.reduce<bigint>((sum, value) => sum + readExact(String(value), scale), 0n);

const readExact = (text: string, scale: number): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(scale, '0')}`);
};

/** Rounds half away from zero. */
const divide = (value: bigint, by: bigint): bigint => {
  const size = value < 0n ? -value : value;
  const rounded = (2n * size + by) / (2n * by);
  return value < 0n ? -rounded : rounded;
};

const writeExact = (value: bigint, scale: number): string => {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return value < 0n ? `-${text}` : text;
};

/** Returns the paths of fields, each with the type of its field. */
const fieldsBelow = (path: string, { fields }: Collection) =>
  [...fields.values()].map(({ name, type }) => ({ path: `${path}${name}`, type }));

/**
 * Parameters of any aggregation, whether or not it makes sense: paths, texts, orders. Sums of floating-point numbers are left
 * out: they depend on the order in which the database reads its rows, which any write may change.
 */
export const anyAggregateOn = (collection: Collection): fc.Arbitrary<Record<string, unknown>> => {
  const parents = [...collection.relations.values()].flatMap((relation) =>
    relation.kind === 'manyToOne' ? [relation] : [],
  );
  const paths = [
    ...fieldsBelow('', collection),
    ...[...parents, ...collection.anyTargets.values()].flatMap((related) =>
      fieldsBelow(`${related.name}.`, related.collection),
    ),
  ];
  const floats = new Set(paths.flatMap(({ path, type }) => (type === 'float' ? [path] : [])));
  const term = fc.constantFrom(...paths.map(({ path }) => path), ...callsOn(collection));
  const measure = fc
    .tuple(fc.constantFrom('count', 'countDistinct', 'sum', 'avg', 'min', 'max'), term)
    .filter(([operation, path]) => !floats.has(path) || !['sum', 'avg'].includes(operation));
  return fc
    .record({
      terms: fc.array(measure, { minLength: 1, maxLength: 3 }),
      groupBy: fc.uniqueArray(term, { maxLength: 2 }),
      filter: fc.option(filterOn(collection, 1), { freq: 1, nil: undefined }),
      sort: fc.option(fc.tuple(fc.constantFrom('-', ''), measure), { freq: 1, nil: undefined }),
      limit: fc.constantFrom(-1, 2),
    })
    .map(({ terms, groupBy, filter, sort, limit }) => {
      const parameters: Record<string, unknown> = {
        aggregate: Object.fromEntries(terms.map(([name, each]) => [name, [each]])),
        groupBy,
        limit,
      };
      if (filter !== undefined) parameters.filter = writeFilter(filter);
      if (sort !== undefined && groupBy.length > 0) {
        const [direction, [operation, path]] = sort;
        parameters.sort = [`${direction}${operation}.${path}`];
      }
      return parameters;
    });
};
