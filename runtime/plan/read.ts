/** Converts a query to a read plan: the one planner of REST, GraphQL and every other read of items. */
import type { ToMany } from '../../contract/collection.js';
import { invalidQuery } from '../../contract/errors.js';
import type { FieldNode, Query, SortKey } from '../request/query.js';
import { planSelect } from './fields.js';
import { fromQuery, planColumn, planFilter } from './filter.js';
import {
  crossRelation,
  fieldRule,
  findRelation,
  forbiddenField,
  hasDotted,
  joinOf,
  isNamePermitted,
  openScope,
  readableRows,
  type PlanContext,
  type Scope,
} from './scope.js';
import type { Collection } from '../../contract/collection.js';
import { planSearch } from './search.js';
import {
  allOf,
  conditionTrue,
  type Condition,
  type Join,
  type Limit,
  type Order,
  type ReadPlan,
  type Select,
} from './types.js';

export const emptyQuery: Query = {
  fields: null,
  filter: null,
  sort: null,
  limit: null,
  offset: null,
  page: null,
  search: null,
  meta: [],
  alias: [],
  timezone: null,
  deep: [],
};

/**
 * Plans a read. @throws FORBIDDEN for collections and names, INVALID_QUERY for parameters that do not apply
 */
export const planRead = (query: Query, collection: Collection, context: PlanContext): ReadPlan => {
  const scope = openScope(collection, 'read', { ...context, zone: query.timezone });
  return planLevel(query, scope, planSelect(query.fields, scope, query));
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
  const plan = planLevel(query, scope, bare ? planKey(scope) : planSelect(children, scope, query));
  const { sortField } = relation;
  if (query.sort !== null || sortField === undefined || !isNamePermitted(scope, sortField)) return plan;
  return { ...plan, order: unsortedLast(planOrder([ascending(sortField)], scope)) };
};

/** Sorts rows without a value in the sort field after those that have one. */
const unsortedLast = ([first, ...rest]: readonly Order[]): readonly Order[] =>
  first === undefined ? [] : [{ ...first, nullsLast: true }, ...rest];

/** Plans the bare key of a row; a composite key is visible where all of its parts are. @throws FORBIDDEN */
const planKey = (scope: Scope): Select => {
  const fields = scope.collection.key;
  const rules = fields.map(({ name }) => fieldRule(scope, name)).filter((rule) => rule !== null);
  return { kind: 'key', fields, rule: rules.length === 0 ? null : allOf(rules) };
};

const planLevel = (query: Query, scope: Scope, select: ReadPlan['select']): ReadPlan => {
  if (scope.grant === null) throw new Error('a read needs a grant');
  const whereTotal = readableRows(scope);
  return {
    collection: scope.collection,
    grant: scope.grant,
    select,
    where: allOf([whereTotal, planWhere(query, scope)]),
    whereTotal,
    order: planOrder(query.sort ?? defaultSort(scope), scope),
    limit: planLimit(query),
    offset: query.offset === null ? null : fromQuery(query.offset),
    page: query.page === null ? null : fromQuery(query.page),
    meta: query.meta,
  };
};

const planWhere = (query: Query, scope: Scope): Condition =>
  allOf([
    query.filter === null ? conditionTrue : planFilter(query.filter, scope, fromQuery),
    query.search === null ? conditionTrue : planSearch(scope, { from: 'text', slot: query.search }),
  ]);

const planLimit = (query: Query): Limit => {
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

/** Appends the key, where it is readable, so that the order is total and rows do not change pages. */
const planOrder = (keys: readonly SortKey[], scope: Scope): readonly Order[] => {
  const order = keys.map((key) => planSortKey(key, scope));
  const sorted = new Set(keys.filter((key) => key.path.length === 1).map((key) => key.path[0]));
  const rest = scope.collection.key.filter((field) => !sorted.has(field.name));
  if (rest.some((field) => !isNamePermitted(scope, field.name))) return order;
  return [...order, ...rest.map((field) => planSortKey(ascending(field.name), scope))];
};

/** Resolves a leading `-` that belongs to the name of a column or relation called `-x`. */
const resolveSign = (key: SortKey, scope: Scope): SortKey => {
  if (!key.descending) return key;
  const [first = '', ...rest] = key.path;
  const column = `-${key.path.join('.')}`;
  const isName =
    (scope.collection.fields.has(column) && isNamePermitted(scope, column)) ||
    (rest.length > 0 && findRelation(scope, `-${first}`) !== undefined);
  return isName ? { path: [`-${first}`, ...rest], descending: false } : key;
};

const planSortKey = (key: SortKey, start: Scope): Order => {
  const { path, descending } = resolveSign(key, start);
  let scope = start;
  const joins: Join[] = [];
  let [name = '', ...rest] = path;
  for (const next of rest) {
    // the name of a column may contain a dot: `v1.0`
    if (findRelation(scope, name) === undefined && hasDotted(scope, `${name}.${next}`)) {
      name += `.${next}`;
      continue;
    }
    const relation = findRelation(scope, name);
    if (!isNamePermitted(scope, name)) throw forbiddenField(scope, name);
    if (relation?.kind === 'oneToMany') throw invalidQuery(`"sort" cannot follow the list "${name}"`);
    if (relation?.kind !== 'manyToOne') throw forbiddenField(scope, name);
    const target = crossRelation(scope, relation);
    if (target === null) throw forbiddenField(scope, name);
    joins.push(joinOf(relation, scope, target));
    scope = target;
    name = next;
  }
  const column = planColumn(name, { scope, path: joins });
  if (column.field.conceal === true || column.field.hash === true) {
    throw invalidQuery(`"sort" cannot use "${name}": its values are concealed`);
  }
  return { column, descending };
};
