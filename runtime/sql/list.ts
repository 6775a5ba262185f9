/** Compiles nested lists, each read for many parents at once and limited per parent. */
import type { Field } from '../../contract/collection.js';
import type { SqlDialect } from '../databases/contract.js';
import type { AnyTarget } from '../plan/types.js';
import { readValue } from '../plan/values.js';
import {
  columnOf,
  compileCondition,
  createCompiler,
  createScope,
  joinsOf,
  tableOf,
  type SqlScope,
} from './condition.js';
import {
  createStatement,
  join,
  repeatFragment,
  sql,
  type BindInput,
  type Sql,
  type Statement,
} from './fragment.js';
import { compileGroups } from './aggregate.js';
import { compileOrder } from './order.js';
import {
  matchParent,
  maxScanParents,
  parentKeyConditions,
  parentKeyOf,
  parentRowOf,
  type JoinedParentKey,
  type ParentKey,
} from './parent-key.js';
import { compileMaxRows, compilePage, readLimit, unlimited, type ReadOptions } from './page.js';
import { columnsOf, compileSelect, type CompiledSelect, type ListEntry, type Token } from './select.js';

/** A nested list. Each row starts with the parent's key, and the rows of a parent follow each other. */
export interface CompiledList {
  /** Reads the rows of each parent up to its limit. */
  readonly statement: ListStatement;
  /** `null` where each parent has its own page, or where nothing is faster than `statement`. */
  readonly scan: ListScan | null;
  /** Number of parents that `statement` takes at once. */
  readonly maxParents: number;
  readonly tokens: readonly Token[];
  readonly lists: readonly CompiledList[];
  /** Number of columns of the parent's key. */
  readonly keyColumns: number;
  /** Returns the number of rows to keep per parent. */
  limit(input: BindInput): number;
  /** Returns whether a key can be bound; absent if all can. Present for items of a many-to-any relation: one per key. */
  isKey?(key: string): boolean;
}

/** Reads the rows of all parents in one scan, which is faster for short lists. */
export interface ListScan {
  /** Returns no rows if a parent has more than its limit. */
  readonly guarded: ListStatement;
  /**
   * Ends after `maxRows` rows, whichever parents have them: cheaper than a guard, and complete where fewer come. `null`
   * where no guard is needed, and where the database may have to sort, which reads all rows first.
   */
  readonly bounded: Statement | null;
}

/** A statement, and the same with the LIMIT of `maxRows`, which is left out where it cannot be reached. */
export interface ListStatement {
  readonly plain: Statement;
  readonly capped: Statement;
}

const maxBranches = 64;

/** Compiles a statement for each list of a selection; each takes the keys of all parents at once. */
export const compileLists = (select: CompiledSelect, options: ReadOptions): readonly CompiledList[] =>
  select.lists.map((entry) => {
    if (entry.kind === 'groups') return compileGroups(entry, options);
    return entry.kind === 'many' ? compileList(entry, options) : compileTarget(entry, options);
  });

const compileList = (entry: ListEntry, options: ReadOptions): CompiledList => {
  const { plan } = entry;
  const parts = compileParts(entry, options);
  const isLateral = options.dialect.perParent === 'lateral';
  return {
    statement: isLateral ? compileLateral(parts) : compileBranches(parts),
    scan: isLateral || !isUnpaged(plan) ? null : compileScan(parts),
    maxParents: isLateral ? maxScanParents : maxBranches,
    tokens: parts.select.tokens,
    lists: compileLists(parts.select, options),
    keyColumns: parts.parentKey.columns.length,
    limit: (input) => readLimit(plan.limit, input, options.limits),
  };
};

/** Compiles the items of one target of a many-to-any relation, which are read by their keys. */
const compileTarget = ({ plan, relation }: AnyTarget, options: ReadOptions): CompiledList => {
  const { dialect } = options;
  const scope = createScope(createCompiler(dialect));
  const [field] = plan.collection.key;
  if (field === undefined) throw new Error(`"${relation.target}" has no key`);
  const key: ParentKey = {
    columns: [columnOf(scope.compiler, scope.alias, field.name)],
    fields: [field],
  };
  const select = compileSelect(plan.select, scope);
  const rest = plan.where.kind === 'true' ? [] : sql` and ${compileCondition(plan.where, scope)}`;
  const { many } = parentKeyConditions(key, dialect);
  const from = sql`${tableOf(plan.collection, scope)}${joinsOf(scope)}`;
  return {
    statement: cap(
      sql`select ${key.columns.join()}, ${columnsOf(select)} from ${from} where ${many}${rest}`,
      dialect,
    ),
    scan: null,
    maxParents: maxScanParents,
    tokens: select.tokens,
    lists: compileLists(select, options),
    keyColumns: 1,
    limit: () => 1,
    isKey: (text) => isKeyText(field, text),
  };
};

/** Returns whether a text is a key as the database writes it. */
const isKeyText = (field: Field, text: string): boolean => {
  const isInteger = field.type === 'integer' || field.type === 'bigInteger';
  return (!isInteger || /^(?:0|-?[1-9]\d*)$/.test(text)) && readValue(field, text).ok;
};

/** Returns whether a list begins at its first row and its limit is known in advance. */
const isUnpaged = ({ offset, page, limit }: ListEntry['plan']): boolean =>
  offset === null && page === null && typeof limit === 'string';

/** Parts that all forms of a nested list share. */
interface ListParts {
  readonly entry: ListEntry;
  readonly options: ReadOptions;
  readonly scope: SqlScope;
  readonly parentKey: JoinedParentKey;
  readonly select: CompiledSelect;
  /** Conditions besides the parent's key, after ` and `; empty for none. */
  readonly rest: Sql;
  /** Sort keys; empty for none. */
  readonly order: Sql;
  /** Joins of the columns, conditions and sort keys. */
  readonly joins: Sql;
}

const compileParts = (entry: ListEntry, options: ReadOptions): ListParts => {
  const { relation, plan } = entry;
  const scope = createScope(createCompiler(options.dialect));
  const parentKey = parentKeyOf(relation, plan, scope);
  const select = compileSelect(plan.select, scope);
  const rest = plan.where.kind === 'true' ? [] : sql` and ${compileCondition(plan.where, scope)}`;
  const order = compileOrder(plan.order, scope);
  return { entry, options, scope, parentKey, select, rest, order, joins: joinsOf(scope) };
};

const sorted = (order: Sql): Sql => (order.length === 0 ? [] : sql` order by ${order}`);

/** One select per parent, so that a parent with many rows costs only those that are returned. */
const compileBranches = (parts: ListParts): ListStatement => {
  const { entry, options, scope, parentKey, select, rest, order, joins } = parts;
  const columns = aliased([...parentKey.columns.map((column) => [column]), ...select.columns]);
  const from = sql`${tableOf(entry.plan.collection, scope)}${parentKey.join}${joins}`;
  const { one } = parentKeyConditions(parentKey, options.dialect);
  const branch = sql`select ${columns} from ${from} where ${one}${rest}${sorted(order)}${compilePage(entry.plan, options)}`;
  return { plain: repeatFragment(branch), capped: repeatFragment(branch, compileMaxRows(options.dialect)) };
};

/** A lateral join: one select per parent, where the database plans it as well as a scan. */
const compileLateral = (parts: ListParts): ListStatement => {
  const { entry, options, scope, select, rest, order, joins } = parts;
  const parent = parentRowOf(entry.relation, entry.plan, scope);
  const keys = parent.columns.map((column, index) => `${column} as k${index}`).join(', ');
  const from = sql`${tableOf(entry.plan.collection, scope)}${joins}`;
  const match = matchParent(entry.relation, parent, scope);
  const page = compilePage(entry.plan, options);
  const rows = sql`select ${aliased(nonEmpty(select))} from ${from} where ${match}${rest}${sorted(order)}${page}`;
  const { many } = parentKeyConditions(parent, options.dialect);
  return cap(
    sql`select ${keys}, r.* from ${parent.table} cross join lateral (${rows}) as r where ${many}`,
    options.dialect,
  );
};

const nonEmpty = ({ columns }: CompiledSelect): readonly Sql[] => (columns.length === 0 ? [['1']] : columns);

const compileScan = (parts: ListParts): ListScan => {
  const { entry, options, scope, parentKey, select, rest, order, joins } = parts;
  const { dialect } = options;
  const from = sql`${tableOf(entry.plan.collection, scope)}${parentKey.join}${joins}`;
  const keyOrder = join(
    [...parentKey.columns.map((column) => [column]), ...(order.length === 0 ? [] : [order])],
    ', ',
  );
  const { many } = parentKeyConditions(parentKey, dialect);
  const columns = sql`${parentKey.columns.join(', ')}, ${columnsOf(select)}`;
  const compile = (guard: Sql): Sql =>
    sql`select ${columns} from ${from} where ${many}${rest}${guard} order by ${keyOrder}`;
  const guard = compileGuard(parts);
  const isBounded = guard.length > 0 && parentKey.join.length === 0 && isInKeyOrder(entry.plan);
  return {
    guarded: cap(compile(guard), dialect),
    bounded: isBounded ? createStatement(sql`${compile([])}${compileMaxRows(dialect)}`) : null,
  };
};

/** Returns whether rows come in the order of their key, as an index of the foreign key has them. */
const isInKeyOrder = ({ order, collection }: ListEntry['plan']): boolean =>
  order.every(
    ({ column, descending }, index) =>
      !descending &&
      column.path.length === 0 &&
      column.rule === null &&
      column.computed === undefined &&
      column.field === collection.key[index],
  );

/** Returns the condition that no parent has more rows than the limit, so that no row is read in vain. */
const compileGuard = ({ entry, options, scope }: ListParts): Sql => {
  const { relation, plan } = entry;
  const { compiler } = scope;
  // the limit of a scan is the same for all requests
  const limit = readLimit(plan.limit, noInput, options.limits);
  if (limit === unlimited) return [];
  const parent = parentRowOf(relation, plan, scope);
  const child: SqlScope = createScope(compiler);
  const beyond = sql`select 1 from ${tableOf(plan.collection, child)} where ${matchParent(relation, parent, child)} limit 1 offset ${limit}`;
  const { many } = parentKeyConditions(parent, options.dialect);
  return sql` and not exists (select 1 from ${parent.table} where ${many} and (${beyond}) = 1)`;
};

const noInput: BindInput = {
  values: [],
  keys: [],
  resolve: (value) => value,
  resolveQueryValue: (value) => value,
};

const cap = (fragment: Sql, dialect: SqlDialect): ListStatement => ({
  plain: createStatement(fragment),
  capped: createStatement(sql`${fragment}${compileMaxRows(dialect)}`),
});

/** Gives the columns distinct names, which a derived table requires. */
const aliased = (columns: readonly Sql[]): Sql =>
  join(
    columns.map((column, index) => sql`${column} as c${index}`),
    ', ',
  );
