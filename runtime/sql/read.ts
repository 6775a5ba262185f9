/** Read plans as statements: one for the rows, one per nested list, and counts where asked for. */
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

/** A statement whose rows become JSON, and the lists nested in them. */
export interface CompiledRows {
  readonly statement: Statement;
  readonly tokens: readonly Token[];
  readonly lists: readonly CompiledList[];
}

/** Rows of a nested list for many parents at once; the parent's key comes first in every row. */
export interface CompiledList extends CompiledRows {
  /** Columns of the key. */
  readonly keyColumns: number;
  /** All rows of all parents, in order, as many as could be needed; `null` where a page was asked for. */
  readonly together: Statement | null;
  /** Rows kept per parent. */
  limit(input: BindInput): number;
}

export interface CompiledRead {
  readonly rows: CompiledRows;
  readonly counts: readonly { readonly keys: readonly MetaKey[]; readonly statement: Statement }[];
}

export interface Limits {
  /** Rows of a list when the request names no limit. */
  readonly fallback: number;
  /** `null`: no maximum. */
  readonly maximum: number | null;
}

export interface ReadOptions {
  readonly dialect: SqlDialect;
  readonly limits: Limits;
}

/** Larger than any table; `LIMIT` wants a number. */
export const unlimited = 9_007_199_254_740_991;

export const compileRead = (plan: ReadPlan, options: ReadOptions): CompiledRead => {
  const scope = createScope(createCompiler(options.dialect));
  const select = compileSelect(plan.select, scope);
  const where = compileWhere(plan.where, scope);
  const keys =
    plan.explicitOrder === undefined
      ? compileOrder(plan.order, scope)
      : compilePlaces(plan.explicitOrder, scope);
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

/** Where the query narrows nothing, the counts are one. */
const compileCounts = (plan: ReadPlan, dialect: SqlDialect): CompiledRead['counts'] => {
  const whereOf = (key: MetaKey): Condition => (key === 'total_count' ? plan.whereTotal : plan.where);
  const conditions = new Set(plan.meta.map(whereOf));
  return [...conditions].map((where) => ({
    keys: plan.meta.filter((key) => whereOf(key) === where),
    statement: compileCount(plan.collection, where, dialect),
  }));
};

/** The smallest limit of a database. Keys of parents come on top. */
const maxColumns = 1_980;

/** A statement selects something even where every field was left out. @throws INVALID_QUERY */
export const columnsOf = ({ columns }: Pick<CompiledSelect, 'columns'>): Sql => {
  if (columns.length > maxColumns) throw invalidQuery(`"fields" stands for more than ${maxColumns} columns`);
  return columns.length === 0 ? ['1'] : join(columns, ', ');
};

const compileWhere = (where: Condition, scope: SqlScope): Sql =>
  where.kind === 'true' ? [] : sql` where ${compileCondition(where, scope)}`;

const compileOrder = (order: readonly Order[], scope: SqlScope): Sql =>
  join(
    order.map((each) => compileOrderKey(each, scope)),
    ', ',
  );

const compilePlaces = (places: readonly Condition[], scope: SqlScope): Sql => {
  const cases = places.map(
    (place, index) => sql`when ${compileCondition(place, scope)} then ${String(index)}`,
  );
  return sql`case ${join(cases, ' ')} end`;
};

const compileOrderKey = ({ column, descending, nullsLast }: Order, scope: SqlScope): Sql => {
  const value = compileColumn(column, scope);
  const key = scope.compiler.dialect.order?.(column.field, descending);
  const sorted =
    key === undefined ? sql`${value}${descending ? ' desc' : ''}` : sql`${key.before}${value}${key.after}`;
  if (!mayBeNull(column)) return sorted;
  return nullsLast === true ? sql`${value} is null, ${sorted}` : sql`${sorted}${key?.nulls ?? ''}`;
};

const mayBeNull = ({ path, rule, field }: ColumnRef): boolean =>
  path.length > 0 || rule !== null || field.nullable === true;

const compilePage = (
  plan: Pick<ReadPlan, 'limit' | 'offset' | 'page'>,
  { limits, dialect }: ReadOptions,
): Sql => {
  const isWhole = plan.offset === null && plan.page === null;
  if (isWhole && (plan.limit === 'every' || (plan.limit === 'all' && limits.maximum === null))) return [];
  const limit = limitParameter(dialect, (input) => readLimit(plan.limit, input, limits));
  if (isWhole) return sql` limit ${limit}`;
  return sql` limit ${limit} offset ${numberParameter((input) => readOffset(plan, input, limits))}`;
};

/** A bigint: plain numbers are bound as doubles, which LIMIT refuses. */
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

/** @throws INVALID_QUERY above the maximum */
const readLimit = (limit: Limit, input: BindInput, { fallback, maximum: most }: Limits): number => {
  if (limit === 'every') return unlimited;
  if (limit === 'all') return most ?? unlimited;
  if (limit === 'default') return most === null ? fallback : Math.min(fallback, most);
  const asked = readOperand(limit, input) as number;
  if (most !== null && asked > most) throw invalidQuery(`"limit" may be ${most} at most`);
  return asked;
};

/** `page` counts from 1 and wins over `offset`. */
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

/**
 * Two ways to the same rows. Together: one scan for all parents, cut per parent when reading. By parent: one branch
 * each, with its own limit, so that a parent with very many children costs no more than the page that is shown.
 */
const compileList = ({ relation, plan }: ListEntry, options: ReadOptions): CompiledList => {
  const scope = createScope(createCompiler(options.dialect));
  const owner = ownerOf(relation, plan, scope);
  const select = compileSelect(plan.select, scope);
  const columns = sql`${owner.columns.join(', ')}, ${columnsOf(select)}`;
  const rest = plan.where.kind === 'true' ? [] : sql` and ${compileCondition(plan.where, scope)}`;
  const order = plan.order.length === 0 ? [] : compileOrder(plan.order, scope);
  const from = sql`${tableOf(plan.collection, scope)}${owner.join}${joinsOf(scope)}`;
  const limit = (input: BindInput): number => readLimit(plan.limit, input, options.limits);
  const keys = ownerKeys(owner, options.dialect);
  const ofOne = sql`select ${aliased(owner, select)} from ${from} where ${keys.one}${rest}${order.length === 0 ? [] : sql` order by ${order}`}${compilePage(plan, options)}`;
  const keyOrder = join(
    [...owner.columns.map((column) => [column]), ...(order.length === 0 ? [] : [order])],
    ', ',
  );
  const ofAll = sql`select ${columns} from ${from} where ${keys.many}${rest} order by ${keyOrder} limit ${limitParameter(options.dialect, (input) => Math.min(unlimited, paddedLength(input.keys.length) * limit(input) + 1))}`;
  return {
    statement: repeatFragment(ofOne),
    together:
      plan.offset === null && plan.page === null && typeof plan.limit === 'string'
        ? createStatement(ofAll)
        : null,
    tokens: select.tokens,
    lists: compileLists(select, options),
    keyColumns: owner.columns.length,
    limit,
  };
};

/** A derived table wants distinct names. */
const aliased = (owner: Owner, select: CompiledSelect): Sql =>
  join(
    [...owner.columns.map((column) => [column]), ...select.columns].map(
      (column, index) => sql`${column} as c${index}`,
    ),
    ', ',
  );
