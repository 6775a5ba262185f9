/** Selects and compares the parent's key in the rows of a nested list. */
import { requireField, type Field } from '../../contract/collection.js';
import type { ReadPlan } from '../plan/types.js';
import { columnOf, type SqlScope } from './condition.js';
import type { BindValue, SqlDialect } from '../databases/contract.js';
import { join, sql, type BindInput, type Parameter, type Sql } from './fragment.js';
import { bindKeyPart, keyPlaceholder } from './key.js';
import type { ListEntry } from './select.js';

/** Parents per statement: for longer lists some query planners stop using indexes. */
export const maxScanParents = 1000;

/** The parent's key as columns of a statement. */
export interface ParentKey {
  readonly columns: readonly string[];
  readonly fields: readonly Field[];
}

/** The parent's key, and the join that its columns require. */
export interface JoinedParentKey extends ParentKey {
  readonly join: Sql;
}

/**
 * Returns the columns of the parent's key. An integer foreign key equals the key itself; others may spell it
 * differently (case, trailing spaces) as far as the collation allows, so the parent's own value is joined.
 */
export const parentKeyOf = (
  relation: ListEntry['relation'],
  plan: ReadPlan,
  scope: SqlScope,
): JoinedParentKey => {
  const { compiler } = scope;
  const fields = relation.fields.map((name) => requireField(plan.collection, name));
  const own = relation.fields.map((name) => columnOf(compiler, scope.alias, name));
  if (fields.every(isIntegerColumn)) {
    return { columns: own, fields, join: [] };
  }
  const alias = compiler.nextAlias();
  const columns = relation.references.map((name) => columnOf(compiler, alias, name));
  const on = own.map((column, index) => `${columns[index]} = ${column}`).join(' and ');
  return { columns, fields, join: [` join ${compiler.dialect.quote(relation.owner)} ${alias} on ${on}`] };
};

/** The row of a parent in its own table. */
export interface ParentRow extends ParentKey {
  readonly table: string;
}

/** Returns the parent's row in the statement of a nested list, under an alias of its own. */
export const parentRowOf = (
  relation: ListEntry['relation'],
  plan: Pick<ReadPlan, 'collection'>,
  { compiler }: SqlScope,
): ParentRow => {
  const alias = compiler.nextAlias();
  return {
    table: `${compiler.dialect.quote(relation.owner)} ${alias}`,
    columns: relation.references.map((name) => columnOf(compiler, alias, name)),
    fields: relation.fields.map((name) => requireField(plan.collection, name)),
  };
};

/** Returns the condition that a row belongs to a parent. */
export const matchParent = (
  { fields }: ListEntry['relation'],
  { columns }: ParentRow,
  { compiler, alias }: SqlScope,
): Sql => [
  fields.map((name, index) => `${columnOf(compiler, alias, name)} = ${columns[index]}`).join(' and '),
];

/** Returns whether the column contains integers only; one without a declared type may contain text. */
export const isIntegerColumn = ({ type, dbType }: Field): boolean =>
  (type === 'integer' || type === 'bigInteger') && dbType !== '';

/** Compiles the conditions for the rows of one parent and of many. Keys are encoded by `joinKey`. */
export const parentKeyConditions = (
  { columns, fields }: ParentKey,
  dialect: SqlDialect,
): { readonly one: Sql; readonly many: Sql } => {
  const bind = (key: unknown, column: number): BindValue => bindKeyPart(key, column, { fields, dialect });
  const placeholders = fields.map((field) => keyPlaceholder(field, dialect));
  const one = columns.map((column, index): Sql => {
    const placeholder = placeholders[index] ?? '?';
    return sql`${column} = ${{ placeholder, list: false, read: ({ keys }) => bind(keys[0], index) }}`;
  });
  return { one: join(one, ' and '), many: compileAnyKey(columns, { placeholders, bind, dialect }) };
};

interface KeyOptions {
  readonly placeholders: readonly string[];
  readonly dialect: SqlDialect;
  bind(key: unknown, column: number): BindValue;
}

const compileAnyKey = (columns: readonly string[], { placeholders, dialect, bind }: KeyOptions): Sql => {
  const [column = '', ...rest] = columns;
  const { array } = dialect;
  if (rest.length === 0 && array !== undefined) {
    const read = ({ keys }: BindInput): string => array(keys.map((key) => bind(key, 0)));
    return sql`${column} = any(${{ placeholder: '?', list: false, read }})`;
  }
  const all: Parameter = {
    placeholder: tuple(placeholders),
    list: true,
    width: columns.length,
    read: ({ keys }) =>
      rest.length === 0
        ? keys.map((key) => bind(key, 0))
        : keys.flatMap((key) => columns.map((_, index) => bind(key, index))),
  };
  return sql`${tuple(columns)} in (${all})`;
};

const tuple = (parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(', ')})`;
