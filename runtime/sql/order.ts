/** Compiles the order of rows. */
import { mayBeNull } from '../plan/cursor.js';
import type { Condition, Order } from '../plan/types.js';
import { compileColumn, compileCondition, type SqlScope } from './condition.js';
import { join, sql, type Sql } from './fragment.js';

/** Returns the sort keys; empty for none. */
export const compileOrder = (order: readonly Order[], scope: SqlScope): Sql =>
  join(
    order.map((each) => compileOrderKey(each, scope)),
    ', ',
  );

/** Orders rows by the first condition that they meet. */
export const compileExplicitOrder = (conditions: readonly Condition[], scope: SqlScope): Sql => {
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
