/**
 * Compiles conditions to SQL. A scope is one FROM clause: its alias, and the joins that its columns require.
 */
import type { AnyOf, Collection, Field, ToMany, ToOne } from '../../contract/collection.js';
import { invalidQuery } from '../../contract/errors.js';
import type { ColumnRef, Condition, Join } from '../plan/types.js';
import { compileComparison, toText } from './comparison.js';
import { compileComputed } from './computed.js';
import { compileJsonComparison } from './json-comparison.js';
import type { SqlDialect } from '../databases/contract.js';
import { join, sql, type Sql } from './fragment.js';
import { listFormOf, type Some } from './list-form.js';
import { valueParameter } from './parameters.js';

/** Compiles one statement: the dialect and the aliases used so far. */
export interface Compiler {
  readonly dialect: SqlDialect;
  nextAlias(): string;
}

/** One FROM clause during compilation. */
export interface SqlScope {
  readonly compiler: Compiler;
  readonly alias: string;
  /**
   * Names of the relations from the first table of the FROM clause to `alias`, each after a NUL character.
   */
  readonly trail: string;
  /** Joins by trail, in the order in which they were added. */
  readonly joins: Map<string, { readonly alias: string; readonly text: Sql }>;
  /** Groups and measures of an aggregation, for its `having`. */
  readonly outputs?: readonly Sql[];
  /**
   * True where conditions on lists are EXISTS only: below NOT, where an IN that finds nothing may be unknown instead of
   * false, and in joins.
   */
  readonly existsOnly?: boolean;
  /** The form of conditions on lists, which the outermost one of them has chosen. */
  readonly listForm?: 'in' | 'exists';
}

/** Creates the state of one statement: aliases are numbered from `t0`. */
export const createCompiler = (dialect: SqlDialect): Compiler => {
  let count = 0;
  return {
    dialect,
    nextAlias: () => `t${count++}`,
  };
};

/** Opens a scope with an alias of its own and no joins. */
export const createScope = (compiler: Compiler): SqlScope => ({
  compiler,
  alias: compiler.nextAlias(),
  trail: '',
  joins: new Map(),
});

/** Returns a quoted column of an alias. */
export const columnOf = (compiler: Compiler, alias: string, name: string): string =>
  `${alias}.${compiler.dialect.quote(name)}`;

/** Some databases join about 60 tables at most. */
const maxJoins = 58;

/**
 * Returns the alias of the row at the end of a path. Each step is one LEFT JOIN, shared by all columns that
 * use it.
 */
export const aliasAt = (scope: SqlScope, path: readonly Join[]): string =>
  path.reduce(joinRelation, scope).alias;

/**
 * Adds the join of one step unless it is present, and returns the scope of the joined row. @throws
 * INVALID_QUERY
 */
export const joinRelation = (scope: SqlScope, step: Join): SqlScope => {
  const trail = `${scope.trail}\0${step.relation.name}`;
  const present = scope.joins.get(trail);
  const alias = present?.alias ?? scope.compiler.nextAlias();
  if (present === undefined) {
    if (scope.joins.size >= maxJoins) {
      throw invalidQuery(
        `the query reaches more than ${maxJoins} related items of a row; ask for fewer relations`,
      );
    }
    scope.joins.set(trail, { alias, text: compileJoin(step, { scope, near: scope.alias, alias }) });
  }
  return { ...scope, alias, trail };
};

const compileJoin = (
  { relation, where, rule }: Join,
  { scope, near, alias }: { readonly scope: SqlScope; readonly near: string; readonly alias: string },
): Sql => {
  const { compiler } = scope;
  const [before, after] = compiler.dialect.joinCondition ?? ['', ''];
  const conditions = [matchKeys(compiler, relation, { near, alias })];
  const add = (condition: Condition, row: string): void => {
    conditions.push([
      before,
      ...compileCondition(condition, { ...scope, alias: row, existsOnly: true }),
      after,
    ]);
  };
  if (where.kind !== 'true') add(where, alias);
  if (rule !== null) add(rule, near);
  return sql` left join ${compiler.dialect.quote(relation.collection.name)} ${alias} on ${join(conditions, ' and ')}`;
};

interface JoinAliases {
  readonly near: string;
  readonly alias: string;
}

/** Returns the join condition, where `near` refers to `alias`. */
const matchKeys = (compiler: Compiler, relation: ToOne, aliases: JoinAliases): Sql =>
  relation.anyOf === undefined
    ? matchColumns(compiler, relation, aliases)
    : matchTarget(compiler, { ...relation, anyOf: relation.anyOf }, aliases);

/** Returns the condition that a row of a many-to-any relation leads to a row of one target. */
const matchTarget = (
  compiler: Compiler,
  { anyOf, target, collection }: ToOne & { readonly anyOf: AnyOf },
  { near, alias }: JoinAliases,
): Sql => {
  const { dialect } = compiler;
  const { keyField, collectionField } = anyOf;
  const [key] = collection.key;
  if (key === undefined) throw new Error(`"${target}" has no key`);
  const column = (row: string, { name }: Field): string => columnOf(compiler, row, name);
  const named = valueParameter(dialect, collectionField, {
    operand: { from: 'constant', value: target },
    rounding: 'none',
  });
  const value = dialect.keyOfText(column(near, keyField), key);
  return sql`${column(alias, key)} = ${value} and ${column(near, collectionField)} = ${named}`;
};

const matchColumns = (
  compiler: Compiler,
  { fields, references }: Pick<ToOne, 'fields' | 'references'>,
  { near, alias }: JoinAliases,
): Sql => [
  fields
    .map(
      (name, index) =>
        `${columnOf(compiler, alias, references[index] ?? '')} = ${columnOf(compiler, near, name)}`,
    )
    .join(' and '),
];

/** Returns the joins that the columns so far require; to be called after all of them. */
export const joinsOf = (scope: SqlScope): Sql => [...scope.joins.values()].flatMap((each) => each.text);

/** Compiles a condition to a parenthesised or atomic expression. */
export const compileCondition = (condition: Condition, scope: SqlScope): Sql => {
  switch (condition.kind) {
    case 'true':
      return ['1 = 1'];
    case 'false':
      return ['1 = 0'];
    case 'and':
    case 'or':
      return joinInGroups(
        condition.conditions.map((part) => compileCondition(part, scope)),
        ` ${condition.kind} `,
      );
    case 'not':
      return sql`not (${compileCondition(condition.condition, { ...scope, existsOnly: true })})`;
    case 'at':
      return sql`(${compileCondition(condition.condition, { ...scope, alias: aliasAt(scope, condition.path) })}) is true`;
    case 'null': {
      const test = scope.compiler.dialect.nullTest?.(condition.column.field) ?? 'is null';
      return sql`${compileColumn(condition.column, scope)} ${[test]}`;
    }
    case 'empty': {
      const { field } = condition.column;
      const column = toText(compileColumn(condition.column, scope), field, scope.compiler.dialect);
      return sql`(${column} is null or ${column} = '')`;
    }
    case 'some':
      return compileSome(condition, scope);
    case 'compare': {
      const { dialect } = scope.compiler;
      const { column } = condition;
      return column.computed?.kind === 'json' && column.computed.as === 'value'
        ? compileJsonComparison(condition, {
            computed: column.computed,
            dialect,
            compileColumn: (each) => compileColumn(each, scope),
          })
        : compileComparison(condition, compileColumn(column, scope), dialect);
    }
  }
};

/** Parsers nest `a or b or c` and limit the depth, so long chains are split into groups of this many. */
const maxChain = 50;

const joinInGroups = (parts: readonly Sql[], separator: string): Sql => {
  if (parts.length <= maxChain) return sql`(${join(parts, separator)})`;
  const size = Math.ceil(parts.length / maxChain);
  const groups = Array.from({ length: Math.ceil(parts.length / size) }, (_, index) =>
    joinInGroups(parts.slice(index * size, (index + 1) * size), separator),
  );
  return sql`(${join(groups, separator)})`;
};

/** Compiles a column reference; values that are not visible become null. */
export const compileColumn = (column: ColumnRef, scope: SqlScope): Sql => {
  if (column.inRule && column.path.length > 0) return compileRuleColumn(column, scope);
  const alias = aliasAt(scope, column.path);
  const plain = valueAt(column, { ...scope, alias });
  if (column.rule === null) return plain;
  return sql`case when ${compileCondition(column.rule, { ...scope, alias })} then ${plain} end`;
};

/** Compiles the column or the computed value of the row at `scope.alias`. */
export const valueAt = ({ field, computed }: Pick<ColumnRef, 'field' | 'computed'>, scope: SqlScope): Sql => {
  const { compiler, alias } = scope;
  if (computed === undefined) return [columnOf(compiler, alias, field.name)];
  if (computed.kind === 'output') return scope.outputs?.[computed.index] ?? [];
  if (computed.kind === 'rows') return sql`(select count(*) ${compileChildren(computed, scope)})`;
  return [compileComputed(computed, columnOf(compiler, alias, computed.source.name), compiler.dialect)];
};

/** Compiles a column of a rule: its path is a scalar subquery, which is valid in ON, CASE and RETURNING. */
const compileRuleColumn = (column: ColumnRef, scope: SqlScope): Sql => {
  const { from, alias } = compileRulePath(column.path, scope);
  return sql`(select ${valueAt(column, { ...scope, alias })} ${from})`;
};

const compileRulePath = (
  path: readonly Join[],
  scope: SqlScope,
): { readonly from: Sql; readonly alias: string } => {
  const { compiler } = scope;
  const [first, ...rest] = path;
  if (first === undefined) throw new Error('a rule path has at least one step');
  let alias = compiler.nextAlias();
  const start = matchKeys(compiler, first.relation, { near: scope.alias, alias });
  let tables: Sql = [`from ${compiler.dialect.quote(first.relation.collection.name)} ${alias}`];
  for (const { relation } of rest) {
    const next = compiler.nextAlias();
    const on = matchKeys(compiler, relation, { near: alias, alias: next });
    tables = sql`${tables} join ${compiler.dialect.quote(relation.collection.name)} ${next} on ${on}`;
    alias = next;
  }
  return { from: sql`${tables} where ${start}`, alias };
};

const compileSome = (condition: Some, scope: SqlScope): Sql => {
  const { relation, where, path, inRule } = condition;
  const rule = inRule && path.length > 0 ? compileRulePath(path, scope) : null;
  const owner = rule?.alias ?? aliasAt(scope, path);
  if (rule === null && listFormOf(condition, scope) === 'in') {
    return compileIn(condition, { ...scope, alias: owner, listForm: 'in' });
  }
  const child = sql`select 1 ${compileChildren({ relation, where }, { ...scope, alias: owner })}`;
  return rule === null ? sql`exists (${child})` : sql`exists (select 1 ${rule.from} and exists (${child}))`;
};

/** Compiles a condition on a list as an IN that does not depend on the outer row. */
const compileIn = ({ relation, where }: Some, { compiler, alias, listForm }: SqlScope): Sql => {
  const inner: SqlScope = { ...createScope(compiler), ...(listForm !== undefined && { listForm }) };
  const [field = ''] = relation.fields;
  const [reference = ''] = relation.references;
  const filter = where.kind === 'true' ? [] : sql` where ${compileCondition(where, inner)}`;
  const from = sql`${tableOf(relation.collection, inner)}${joinsOf(inner)}`;
  return sql`${columnOf(compiler, alias, reference)} in (select ${columnOf(compiler, inner.alias, field)} from ${from}${filter})`;
};

/** Compiles FROM and WHERE of the rows of a list of the row at `scope.alias`. */
export const compileChildren = (
  { relation, where }: { readonly relation: ToMany; readonly where: Condition },
  { compiler, alias }: SqlScope,
): Sql => {
  const inner = createScope(compiler);
  const keys = relation.fields
    .map(
      (name, index) =>
        `${columnOf(compiler, inner.alias, name)} = ${columnOf(compiler, alias, relation.references[index] ?? '')}`,
    )
    .join(' and ');
  const filter = where.kind === 'true' ? [] : sql` and ${compileCondition(where, inner)}`;
  return sql`from ${tableOf(relation.collection, inner)}${joinsOf(inner)} where ${keys}${filter}`;
};

/** Returns the quoted table with its alias, for FROM. */
export const tableOf = (collection: Collection, { compiler, alias }: SqlScope): string =>
  `${compiler.dialect.quote(collection.name)} ${alias}`;
