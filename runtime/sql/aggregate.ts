/**
 * Compiles aggregations. The columns are those of a derived table, so that an expression with bound values occurs
 * once, and grouping and sorting name it; databases merge the derived table into the query.
 */
import { aggregates } from '../../contract/aggregates.js';
import type { AggregatePlan, Measure, OutputEntry } from '../plan/aggregate.js';
import type { Field } from '../../contract/collection.js';
import type { ColumnRef } from '../plan/types.js';
import {
  compileColumn,
  compileCondition,
  createCompiler,
  createScope,
  joinsOf,
  tableOf,
  type SqlScope,
} from './condition.js';
import { createStatement, join, sql, type Sql } from './fragment.js';
import { compilePage, type ReadOptions } from './page.js';
import { compileCounts, compileWhere, type CompiledRead } from './read.js';
import { isMasked, type Token } from './select.js';

/** Compiles an aggregation to a statement with one row per group. */
export const compileAggregate = (plan: AggregatePlan, options: ReadOptions): CompiledRead => {
  const { dialect } = options;
  const scope = createScope(createCompiler(dialect));
  const source = compileSource(plan, scope);
  const rows = scope.compiler.nextAlias();
  const groups = plan.groups.map((_, index): Sql => [`${rows}.g${index}`]);
  const measures = plan.measures.map((measure, index) => compileMeasure(measure, `${rows}.m${index}`, scope));
  const outputs = [...groups, ...measures];
  const shown = outputsIn(plan.shape).map((index) => outputs[index] ?? []);
  // without a group there is one row, however many items there are
  const columns = shown.length === 0 ? ['count(*)'] : join(shown, ', ');
  const grouped = groups.length === 0 ? [] : sql` group by ${join(groups, ', ')}`;
  const having =
    plan.having.kind === 'true' ? [] : sql` having ${compileCondition(plan.having, { ...scope, outputs })}`;
  const order = compileOrder(plan, outputs, scope);
  return {
    rows: {
      statement: createStatement(
        sql`select ${columns} from (${source}) ${rows}${grouped}${having}${order}${compilePage(plan, options)}`,
      ),
      limit: null,
      tokens: tokensOf(plan.shape, plan),
      lists: [],
    },
    counts: compileCounts(plan, dialect),
    order: null,
  };
};

/** Compiles the rows that are aggregated, with a column for each group and each measure. */
const compileSource = ({ collection, where, groups, measures }: AggregatePlan, scope: SqlScope): Sql => {
  const columns = [
    ...groups.map(({ column }, index) => sql`${compileColumn(column, scope)} as g${index}`),
    ...measures.flatMap(({ column }, index) =>
      column === null ? [] : [sql`${measured(column, scope)} as m${index}`],
    ),
  ];
  const filter = compileWhere(where, scope);
  const list = columns.length === 0 ? ['1 as one'] : join(columns, ', ');
  return sql`select ${list} from ${tableOf(collection, scope)}${joinsOf(scope)}${filter}`;
};

/** Compiles the column of a measure; of a masked one only whether there is a value. */
const measured = (column: ColumnRef, scope: SqlScope): Sql => {
  const value = compileColumn(column, scope);
  return isMasked(column.field) ? sql`case when ${value} is not null then 1 end` : value;
};

const compileMeasure = (
  { operation, column, field }: Measure,
  value: string,
  { compiler }: SqlScope,
): Sql => {
  if (column === null) return ['count(*)'];
  const { computes, distinct } = aggregates[operation];
  const { dialect } = compiler;
  const options = { field: column.field, result: field, distinct: distinct === true };
  if (computes === 'sum') return [dialect.sum(value, options)];
  if (computes === 'avg') return [dialect.average(value, options)];
  if (computes === 'count') return [`count(${distinct === true ? 'distinct ' : ''}${value})`];
  const [before, after] = dialect.asText?.(column.field) ?? ['', ''];
  return [`${computes}(${before}${value}${after})`];
};

const compileOrder = (
  { order, groups }: AggregatePlan,
  outputs: readonly Sql[],
  { compiler }: SqlScope,
): Sql => {
  if (order.length === 0) return [];
  const keys = order.map(({ output, descending }) => {
    const value = outputs[output] ?? [];
    const field = groups[output]?.column.field ?? { name: '', type: 'float' as const };
    const key = compiler.dialect.sortKey?.(field, descending);
    return key === undefined
      ? sql`${value}${descending ? ' desc' : ''}`
      : sql`${key.before}${value}${key.after}${key.nulls}`;
  });
  return sql` order by ${join(keys, ', ')}`;
};

const outputsIn = (shape: readonly OutputEntry[]): readonly number[] =>
  shape.flatMap((entry) => {
    if ('output' in entry) return [entry.output];
    return 'entries' in entry ? outputsIn(entry.entries) : [];
  });

/** Returns the template of an object, whose values are the columns of `outputsIn` in order. */
const tokensOf = (
  shape: readonly OutputEntry[],
  plan: Pick<AggregatePlan, 'groups' | 'measures'>,
): readonly Token[] => {
  const fields = [
    ...plan.groups.map(({ column }) => column.field),
    ...plan.measures.map(({ field }) => field),
  ];
  const tokens = shape.flatMap((entry, index): readonly Token[] => {
    const key = literal(`${index === 0 ? '{' : ','}${JSON.stringify(entry.name)}:`);
    if ('json' in entry) return [key, literal(entry.json)];
    if ('entries' in entry) return [key, ...tokensOf(entry.entries, plan)];
    return [key, { kind: 'value', field: fields[entry.output] as Field }];
  });
  return mergeLiterals([...tokens, literal(shape.length === 0 ? '{}' : '}')]);
};

const literal = (text: string): Token => ({ kind: 'literal', bytes: Buffer.from(text) });

const mergeLiterals = (tokens: readonly Token[]): readonly Token[] => {
  const merged: Token[] = [];
  for (const token of tokens) {
    const last = merged.at(-1);
    if (token.kind === 'literal' && last?.kind === 'literal')
      merged[merged.length - 1] = { kind: 'literal', bytes: Buffer.concat([last.bytes, token.bytes]) };
    else merged.push(token);
  }
  return merged;
};
