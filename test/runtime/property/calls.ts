/** Calls of functions in `fields`, `alias`, `filter` and `sort`: made at random, and their answers worked out of whole tables. */
import * as fc from 'fast-check';
import type { Collection } from '../../../contract/collection.js';
import { filterOn, writeFilter, type FilterTree } from './filters.js';
import { checkQuery } from './names.js';
import { isWanted, type Expected } from './reference.js';
import type { Row } from './rows.js';
import { callsOn, checkTerm, keyOf, valueOf, type Term } from './terms.js';
import { compareValues } from './values.js';
import { visibleRows, type World } from './visible.js';

interface CallQuery {
  readonly filter: FilterTree | undefined;
  /** The meaning of each key of the response. */
  readonly alias: readonly (readonly [string, Term])[];
  readonly call: Term;
  /** Smallest value of the call, if any. */
  readonly atLeast: number | undefined;
  readonly descending: boolean;
}

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
