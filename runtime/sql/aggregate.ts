/**
 * Compiles aggregations. The columns are those of a derived table, so that an expression with bound values occurs
 * once, and grouping and sorting name it; databases merge the derived table into the query.
 */
import { aggregates } from '../../contract/aggregates.js';
import { isMasked } from '../../contract/fields.js';
import type { AggregatePlan, Measure, OutputEntry } from '../plan/aggregate.js';
import type { Field } from '../../contract/collection.js';
import type { ColumnRef, Condition } from '../plan/types.js';
import {
  columnOf,
  compileColumn,
  compileCondition,
  createCompiler,
  createScope,
  joinsOf,
  tableOf,
  type SqlScope,
} from './condition.js';
import { createStatement, join, sql, type Sql } from './fragment.js';
import { compileCounts, compileWhere } from './count.js';
import type { CompiledList } from './list.js';
import { isIntegerColumn, maxScanParents, parentKeyConditions, parentRowOf } from './parent-key.js';
import { compileMaxRows, compilePage, readLimit, type ReadOptions } from './page.js';
import type { CompiledRead } from './read.js';
import type { GroupsEntry, Token } from './select.js';

/** Compiles an aggregation to a statement with one row per group. */
export const compileAggregate = (plan: AggregatePlan, options: ReadOptions): CompiledRead => {
  const { dialect } = options;
  const scope = createScope(createCompiler(dialect));
  const source = compileSource(plan, scope, noSource);
  const rows = scope.compiler.nextAlias();
  const parts = compileOutputs(plan, { rows, count: 'count(*)', scope });
  const grouped = parts.groups.length === 0 ? [] : sql` group by ${join(parts.groups, ', ')}`;
  const order = parts.order.length === 0 ? [] : sql` order by ${join(parts.order, ', ')}`;
  return {
    rows: {
      statement: createStatement(
        sql`select ${parts.columns} from (${source}) ${rows}${grouped}${parts.having}${order}${compilePage(plan, options)}`,
      ),
      limit: null,
      tokens: tokensOf(plan.shape, plan),
      lists: [],
      byKey: false,
    },
    counts: compileCounts(plan, dialect),
    order: null,
  };
};

/**
 * Compiles the aggregation of a list for many parents: their rows are joined to them, so that a parent without rows has
 * its row of measures too, as an aggregation of no rows has.
 */
export const compileGroups = ({ plan, relation }: GroupsEntry, options: ReadOptions): CompiledList => {
  const { dialect } = options;
  const scope = createScope(createCompiler(dialect));
  const parent = parentRowOf(relation, plan, scope);
  const own = relation.fields.map((name) => columnOf(scope.compiler, scope.alias, name));
  const ofParents = parent.fields.every(isIntegerColumn)
    ? parentKeyConditions({ ...parent, columns: own }, dialect).many
    : null;
  const source = compileSource(plan, scope, {
    columns: [['1 as one'], ...own.map((column, index): Sql => [`${column} as f${index}`])],
    condition: ofParents,
  });
  const rows = scope.compiler.nextAlias();
  const parts = compileOutputs(plan, { rows, count: `count(${rows}.one)`, scope });
  const keys: readonly Sql[] = parent.columns.map((column) => [column]);
  const match = own.map((_, index) => `${rows}.f${index} = ${parent.columns[index]}`).join(' and ');
  const kind = parts.groups.length === 0 ? 'left join' : 'join';
  const { many } = parentKeyConditions(parent, dialect);
  const statement = sql`select ${join(keys, ', ')}, ${parts.columns} from ${parent.table} ${kind} (${source}) ${rows} on ${match} where ${many} group by ${join([...keys, ...parts.groups], ', ')}${parts.having} order by ${join([...keys, ...parts.order], ', ')}`;
  return {
    statement: {
      plain: createStatement(statement),
      capped: createStatement(sql`${statement}${compileMaxRows(dialect)}`),
    },
    scan: null,
    maxParents: maxScanParents,
    tokens: tokensOf(plan.shape, plan),
    lists: [],
    keyColumns: keys.length,
    limit: (input) => readLimit(plan.limit, input, options.limits),
  };
};

interface OutputOptions {
  /** Alias of the derived table. */
  readonly rows: string;
  /** Counts its rows. */
  readonly count: string;
  readonly scope: SqlScope;
}

interface CompiledOutputs {
  /** The shown values, in the order of the template; never empty. */
  readonly columns: Sql;
  readonly groups: readonly Sql[];
  /** The clause with ` having `; empty for none. */
  readonly having: Sql;
  readonly order: readonly Sql[];
}

const compileOutputs = (plan: AggregatePlan, { rows, count, scope }: OutputOptions): CompiledOutputs => {
  const groups = plan.groups.map((_, index): Sql => [`${rows}.g${index}`]);
  const measures = plan.measures.map((measure, index): Sql =>
    measure.column === null
      ? [count]
      : compileMeasure({ ...measure, column: measure.column }, `${rows}.m${index}`, scope),
  );
  const outputs = [...groups, ...measures];
  const shown = outputsIn(plan.shape).map((index) => outputs[index] ?? []);
  const having =
    plan.having.kind === 'true' ? [] : sql` having ${compileCondition(plan.having, { ...scope, outputs })}`;
  return {
    // without a group there is one row, however many items there are
    columns: shown.length === 0 ? [count] : join(shown, ', '),
    groups,
    having,
    order: compileOrder(plan, outputs, scope),
  };
};

interface SourceParts {
  /** Columns besides those of groups and measures. */
  readonly columns: readonly Sql[];
  /** A condition besides that of the plan. */
  readonly condition: Sql | null;
}

const noSource: SourceParts = { columns: [], condition: null };

/** Compiles the rows that are aggregated, with a column for each group and each measure. */
const compileSource = (
  { collection, where, groups, measures }: AggregatePlan,
  scope: SqlScope,
  own: SourceParts,
): Sql => {
  const columns = [
    ...own.columns,
    ...groups.map(({ column }, index) => sql`${compileColumn(column, scope)} as g${index}`),
    ...measures.flatMap(({ column }, index) =>
      column === null ? [] : [sql`${measured(column, scope)} as m${index}`],
    ),
  ];
  const filter = compileFilter(where, own.condition, scope);
  const list = columns.length === 0 ? ['1 as one'] : join(columns, ', ');
  return sql`select ${list} from ${tableOf(collection, scope)}${joinsOf(scope)}${filter}`;
};

const compileFilter = (where: Condition, condition: Sql | null, scope: SqlScope): Sql => {
  if (condition === null) return compileWhere(where, scope);
  return where.kind === 'true'
    ? sql` where ${condition}`
    : sql` where ${condition} and ${compileCondition(where, scope)}`;
};

/** Compiles the column of a measure; of a masked one only whether there is a value. */
const measured = (column: ColumnRef, scope: SqlScope): Sql => {
  const value = compileColumn(column, scope);
  return isMasked(column.field) ? sql`case when ${value} is not null then 1 end` : value;
};

const compileMeasure = (
  { operation, column, field }: Measure & { readonly column: ColumnRef },
  value: string,
  { compiler }: SqlScope,
): Sql => {
  const { computes, distinct } = aggregates[operation];
  const { dialect } = compiler;
  const options = { field: column.field, result: field, distinct: distinct === true };
  if (computes === 'sum') return [dialect.sum(value, options)];
  if (computes === 'avg') return [dialect.average(value, options)];
  if (computes === 'count') return [`count(${distinct === true ? 'distinct ' : ''}${value})`];
  // a masked column was read as a number, which is not of the column's type
  const [before, after] = (isMasked(column.field) ? undefined : dialect.asText?.(column.field)) ?? ['', ''];
  return [`${computes}(${before}${value}${after})`];
};

const compileOrder = (
  { order, groups }: AggregatePlan,
  outputs: readonly Sql[],
  { compiler }: SqlScope,
): readonly Sql[] =>
  order.map(({ output, descending }) => {
    const value = outputs[output] ?? [];
    const field = groups[output]?.column.field ?? { name: '', type: 'float' as const };
    const key = compiler.dialect.sortKey?.(field, descending);
    return key === undefined
      ? sql`${value}${descending ? ' desc' : ''}`
      : sql`${key.before}${value}${key.after}${key.nulls}`;
  });

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
