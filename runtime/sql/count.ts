/** Compiles the condition of a read, and the counts of the rows that have it. */
import type { Collection } from '../../contract/collection.js';
import type { Condition, ReadPlan } from '../plan/types.js';
import type { MetaKey } from '../request/query.js';
import type { SqlDialect } from '../databases/contract.js';
import {
  compileCondition,
  createCompiler,
  createScope,
  joinsOf,
  tableOf,
  type SqlScope,
} from './condition.js';
import { createStatement, sql, type Sql, type Statement } from './fragment.js';

/** A count, and the keys of `meta` that have it. */
export interface CompiledCount {
  readonly keys: readonly MetaKey[];
  readonly statement: Statement;
}

/** Compiles the counts; both are one statement where the query has no filter. */
export const compileCounts = (
  plan: Pick<ReadPlan, 'collection' | 'where' | 'whereTotal' | 'meta'>,
  dialect: SqlDialect,
): readonly CompiledCount[] => {
  const whereOf = (key: MetaKey): Condition => (key === 'total_count' ? plan.whereTotal : plan.where);
  const conditions = new Set(plan.meta.map(whereOf));
  return [...conditions].map((where) => ({
    keys: plan.meta.filter((key) => whereOf(key) === where),
    statement: compileCount(plan.collection, where, dialect),
  }));
};

/** Returns ` where …`, with a space before it, or nothing where every row is meant. */
export const compileWhere = (where: Condition, scope: SqlScope): Sql =>
  where.kind === 'true' ? [] : sql` where ${compileCondition(where, scope)}`;

const compileCount = (collection: Collection, where: Condition, dialect: SqlDialect): Statement => {
  const scope = createScope(createCompiler(dialect));
  const filter = compileWhere(where, scope);
  return createStatement(
    sql`select count(*) as count from ${tableOf(collection, scope)}${joinsOf(scope)}${filter}`,
  );
};
