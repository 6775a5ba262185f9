/** Compiles read plans to statements: one for the rows, one per nested list, and one per requested count. */
import { readsByKey } from '../plan/own-row.js';
import { allOf, type ReadPlan } from '../plan/types.js';
import { createCompiler, createScope, joinsOf, tableOf } from './condition.js';
import { compileCounts, compileWhere, type CompiledCount } from './count.js';
import { createStatement, sql, type BindInput, type Statement } from './fragment.js';
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
  /** True where the statement takes rows by their keys alone, and so a short time. */
  readonly byKey: boolean;
}

/** The statements of a read. */
export interface CompiledRead {
  readonly rows: CompiledRows;
  readonly counts: readonly CompiledCount[];
  /** The order that a cursor is valid for; null for reads without one. */
  readonly order: string | null;
}

/** Compiles the plan of a read to statements for its rows, nested lists and counts. */
export const compileRead = (plan: ReadPlan, options: ReadOptions): CompiledRead => {
  const scope = createScope(createCompiler(options.dialect));
  const { cursor } = plan;
  const fields = compileSelect(plan.select, scope);
  const select = cursor === undefined ? fields : addCursor(fields, cursor.keys, scope);
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
      byKey: readsByKey(plan),
    },
    counts: compileCounts(plan, options.dialect),
    order: cursor?.order ?? null,
  };
};
