/** Plans pages by keyset: the rows after the last one of the previous page, by the values of its sort keys. */
import type { Field } from '../../contract/collection.js';
import { fieldTypes } from '../../contract/field-types.js';
import { invalidQuery } from '../../contract/errors.js';
import {
  allOf,
  anyOf,
  conditionFalse,
  conditionTrue,
  type ColumnRef,
  type Condition,
  type Order,
  type ReadPlan,
} from './types.js';

/** Returns whether the order of a plan is total: it contains the whole key, which is visible on every row. */
const isTotal = ({ order, collection: { key } }: ReadPlan): boolean =>
  key.length > 0 &&
  key.every(({ name }) =>
    order.some(
      ({ column: { path, field, rule, computed } }) =>
        path.length === 0 && field.name === name && rule === null && computed === undefined,
    ),
  );

/**
 * Continues a plan after a row, the values of whose sort keys are bound as `keys`, those that are not null. `nulls` says
 * which are; it is null for the first page.
 * @throws INVALID_QUERY where the order is not total, or has keys that cannot be compared
 */
export const planCursor = (plan: ReadPlan, nulls: readonly boolean[] | null): ReadPlan => {
  const { collection } = plan;
  const order = cursorOrder(plan);
  if (!isTotal(plan))
    throw invalidQuery(
      `a cursor needs the key of "${collection.name}", which cannot be read or does not exist`,
    );
  for (const { column } of plan.order) requirePageable(column);
  if (nulls !== null && (plan.offset !== null || plan.page !== null))
    throw invalidQuery('"after" takes the place of "offset" and "page"');
  if (nulls !== null && nulls.length !== order.length) throw foreignCursor();
  const after = nulls === null ? conditionTrue : planAfter(order, nulls);
  return { ...plan, cursor: { after, keys: order, order: printOrder(plan) } };
};

/** Returns whether a plan can be read in pages by keyset. */
export const canPage = (plan: ReadPlan): boolean =>
  isTotal(plan) && plan.order.every(({ column }) => isPageable(column));

/** Returns the sort keys of a plan as a cursor holds them: values of an enum by their position, as databases sort them. */
export const cursorOrder = ({ order }: Pick<ReadPlan, 'order'>): readonly Order[] =>
  order.map((each) =>
    each.column.field.values === undefined ? each : { ...each, column: positionOf(each.column) },
  );

const positionOf = (column: ColumnRef): ColumnRef => {
  const { name, nullable } = column.field;
  const field: Field = { name, type: 'integer', ...(nullable !== undefined && { nullable }) };
  return { ...column, field, computed: { kind: 'position', source: column.field } };
};

/** Returns the error for a cursor that was not made for this list and order, or was changed. */
export const foreignCursor = (): Error =>
  invalidQuery('"after" must be the cursor of a page of the same collection with the same "sort"');

const isPageable = ({ field }: ColumnRef): boolean => fieldTypes[field.type].order === 'paged';

const requirePageable = (column: ColumnRef): void => {
  const { field } = column;
  if (isPageable(column)) return;
  throw invalidQuery(`a cursor cannot follow the order of "${field.name}" (${field.dbType ?? field.type})`);
};

const printOrder = ({ collection, order }: ReadPlan): string =>
  JSON.stringify([
    collection.name,
    ...order.map(({ column: { path, field, computed }, descending }) => [
      ...path.map(({ relation }) => relation.name),
      field.name,
      computed?.kind === 'part' ? computed.zone : null,
      descending,
    ]),
  ]);

interface KeyValue extends Order {
  /** Index of the value among the bound keys; null where the value is null. */
  readonly index: number | null;
}

/**
 * Plans `first > v1 or (first = v1 and second > v2) …`, with the first of several keys compared on its own as well, so
 * that databases begin reading an index there.
 */
const planAfter = (order: readonly Order[], nulls: readonly boolean[]): Condition => {
  let bound = 0;
  const keys = order.map((each, index): KeyValue => ({
    ...each,
    index: nulls[index] === true ? null : bound++,
  }));
  const [first] = keys;
  const alternatives = keys.map((key, index) => allOf([...keys.slice(0, index).map(equal), beyond(key)]));
  if (first === undefined || keys.length === 1) return anyOf(alternatives);
  return allOf([anyOf([beyond(first), equal(first)]), anyOf(alternatives)]);
};

const compare = ({ column, index }: KeyValue, operator: 'eq' | 'gt' | 'lt'): Condition => ({
  kind: 'compare',
  column,
  operator,
  operand: { from: 'cursor', index: index ?? 0 },
});

const isNull = ({ column }: KeyValue): Condition => ({ kind: 'null', column });

const equal = (key: KeyValue): Condition => (key.index === null ? isNull(key) : compare(key, 'eq'));

/** Plans what sorts after a value: null is the smallest. */
const beyond = (key: KeyValue): Condition => {
  if (key.descending) {
    if (key.index === null) return conditionFalse;
    return mayBeNull(key.column) ? anyOf([compare(key, 'lt'), isNull(key)]) : compare(key, 'lt');
  }
  return key.index === null ? { kind: 'not', condition: isNull(key) } : compare(key, 'gt');
};

/** Returns whether a value may be null: of the row, because there is no related row, or because it is hidden. */
export const mayBeNull = ({ path, rule, field }: ColumnRef): boolean =>
  path.length > 0 || rule !== null || field.nullable === true;
