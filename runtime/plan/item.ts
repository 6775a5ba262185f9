/** Reads of items that are named by key. */
import type { Collection, Field } from '../../contract/collection.js';
import { forbidden } from '../../contract/errors.js';
import { splitKey } from '../request/route.js';
import { readValue, type Scalar } from './values.js';
import { allOf, anyOf, type Condition, type ReadPlan } from './types.js';

/** Narrows a plan to one item, whatever page the query asked for. The key comes as `keys` when it is bound. */
export const restrictToItem = (plan: ReadPlan): ReadPlan => ({
  ...plan,
  where: allOf([keyCondition(plan.collection, 0), plan.where]),
  order: [],
  limit: 'all',
  offset: null,
  page: null,
  meta: [],
});

/** Narrows a plan to its first item. */
export const restrictToFirst = (plan: ReadPlan): ReadPlan => ({
  ...plan,
  limit: { from: 'rule', value: 1 },
  offset: null,
  page: null,
  meta: [],
});

/** Narrows a plan to the items of `count` keys; their parts come as `keys`, one after another. */
export const restrictToItems = (plan: ReadPlan, count: number): ReadPlan => ({
  ...plan,
  where: allOf([keysCondition(plan.collection, count), plan.where]),
});

/** Puts the items of `count` keys in the order of the keys. */
export const orderByKeys = (plan: ReadPlan, count: number): ReadPlan => ({
  ...plan,
  order: [],
  explicitOrder: eachKeyCondition(plan.collection, count),
});

/** Whether a row has one of `count` keys. */
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

/** `first`: where the parts of the key begin among the bound keys. */
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
 * Parts of a key as the path or a list of keys has them, checked by type.
 * @throws FORBIDDEN: what cannot be a key is as absent as a missing item
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

/** A key in a body: a bare value, or for a composite key its parts joined by commas, as in a path. */
export const splitKeyValue = (collection: Collection, value: unknown): readonly unknown[] =>
  collection.key.length > 1 && typeof value === 'string' ? splitKey(value) : [value];

export const missingItem = (collection: Collection): Error =>
  forbidden(`the item of "${collection.name}" does not exist or may not be used this way`);
