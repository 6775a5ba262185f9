/** Restricts reads to items by their keys, and parses keys. */
import type { Collection, Field } from '../../contract/collection.js';
import { forbidden, type ApiError } from '../../contract/errors.js';
import { splitKey } from '../request/route.js';
import { readValue } from './values.js';
import type { Scalar } from './parsed-value.js';
import { allOf, anyOf, type Condition, type ReadPlan } from './types.js';

/** Restricts a plan to one item and drops its order and paging. The key is bound as `keys`. */
export const restrictToItem = (plan: ReadPlan): ReadPlan => ({
  ...plan,
  where: allOf([keyCondition(plan.collection, 0), plan.where]),
  order: [],
  limit: 'all',
  offset: null,
  page: null,
  meta: [],
  byKey: true,
});

/** Restricts a plan to its first item. */
export const restrictToFirst = (plan: ReadPlan): ReadPlan => ({
  ...plan,
  limit: { from: 'rule', value: 1 },
  offset: null,
  page: null,
  meta: [],
});

/** Restricts a plan to the items of `count` keys, whose parts are bound as `keys` one after another. */
export const restrictToItems = (plan: ReadPlan, count: number): ReadPlan => ({
  ...plan,
  where: allOf([keysCondition(plan.collection, count), plan.where]),
});

/** Orders the items of `count` keys by the order of the keys. */
export const orderByKeys = (plan: ReadPlan, count: number): ReadPlan => ({
  ...plan,
  order: [],
  explicitOrder: eachKeyCondition(plan.collection, count),
});

/** Returns the condition that a row has one of `count` keys. */
const keysCondition = (collection: Collection, count: number): Condition => {
  const [only] = collection.key;
  if (collection.key.length > 1 || only === undefined) {
    return anyOf(eachKeyCondition(collection, count));
  }
  return {
    kind: 'compare',
    column: { path: [], field: only, rule: null, inRule: false },
    operator: 'in',
    operand: { from: 'keys' },
  };
};

const eachKeyCondition = (collection: Collection, count: number): readonly Condition[] =>
  Array.from({ length: count }, (_, index) => keyCondition(collection, index * collection.key.length));

/**
 * Returns the condition that a row has one key. `first`: the index of its first part among the bound keys.
 */
const keyCondition = ({ key }: Collection, first: number): Condition =>
  allOf(
    key.map((field, index) => ({
      kind: 'compare',
      column: { path: [], field, rule: null, inRule: false },
      operator: 'eq',
      operand: { from: 'key', index: first + index },
    })),
  );

/**
 * Parses the parts of a key, as a path or a list of keys contains them, by type.
 * @throws FORBIDDEN for an invalid key, as for a missing item
 */
export const readKey = (collection: Collection, parts: readonly unknown[]): readonly Scalar[] => {
  if (parts.length !== collection.key.length) throw missingItem(collection);
  return collection.key.map((field, index) => readKeyPart(collection, field, parts[index]));
};

const readKeyPart = (collection: Collection, field: Field, part: unknown): Scalar => {
  const read = readValue(field, part);
  if (!read.ok) throw missingItem(collection);
  return read.value;
};

/** Splits a key in a body: a bare value, or for a composite key its parts joined by commas, as in a path. */
export const splitKeyValue = (collection: Collection, value: unknown): readonly unknown[] =>
  collection.key.length > 1 && typeof value === 'string' ? splitKey(value, collection.key.length) : [value];

/**
 * Creates the error for an item that does not exist, and the same one for an item that the caller may not
 * use.
 */
export const missingItem = (collection: Collection): ApiError =>
  forbidden(`the item of "${collection.name}" does not exist or may not be used this way`);
