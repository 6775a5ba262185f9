/** Converts a query to a read plan: the one planner of REST, GraphQL and every other read of items. */
import type { ToMany } from '../../contract/collection.js';
import { isMasked } from '../../contract/fields.js';
import { collectProblems, invalidQuery, joinProblems, mapAll, type ApiError } from '../../contract/errors.js';
import type { FieldNode, Query, SortKey } from '../request/query.js';
import { planSelect } from './fields.js';
import { fromQuery } from './comparison.js';
import { planFilter } from './filter.js';
import { planSortKey } from './order.js';
import {
  fieldRule,
  isNamePermitted,
  openScope,
  readableRows,
  type PlanContext,
  type Scope,
} from './scope.js';
import type { Collection, Field } from '../../contract/collection.js';
import { fieldTypes } from '../../contract/field-types.js';
import { planSearch } from './search.js';
import {
  allOf,
  conditionTrue,
  type Condition,
  type Limit,
  type Order,
  type ReadPlan,
  type Select,
} from './types.js';

/** The query without parameters. */
export const emptyQuery: Query = {
  fields: null,
  filter: null,
  sort: null,
  limit: null,
  offset: null,
  page: null,
  search: null,
  meta: [],
  cursor: false,
  after: null,
  alias: [],
  timezone: null,
  exportAs: null,
  aggregation: null,
  deep: [],
};

/**
 * Plans a read. @throws FORBIDDEN for collections and names, INVALID_QUERY for parameters that do not apply
 */
export const planRead = (query: Query, collection: Collection, context: PlanContext): ReadPlan => {
  const scope = openScope(collection, 'read', {
    ...context,
    zone: query.timezone,
    ...(query.backlink === false && { backlink: false }),
  });
  return planLevel(query, scope, () => planSelect(query.fields, scope, query));
};

/** Plans a nested list: its rows as objects, or as bare keys where no field is named (`children: null`). */
export const planMany = (
  relation: ToMany,
  options: {
    readonly children: readonly FieldNode[] | null;
    readonly query: Query | null;
    readonly scope: Scope;
  },
): ReadPlan => {
  const { children, scope } = options;
  const query = options.query ?? emptyQuery;
  const bare = children === null && scope.collection.key.length > 0;
  const plan = planLevel(query, scope, () => (bare ? planKey(scope) : planSelect(children, scope, query)));
  const { sortField } = relation;
  if (query.sort !== null || sortField === undefined || !isNamePermitted(scope, sortField)) return plan;
  return { ...plan, order: unsortedLast(planOrder([ascending(sortField)], scope)) };
};

/**
 * Plans the items of one target of a many-to-any relation, each as an object, or as its bare key where no field is named
 * (`children: null`). Returns null where the caller may not read the key.
 */
export const planAnyTarget = (options: {
  readonly children: readonly FieldNode[] | null;
  readonly query: Query | null;
  readonly scope: Scope;
}): ReadPlan | null => {
  const { children, query, scope } = options;
  const level = query ?? emptyQuery;
  if (children === null && !scope.collection.key.every(({ name }) => isNamePermitted(scope, name)))
    return null;
  const select = () => (children === null ? planKey(scope) : planSelect(children, scope, level));
  return { ...planLevel({ ...level, sort: [], limit: null }, scope, select), limit: 'unlimited', order: [] };
};

/** Sorts rows without a value in the sort field after those that have one. */
const unsortedLast = (orders: readonly Order[]): readonly Order[] =>
  orders.map((order, index) => (index === 0 ? { ...order, nullsLast: true } : order));

/** Plans the bare key of a row; a composite key is visible where all of its parts are. @throws FORBIDDEN */
const planKey = (scope: Scope): Select => {
  const fields = scope.collection.key;
  const rules = fields.map(({ name }) => fieldRule(scope, name)).filter((rule) => rule !== null);
  return { kind: 'key', fields, rule: rules.length === 0 ? null : allOf(rules) };
};

const planLevel = (query: Query, scope: Scope, planSelection: () => Select): ReadPlan => {
  if (scope.grant === null) throw new Error('a read needs a grant');
  if (query.aggregation !== null) throw noGroups();
  const whereTotal = readableRows(scope);
  const problems: ApiError[] = [];
  const select = collectProblems(problems, planSelection);
  const where = collectProblems(problems, () => planWhere(query, scope));
  const order = collectProblems(problems, () => planOrder(query.sort ?? defaultSort(scope), scope));
  if (select === null || where === null || order === null) throw joinProblems(problems);
  return {
    collection: scope.collection,
    grant: scope.grant,
    select,
    where: allOf([whereTotal, where]),
    whereTotal,
    order,
    limit: planLimit(query),
    offset: query.offset === null ? null : fromQuery(query.offset),
    page: query.page === null ? null : fromQuery(query.page),
    meta: query.meta,
  };
};

/** Returns the error for an aggregation of what is no list. */
export const noGroups = () => invalidQuery('"aggregate" and "groupBy" apply to lists only');

/**
 * Returns the condition of filter and search, under the rules of `scope`; the caller's rows of the collection
 * itself are a condition of their own.
 */
export const planWhere = (query: Query, scope: Scope): Condition =>
  allOf([
    query.filter === null ? conditionTrue : planFilter(query.filter, scope, fromQuery),
    query.search === null ? conditionTrue : planSearch(scope, { from: 'text', slot: query.search }),
  ]);

/**
 * Returns the operand of the limit, `all` for -1, or `default` where the query has none. The configured default and maximum are
 * applied when a statement is compiled.
 */
export const planLimit = (query: Query): Limit => {
  if (query.limit === null) return 'default';
  return query.limit === 'all' ? 'all' : fromQuery(query.limit);
};

/** Returns the default order: the collection's sort field, else its key, else its first readable field. */
const defaultSort = (scope: Scope): readonly SortKey[] => {
  const { sortField, key, view, fields } = scope.collection;
  const names = sortField === null ? key.map((field) => field.name) : [sortField];
  if (names.length > 0 && names.every((name) => isNamePermitted(scope, name))) return names.map(ascending);
  const first = view ? undefined : [...fields.keys()].find((name) => isNamePermitted(scope, name));
  return first === undefined ? [] : [ascending(first)];
};

const ascending = (name: string): SortKey => ({ path: [name], descending: false });

/**
 * Appends the key, so that the order is total and rows do not change pages. Where the key is hidden, its order must not
 * show: then all readable fields follow, and the rows that are equal in these look alike.
 */
const planOrder = (keys: readonly SortKey[], scope: Scope): readonly Order[] => {
  const { key, fields } = scope.collection;
  const sorted = new Set(keys.filter(({ path }) => path.length === 1).map(({ path }) => path[0]));
  const isKeyHidden = key.some(({ name }) => !isNamePermitted(scope, name));
  const last = isKeyHidden ? Array.from(fields.values()).filter((field) => isSortable(field, scope)) : key;
  const rest = last.filter(({ name }) => !sorted.has(name));
  const all = [...keys, ...rest.map(({ name }) => ascending(name))];
  return mapAll(all, (each) => planSortKey(each, scope)).flat();
};

const isSortable = (field: Field, scope: Scope): boolean =>
  !isMasked(field) && fieldTypes[field.type].order !== null && isNamePermitted(scope, field.name);
