/** Aggregations and calls of functions: made at random, and their answers worked out of whole tables. */
import * as fc from 'fast-check';
import type { Collection, Field } from '../../../contract/collection.js';
import { functionsOf, parseCall, resultName } from '../../../contract/functions.js';
import { checkQuery, Forbidden } from './names.js';
import { isWanted, type Expected } from './reference.js';
import { filterOn, writeFilter, type FilterTree } from './filters.js';
import type { Row } from './rows.js';
import { compareValues } from './values.js';
import {
  canRead,
  cellOf,
  mayUse,
  relatedRows,
  shows,
  visibleRows,
  type Place,
  type World,
} from './visible.js';

/** A field, or a call such as `year(written)`. */
type Term = string;

interface AggregateQuery {
  readonly filter: FilterTree | undefined;
  readonly groupBy: readonly Term[];
  readonly measures: readonly { readonly operation: string; readonly term: Term }[];
  /** Smallest number of rows of a group. */
  readonly atLeast: number | undefined;
}

interface CallQuery {
  readonly filter: FilterTree | undefined;
  /** The meaning of each key of the response. */
  readonly alias: readonly (readonly [string, Term])[];
  readonly call: Term;
  /** Smallest value of the call, if any. */
  readonly atLeast: number | undefined;
  readonly descending: boolean;
}

const callsOn = ({ fields, relations }: Collection): readonly Term[] => [
  ...[...fields.values()].flatMap(({ name, type }) =>
    type === 'json' ? [] : functionsOf(type).map((called) => `${called}(${name})`),
  ),
  ...[...relations.values()].flatMap(({ kind, name }) => (kind === 'oneToMany' ? [`count(${name})`] : [])),
];

const namesOf = ({ fields }: Collection, isTaken: (field: Field) => boolean): readonly Term[] =>
  [...fields.values()].filter(isTaken).map(({ name }) => name);

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
const ordered = new Set(['integer', 'date', 'dateTime', 'timestamp', 'time']);

const measuresOf = (operation: string, terms: readonly Term[]) =>
  terms.length === 0 ? [] : [fc.constantFrom(...terms).map((term) => ({ operation, term }))];

const measureOn = (collection: Collection) => {
  const calls = callsOn(collection);
  const exact = [...namesOf(collection, ({ type }) => grouped.has(type)), ...calls];
  const numbers = [...namesOf(collection, ({ type }) => type === 'integer'), ...calls];
  return fc.oneof(
    ...measuresOf('count', [...namesOf(collection, () => true), ...calls]),
    ...measuresOf('countDistinct', exact),
    ...measuresOf('sum', numbers),
    ...measuresOf('min', [...namesOf(collection, ({ type }) => ordered.has(type)), ...calls]),
    ...measuresOf('max', [...namesOf(collection, ({ type }) => ordered.has(type)), ...calls]),
  );
};

export const aggregateOn = (collection: Collection): fc.Arbitrary<AggregateQuery> => {
  const terms = [...namesOf(collection, ({ type }) => grouped.has(type)), ...callsOn(collection)];
  return fc.record({
    filter: fc.option(filterOn(collection, 1), { freq: 1, nil: undefined }),
    groupBy: fc.uniqueArray(fc.constantFrom(...terms), { maxLength: 2 }),
    measures: fc.uniqueArray(measureOn(collection), {
      minLength: 1,
      maxLength: 4,
      selector: ({ operation, term }) => `${operation} ${term}`,
    }),
    atLeast: fc.option(fc.constantFrom(1, 2, 4), { freq: 2, nil: undefined }),
  });
};

export const callsQueryOn = (collection: Collection): fc.Arbitrary<CallQuery> | null => {
  const calls = callsOn(collection);
  if (calls.length === 0) return null;
  const call = fc.constantFrom(...calls);
  const name = fc.constantFrom(...collection.fields.keys());
  return fc.record({
    filter: fc.option(filterOn(collection, 1), { freq: 1, nil: undefined }),
    alias: fc
      .array(fc.oneof(call, name), { minLength: 1, maxLength: 3 })
      .map((terms) => terms.map((term, index) => [`a${index}`, term] as const)),
    call,
    atLeast: fc.option(fc.constantFrom(0, 1, 2, 12), { freq: 1, nil: undefined }),
    descending: fc.boolean(),
  });
};

/** The parameters that say it. */
export const writeAggregate = ({ filter, groupBy, measures, atLeast }: AggregateQuery) => {
  const aggregate: Record<string, string[]> = {};
  for (const { operation, term } of measures) (aggregate[operation] ??= []).push(term);
  return {
    aggregate,
    groupBy,
    limit: -1,
    ...(filter !== undefined && { filter: writeFilter(filter) }),
    ...(atLeast !== undefined && { having: { count: { _gte: atLeast } } }),
  };
};

export const writeCalls = ({ filter, alias, call, atLeast, descending }: CallQuery) => {
  const conditions = [
    ...(filter === undefined ? [] : [writeFilter(filter)]),
    ...(atLeast === undefined ? [] : [{ [call]: { _gte: atLeast } }]),
  ];
  return {
    fields: [call, ...alias.map(([name]) => name)],
    alias: Object.fromEntries(alias),
    sort: [`${descending ? '-' : ''}${call}`],
    ...(conditions.length > 0 && { filter: { _and: conditions } }),
  };
};

/** @throws Forbidden */
const checkTerm = (term: Term, { world, collection }: Place): void => {
  const name = parseCall(term)?.argument ?? term;
  const relation = collection.relations.get(name);
  if (!mayUse(world, collection, name)) throw new Forbidden();
  if (relation?.kind === 'oneToMany' && !canRead(world, relation.collection)) throw new Forbidden();
};

const keyOf = (term: Term): string => {
  const call = parseCall(term);
  return call === null ? term : resultName(call);
};

const valueOf = (term: Term, row: Row, place: Place): unknown => {
  const call = parseCall(term);
  if (call === null) return cellOf(term, row, place);
  const relation = place.collection.relations.get(call.argument);
  if (relation?.kind === 'oneToMany') return relatedRows(relation, row, place)?.length ?? null;
  const cell = cellOf(call.argument, row, place);
  return cell === null ? null : partOf(call.name, String(cell));
};

const partOf = (part: string, text: string): number => {
  const isClock = /^\d\d:/.test(text);
  const clock = /(\d\d):(\d\d):(\d\d)/.exec(text)?.slice(1).map(Number) ?? [0, 0, 0];
  if (part === 'hour' || part === 'minute' || part === 'second')
    return clock[['hour', 'minute', 'second'].indexOf(part)] ?? 0;
  if (isClock) throw new Error(`a time has no ${part}`);
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  const year = date.getUTCFullYear();
  const first = new Date(`${text.slice(0, 4)}-01-01T00:00:00Z`);
  const dayOfYear = Math.round((date.getTime() - first.getTime()) / 86_400_000);
  switch (part) {
    case 'year':
      return year;
    case 'month':
      return date.getUTCMonth() + 1;
    case 'day':
      return date.getUTCDate();
    case 'weekday':
      return date.getUTCDay() + 1;
    default:
      return Math.floor((dayOfYear + 7 - date.getUTCDay()) / 7);
  }
};

/** The answer to an aggregation, its rows in any order. @throws Forbidden */
export const answerAggregate = (collection: Collection, query: AggregateQuery, world: World): Expected => {
  const place = { world, collection };
  const { filter, groupBy, measures, atLeast = 0 } = query;
  checkQuery({ filter, fields: ['*'] }, place);
  for (const term of [...groupBy, ...measures.map((measure) => measure.term)]) checkTerm(term, place);
  const rows = visibleRows(world, collection)
    .filter((row) => isWanted(row, { filter }, place))
    .filter((row) =>
      groupBy.every((term) => shows(world, collection, { name: parseCall(term)?.argument ?? term, row })),
    );
  const groups = new Map<string, Row[]>(groupBy.length === 0 ? [['[]', []]] : []);
  for (const row of rows) {
    const key = JSON.stringify(groupBy.map((term) => valueOf(term, row, place)));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const data = [...groups.values()]
    .filter((members) => members.length >= atLeast)
    .map((members) => {
      const shown: Record<string, unknown> = {};
      for (const term of groupBy) shown[keyOf(term)] = valueOf(term, members[0] as Row, place);
      for (const { operation, term } of measures) {
        const below = (shown[operation] ??= {}) as Record<string, unknown>;
        below[keyOf(term)] = measure(
          operation,
          members.map((row) => valueOf(term, row, place)),
          {
            field: collection.fields.get(term),
            place,
          },
        );
      }
      return shown;
    });
  return { data };
};

const measure = (
  operation: string,
  values: readonly unknown[],
  { field, place }: { readonly field: Field | undefined; readonly place: Place },
): unknown => {
  const present = values.filter((value) => value !== null);
  const compare = (left: unknown, right: unknown): number =>
    field === undefined
      ? Number(left) - Number(right)
      : compareValues(field, left, right, place.world.archive);
  switch (operation) {
    case 'count':
      return present.length;
    case 'countDistinct':
      return new Set(present.map(String)).size;
    case 'sum':
      return present.length === 0
        ? null
        : String(present.reduce<number>((sum, each) => sum + Number(each), 0));
    default: {
      const sorted = present.toSorted(compare);
      return (operation === 'min' ? sorted[0] : sorted.at(-1)) ?? null;
    }
  }
};

/** The answer to calls in `fields`, `alias`, `filter` and `sort`. @throws Forbidden */
export const answerCalls = (collection: Collection, query: CallQuery, world: World): Expected => {
  const place = { world, collection };
  const { filter, alias, call, atLeast, descending } = query;
  checkQuery({ filter, fields: ['*'] }, place);
  for (const term of [call, ...alias.map(([, each]) => each)]) checkTerm(term, place);
  const numberOf = (row: Row): number | null => valueOf(call, row, place) as number | null;
  const compareKeys = (left: Row, right: Row): number => {
    for (const field of collection.key) {
      const order = compareValues(field, left[field.name], right[field.name], world.archive);
      if (order !== 0) return order;
    }
    return 0;
  };
  const order = (row: Row): number => numberOf(row) ?? Number.NEGATIVE_INFINITY;
  const compare = (left: Row, right: Row): number => {
    if (order(left) === order(right)) return compareKeys(left, right);
    return (order(left) < order(right) ? -1 : 1) * (descending ? -1 : 1);
  };
  const data = visibleRows(world, collection)
    .filter((row) => isWanted(row, { filter }, place))
    .filter((row) => atLeast === undefined || (numberOf(row) ?? -1) >= atLeast)
    .toSorted(compare)
    .slice(0, world.fallback)
    .map((row) => {
      const shown: [string, unknown][] = [[keyOf(call), numberOf(row)]];
      for (const [name, term] of alias) {
        const value = valueOf(term, row, place);
        const isConcealed = collection.fields.get(term)?.conceal === true && value !== null;
        shown.push([name, isConcealed ? '**********' : value]);
      }
      return Object.fromEntries(shown);
    });
  return { data };
};

/** Parameters of any aggregation, whether or not it makes sense: paths, texts, orders. */
export const anyAggregateOn = (collection: Collection): fc.Arbitrary<Record<string, unknown>> => {
  const related = [...collection.relations.values()].flatMap((relation) =>
    relation.kind === 'manyToOne'
      ? [...relation.collection.fields.keys()].map((name) => `${relation.name}.${name}`)
      : [],
  );
  const anyRelated = [...collection.anyTargets.values()].flatMap((target) =>
    [...target.collection.fields.keys()].map((name) => `${target.name}.${name}`),
  );
  const terms = [...collection.fields.keys(), ...related, ...anyRelated, ...callsOn(collection)];
  const term = fc.constantFrom(...terms);
  const operation = fc.constantFrom('count', 'countDistinct', 'sum', 'avg', 'min', 'max');
  return fc
    .record({
      terms: fc.array(fc.tuple(operation, term), { minLength: 1, maxLength: 3 }),
      groupBy: fc.uniqueArray(term, { maxLength: 2 }),
      filter: fc.option(filterOn(collection, 1), { freq: 1, nil: undefined }),
      sort: fc.option(fc.tuple(fc.constantFrom('-', ''), operation, term), { freq: 1, nil: undefined }),
      limit: fc.constantFrom(-1, 2),
    })
    .map(({ terms, groupBy, filter, sort, limit }) => {
      const parameters: Record<string, unknown> = {
        aggregate: Object.fromEntries(terms.map(([name, each]) => [name, [each]])),
        groupBy,
        limit,
      };
      if (filter !== undefined) parameters.filter = writeFilter(filter);
      if (sort !== undefined && groupBy.length > 0) parameters.sort = [`${sort[0]}${sort[1]}.${sort[2]}`];
      return parameters;
    });
};
