/** Compiles read plans to statements: one for the rows, one per nested list, and one per requested count. */
import type { Collection } from '../../contract/collection.js';
import { invalidQuery } from '../../contract/errors.js';
import type { ColumnRef, Condition, Limit, Operand, Order, ReadPlan } from '../plan/types.js';
import type { MetaKey } from '../request/query.js';
import {
  compileColumn,
  compileCondition,
  createCompiler,
  createScope,
  joinsOf,
  tableOf,
  type SqlScope,
} from './condition.js';
import type { SqlDialect } from '../databases/contract.js';
import {
  createStatement,
  join,
  paddedLength,
  repeatFragment,
  sql,
  type BindInput,
  type Parameter,
  type Sql,
  type Statement,
} from './fragment.js';
import { ownerKeys, ownerOf, type Owner } from './owner.js';
import { readOperand } from './parameters.js';
import { compileSelect, type CompiledSelect, type ListEntry, type Token } from './select.js';

/** A statement whose rows become JSON, with the nested lists of these rows. */
export interface CompiledRows {
  readonly statement: Statement;
  readonly tokens: readonly Token[];
  readonly lists: readonly CompiledList[];
}

/** A nested list, read for many parents at once. Each row starts with the parent's key. */
export interface CompiledList extends CompiledRows {
  /** Number of columns of the parent's key. */
  readonly keyColumns: number;
  /**
   * Reads the rows of all parents in one scan, ordered by parent; `null` where each parent has its own page.
   */
  readonly scan: Statement | null;
  /** Returns the number of rows to keep per parent. */
  limit(input: BindInput): number;
}

export interface CompiledRead {
  readonly rows: CompiledRows;
  readonly counts: readonly { readonly keys: readonly MetaKey[]; readonly statement: Statement }[];
}

export interface Limits {
  /** Rows of a list where the request has no limit. */
  readonly fallback: number;
  /** `null`: no maximum. */
  readonly maximum: number | null;
}

export interface ReadOptions {
  readonly dialect: SqlDialect;
  readonly limits: Limits;
}

/** A limit larger than any table, for databases that require a number after LIMIT. */
export const unlimited = 9_007_199_254_740_991;

export const compileRead = (plan: ReadPlan, options: ReadOptions): CompiledRead => {
  const scope = createScope(createCompiler(options.dialect));
  const select = compileSelect(plan.select, scope);
  const where = compileWhere(plan.where, scope);
  const keys =
    plan.explicitOrder === undefined
      ? compileOrder(plan.order, scope)
      : compileExplicitOrder(plan.explicitOrder, scope);
  const order = keys.length === 0 ? [] : sql` order by ${keys}`;
  const from = sql`${tableOf(plan.collection, scope)}${joinsOf(scope)}`;
  return {
    rows: {
      statement: createStatement(
        sql`select ${columnsOf(select)} from ${from}${where}${order}${compilePage(plan, options)}`,
      ),
      tokens: select.tokens,
      lists: compileLists(select, options),
    },
    counts: compileCounts(plan, options.dialect),
  };
};

/** Compiles the counts; both are one statement where the query has no filter. */
export const compileCounts = (
  plan: Pick<ReadPlan, 'collection' | 'where' | 'whereTotal' | 'meta'>,
  dialect: SqlDialect,
): CompiledRead['counts'] => {
  const whereOf = (key: MetaKey): Condition => (key === 'total_count' ? plan.whereTotal : plan.where);
  const conditions = new Set(plan.meta.map(whereOf));
  return [...conditions].map((where) => ({
    keys: plan.meta.filter((key) => whereOf(key) === where),
    statement: compileCount(plan.collection, where, dialect),
  }));
};

/** Columns of a select: the smallest limit of a database, less the columns of parent keys. */
const maxColumns = 1_980;

/** Returns the select list, which is never empty. @throws INVALID_QUERY */
export const columnsOf = ({ columns }: Pick<CompiledSelect, 'columns'>): Sql => {
  if (columns.length > maxColumns) throw invalidQuery(`"fields" selects more than ${maxColumns} columns`);
  return columns.length === 0 ? ['1'] : join(columns, ', ');
};

export const compileWhere = (where: Condition, scope: SqlScope): Sql =>
  where.kind === 'true' ? [] : sql` where ${compileCondition(where, scope)}`;

const compileOrder = (order: readonly Order[], scope: SqlScope): Sql =>
  join(
    order.map((each) => compileOrderKey(each, scope)),
    ', ',
  );

const compileExplicitOrder = (conditions: readonly Condition[], scope: SqlScope): Sql => {
  const cases = conditions.map(
    (condition, index) => sql`when ${compileCondition(condition, scope)} then ${String(index)}`,
  );
  return sql`case ${join(cases, ' ')} end`;
};

const compileOrderKey = ({ column, descending, nullsLast }: Order, scope: SqlScope): Sql => {
  const value = compileColumn(column, scope);
  const key = scope.compiler.dialect.sortKey?.(column.field, descending);
  const sorted =
    key === undefined ? sql`${value}${descending ? ' desc' : ''}` : sql`${key.before}${value}${key.after}`;
  if (!mayBeNull(column)) return sorted;
  return nullsLast === true ? sql`${value} is null, ${sorted}` : sql`${sorted}${key?.nulls ?? ''}`;
};

const mayBeNull = ({ path, rule, field }: ColumnRef): boolean =>
  path.length > 0 || rule !== null || field.nullable === true;

export const compilePage = (
  plan: Pick<ReadPlan, 'limit' | 'offset' | 'page'>,
  { limits, dialect }: ReadOptions,
): Sql => {
  const isUnpaged = plan.offset === null && plan.page === null;
  if (isUnpaged && (plan.limit === 'every' || (plan.limit === 'all' && limits.maximum === null))) return [];
  const limit = limitParameter(dialect, (input) => readLimit(plan.limit, input, limits));
  if (isUnpaged) return sql` limit ${limit}`;
  return sql` limit ${limit} offset ${numberParameter((input) => readOffset(plan, input, limits))}`;
};

/** Builds a parameter bound as a bigint: LIMIT rejects doubles, as which numbers are bound. */
const numberParameter = (read: (input: BindInput) => number): Parameter => ({
  placeholder: '?',
  list: false,
  read: (input) => BigInt(read(input)),
});

const limitParameter = (
  { limitInText = false }: SqlDialect,
  read: (input: BindInput) => number,
): Parameter => ({
  ...numberParameter(read),
  inText: limitInText,
});

/** Reads the limit of a request. @throws INVALID_QUERY above the maximum */
const readLimit = (limit: Limit, input: BindInput, { fallback, maximum }: Limits): number => {
  if (limit === 'every') return unlimited;
  if (limit === 'all') return maximum ?? unlimited;
  if (limit === 'default') return maximum === null ? fallback : Math.min(fallback, maximum);
  const requested = readOperand(limit, input) as number;
  if (maximum !== null && requested > maximum) throw invalidQuery(`"limit" may be ${maximum} at most`);
  return requested;
};

/** Reads the offset of a request. `page` starts at 1 and takes precedence over `offset`. */
const readOffset = (
  { limit, offset, page }: Pick<ReadPlan, 'limit' | 'offset' | 'page'>,
  input: BindInput,
  limits: Limits,
): number => {
  const number = (operand: Operand | null): number =>
    operand === null ? 0 : (readOperand(operand, input) as number);
  if (page === null) return number(offset);
  return Math.min(unlimited, Math.max(0, number(page) - 1) * readLimit(limit, input, limits));
};

const compileCount = (collection: Collection, where: Condition, dialect: SqlDialect): Statement => {
  const scope = createScope(createCompiler(dialect));
  const filter = compileWhere(where, scope);
  return createStatement(
    sql`select count(*) as count from ${tableOf(collection, scope)}${joinsOf(scope)}${filter}`,
  );
};

const compileLists = (select: CompiledSelect, options: ReadOptions): readonly CompiledList[] =>
  select.lists.map((entry) => compileList(entry, options));

/** Parts that both forms of a nested list share. */
interface ListFragments {
  readonly plan: ListEntry['plan'];
  readonly owner: Owner;
  readonly select: CompiledSelect;
  readonly from: Sql;
  /** Conditions besides the owner's key, after ` and `; empty for none. */
  readonly rest: Sql;
  /** Sort keys; empty for none. */
  readonly order: Sql;
  readonly limit: (input: BindInput) => number;
}

/**
 * Compiles a nested list in two forms that return the same rows. The scan reads all parents at once and is
 * cut per parent afterwards. The branches have one limit per parent, so that a parent with many children
 * costs only the rows that are returned.
 */
const compileList = ({ relation, plan }: ListEntry, options: ReadOptions): CompiledList => {
  const scope = createScope(createCompiler(options.dialect));
  const owner = ownerOf(relation, plan, scope);
  const select = compileSelect(plan.select, scope);
  const rest = plan.where.kind === 'true' ? [] : sql` and ${compileCondition(plan.where, scope)}`;
  const order = plan.order.length === 0 ? [] : compileOrder(plan.order, scope);
  // conditions and sort keys add joins
  const from = sql`${tableOf(plan.collection, scope)}${owner.join}${joinsOf(scope)}`;
  const limit = (input: BindInput): number => readLimit(plan.limit, input, options.limits);
  const fragments: ListFragments = { plan, owner, select, from, rest, order, limit };
  return {
    statement: repeatFragment(compileBranch(fragments, options)),
    scan: isWhole(plan) ? createStatement(compileScan(fragments, options)) : null,
    tokens: select.tokens,
    lists: compileLists(select, options),
    keyColumns: owner.columns.length,
    limit,
  };
};

/** Returns whether a list begins at its first row, so that a scan can be cut per parent. */
const isWhole = ({ offset, page, limit }: ListEntry['plan']): boolean =>
  offset === null && page === null && typeof limit === 'string';

const compileBranch = (
  { plan, owner, select, from, rest, order }: ListFragments,
  options: ReadOptions,
): Sql => {
  const keys = ownerKeys(owner, options.dialect);
  const sorted = order.length === 0 ? [] : sql` order by ${order}`;
  return sql`select ${aliased(owner, select)} from ${from} where ${keys.one}${rest}${sorted}${compilePage(plan, options)}`;
};

const compileScan = (
  { owner, select, from, rest, order, limit }: ListFragments,
  { dialect }: ReadOptions,
): Sql => {
  const keys = ownerKeys(owner, dialect);
  const columns = sql`${owner.columns.join(', ')}, ${columnsOf(select)}`;
  const ownerColumns = owner.columns.map((column) => [column]);
  const keyOrder = join([...ownerColumns, ...(order.length === 0 ? [] : [order])], ', ');
  const rows = (input: BindInput): number =>
    Math.min(unlimited, paddedLength(input.keys.length) * limit(input) + 1);
  return sql`select ${columns} from ${from} where ${keys.many}${rest} order by ${keyOrder} limit ${limitParameter(dialect, rows)}`;
};

/** Gives the columns distinct names, which a derived table requires. */
const aliased = (owner: Owner, select: CompiledSelect): Sql =>
  join(
    [...owner.columns.map((column) => [column]), ...select.columns].map(
      (column, index) => sql`${column} as c${index}`,
    ),
    ', ',
  );
