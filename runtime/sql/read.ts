/** Compiles read plans to statements: one for the rows, one per nested list, and one per requested count. */
import type { Collection } from '../../contract/collection.js';
import { allOf, type Condition, type ReadPlan } from '../plan/types.js';
import type { MetaKey } from '../request/query.js';
import {
  compileCondition,
  createCompiler,
  createScope,
  joinsOf,
  tableOf,
  type SqlScope,
} from './condition.js';
import type { SqlDialect } from '../databases/contract.js';
import { createStatement, sql, type BindInput, type Sql, type Statement } from './fragment.js';
import { compileLists, type CompiledList } from './list.js';
import { compileExplicitOrder, compileOrder } from './order.js';
import { compilePage, readLimit, type ReadOptions } from './page.js';
import { addCursor, columnsOf, compileSelect, type Token } from './select.js';

/** A statement whose rows become JSON, with the nested lists of these rows. */
export interface CompiledRows {
  readonly statement: Statement;
  /** Returns the number of rows to keep; null for all. */
  readonly limit: ((input: BindInput) => number) | null;
  readonly tokens: readonly Token[];
  readonly lists: readonly CompiledList[];
}

export interface CompiledRead {
  readonly rows: CompiledRows;
  readonly counts: readonly { readonly keys: readonly MetaKey[]; readonly statement: Statement }[];
  /** The order that a cursor is valid for; null for reads without one. */
  readonly order: string | null;
}

/** Compiles the plan of a read to statements for its rows, nested lists and counts. */
export const compileRead = (plan: ReadPlan, options: ReadOptions): CompiledRead => {
  const scope = createScope(createCompiler(options.dialect));
  const { cursor } = plan;
  const fields = compileSelect(plan.select, scope);
  const select = cursor === undefined ? fields : addCursor(fields, plan.order, scope);
  const where = compileWhere(cursor === undefined ? plan.where : allOf([plan.where, cursor.after]), scope);
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
      limit: cursor === undefined ? null : (input) => readLimit(plan.limit, input, options.limits),
      tokens: select.tokens,
      lists: compileLists(select, options),
    },
    counts: compileCounts(plan, options.dialect),
    order: cursor?.order ?? null,
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

export const compileWhere = (where: Condition, scope: SqlScope): Sql =>
  where.kind === 'true' ? [] : sql` where ${compileCondition(where, scope)}`;

const compileCount = (collection: Collection, where: Condition, dialect: SqlDialect): Statement => {
  const scope = createScope(createCompiler(dialect));
  const filter = compileWhere(where, scope);
  return createStatement(
    sql`select count(*) as count from ${tableOf(collection, scope)}${joinsOf(scope)}${filter}`,
  );
};
