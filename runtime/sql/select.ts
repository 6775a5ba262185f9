/**
 * Compiles a selection to the columns of a statement and the template that turns them into JSON. The database
 * returns plain columns and `execute` writes the JSON from their bytes, which measured fastest on both sides.
 */
import { invalidQuery } from '../../contract/errors.js';
import { isMasked } from '../../contract/fields.js';
import type { Field } from '../../contract/collection.js';
import type { SqlDialect } from '../databases/contract.js';
import type { AnyTarget, Condition, Entry, Order, Select } from '../plan/types.js';
import {
  columnOf,
  compileColumn,
  compileCondition,
  joinRelation,
  valueAt,
  type SqlScope,
} from './condition.js';
import { join, sql, type Sql } from './fragment.js';
import { cursorFieldOf } from './parameters.js';

/** A part of the template, processed from left to right together with the columns of the row. */
export type Token =
  | { readonly kind: 'literal'; readonly bytes: Buffer }
  /** One column, written in the wire form of the field. A masked column is 1 where there is a value. */
  | { readonly kind: 'value'; readonly field: Field }
  /**
   * A marker column that is null where there is no related row, or where a rule hides the list that follows:
   * `null` is written, and the tokens and columns of the relation are skipped. Shared: the marker is also the
   * first value of the related row.
   */
  | {
      readonly kind: 'one';
      readonly isShared: boolean;
      readonly skipTokens: number;
      readonly skipColumns: number;
    }
  /** The key of a nested list in `columns` columns; the list is empty where one of them is null. */
  | { readonly kind: 'list'; readonly list: number; readonly columns: number }
  /** The name of a collection and the key of one of its items, in one column each; `null` where there is no list for it. */
  | { readonly kind: 'any'; readonly lists: ReadonlyMap<string, number> }
  /**
   * A composite key, written as one text joined by commas, or as `null` where all of its columns are null.
   */
  | { readonly kind: 'key'; readonly fields: readonly Field[] }
  /** The row ends; what follows is its cursor, which is not part of the answer. */
  | { readonly kind: 'end' };

/** The columns of a selection, the template of its JSON, and its nested lists. */
export interface CompiledSelect {
  readonly columns: readonly Sql[];
  readonly tokens: readonly Token[];
  readonly lists: readonly NestedEntry[];
}

/** Columns of a select: the smallest limit of a database, less the columns of parent keys. */
const maxColumns = 1_980;

/** Returns the select list, which is never empty. @throws INVALID_QUERY */
export const columnsOf = ({ columns }: Pick<CompiledSelect, 'columns'>): Sql => {
  if (columns.length > maxColumns) throw invalidQuery(`"fields" selects more than ${maxColumns} columns`);
  return columns.length === 0 ? ['1'] : join(columns, ', ');
};

/** A nested list in a selection. */
export type ListEntry = Extract<Entry, { kind: 'many' }>;
/** Groups of a nested list in a selection. */
export type GroupsEntry = Extract<Entry, { kind: 'groups' }>;

/** Parts that statements of their own read: nested lists, their groups, and the items of many-to-any relations. */
export type NestedEntry = ListEntry | GroupsEntry | AnyTarget;

interface Builder {
  readonly columns: Sql[];
  readonly tokens: Token[];
  readonly lists: NestedEntry[];
  /** Tokens before this index are counted by a `one` token and must not be merged. */
  sealed: number;
}

/** Compiles a selection; joins are added to the scope, and lists are left to statements of their own. */
export const compileSelect = (select: Select, scope: SqlScope): CompiledSelect => {
  const builder: Builder = { columns: [], tokens: [], lists: [], sealed: 0 };
  addSelect(select, scope, builder);
  return builder;
};

/** Returns whether the database compares the values of a field in the order in which it sorts them. */
export const comparesAsItSorts = (field: Field, { asText }: SqlDialect): boolean =>
  (asText?.(field) ?? []).every((part) => part === '');

/** Appends the sort keys of each row, as a list of JSON. @throws INVALID_QUERY where one does not compare as it sorts */
export const addCursor = (
  { columns, tokens, lists }: CompiledSelect,
  order: readonly Order[],
  scope: SqlScope,
): CompiledSelect => {
  const { dialect } = scope.compiler;
  const builder: Builder = { columns: [...columns], tokens: [...tokens], lists: [...lists], sealed: 0 };
  builder.sealed = builder.tokens.push({ kind: 'end' });
  order.forEach(({ column }, index) => {
    if (!comparesAsItSorts(column.field, dialect))
      throw invalidQuery(`a cursor cannot follow the order of "${column.field.name}"`);
    addLiteral(index === 0 ? '[' : ',', builder);
    builder.columns.push(compileColumn(column, scope));
    builder.tokens.push({ kind: 'value', field: cursorFieldOf(dialect, column.field) });
  });
  addLiteral(']', builder);
  return builder;
};

const addSelect = (select: Select, scope: SqlScope, builder: Builder): void => {
  if (select.kind === 'object') return addObject(select.entries, scope, builder);
  const { fields, rule } = select;
  const [only] = fields;
  if (fields.length === 1 && only !== undefined) return addField({ field: only, rule }, scope, builder);
  for (const { name } of fields) {
    builder.columns.push(underRule([columnOf(scope.compiler, scope.alias, name)], rule, scope));
  }
  builder.tokens.push({ kind: 'key', fields });
};

const addObject = (entries: readonly Entry[], scope: SqlScope, builder: Builder): void => {
  entries.forEach((entry, index) => {
    addLiteral(`${index === 0 ? '{' : ','}${JSON.stringify(entry.name)}:`, builder);
    if (entry.kind === 'field') addField(entry, scope, builder);
    else if (entry.kind === 'constant') addLiteral(entry.json, builder);
    else if (entry.kind === 'group') addSelect(entry.select, scope, builder);
    else if (entry.kind === 'one') addOne(entry, scope, builder);
    else if (entry.kind === 'any') addAny(entry, scope, builder);
    else addList(entry, scope, builder);
  });
  addLiteral(entries.length === 0 ? '{}' : '}', builder);
};

/** Appends a literal, merged with the literal before it. */
const addLiteral = (text: string, { tokens, sealed }: Builder): void => {
  const last = tokens.at(-1);
  const bytes = Buffer.from(text);
  if (last?.kind !== 'literal' || tokens.length <= sealed) tokens.push({ kind: 'literal', bytes });
  else tokens[tokens.length - 1] = { kind: 'literal', bytes: Buffer.concat([last.bytes, bytes]) };
};

const addField = (
  { field, rule, computed }: Pick<Extract<Entry, { kind: 'field' }>, 'field' | 'rule' | 'computed'>,
  scope: SqlScope,
  builder: Builder,
): void => {
  const value = valueAt({ field, ...(computed !== undefined && { computed }) }, scope);
  const expression = isMasked(field) ? sql`case when ${value} is not null then 1 end` : value;
  builder.columns.push(underRule(expression, rule, scope));
  builder.tokens.push({ kind: 'value', field });
};

const underRule = (column: Sql, rule: Condition | null, scope: SqlScope): Sql =>
  rule === null ? column : sql`case when ${compileCondition(rule, scope)} then ${column} end`;

type OneEntry = Extract<Entry, { kind: 'one' }>;

const addOne = ({ join: step, where, select }: OneEntry, scope: SqlScope, builder: Builder): void => {
  const { columns, tokens } = builder;
  const target = joinRelation(scope, step);
  const key = [columnOf(scope.compiler, target.alias, step.relation.references[0] ?? '')];
  const marker = underRule(key, where.kind === 'true' ? null : where, target);
  const firstColumn = columns.push(marker);
  const firstToken = tokens.push({ kind: 'one', isShared: false, skipTokens: 0, skipColumns: 0 });
  builder.sealed = firstToken;
  addSelect(select, target, builder);
  const isShared = isSameColumn(marker, columns[firstColumn]);
  if (isShared) columns.splice(firstColumn, 1);
  tokens[firstToken - 1] = {
    kind: 'one',
    isShared,
    skipTokens: tokens.length - firstToken,
    skipColumns: columns.length - firstColumn + (isShared ? 1 : 0),
  };
  builder.sealed = tokens.length;
};

const isSameColumn = (one: Sql, other: Sql | undefined): boolean =>
  one.length === 1 && other?.length === 1 && one[0] === other[0];

const addList = (
  entry: ListEntry | GroupsEntry,
  scope: SqlScope,
  { columns, tokens, lists }: Builder,
): void => {
  const { references } = entry.relation;
  if (entry.rule !== null) {
    columns.push(underRule(['1'], entry.rule, scope));
    tokens.push({ kind: 'one', isShared: false, skipTokens: 1, skipColumns: references.length });
  }
  for (const name of references) columns.push([columnOf(scope.compiler, scope.alias, name)]);
  tokens.push({ kind: 'list', list: lists.push(entry) - 1, columns: references.length });
};

type AnyEntry = Extract<Entry, { kind: 'any' }>;

const addAny = ({ relation, rule, targets }: AnyEntry, scope: SqlScope, builder: Builder): void => {
  const { columns, tokens, lists } = builder;
  for (const name of [relation.collectionField, relation.field])
    columns.push(underRule([columnOf(scope.compiler, scope.alias, name)], rule, scope));
  tokens.push({
    kind: 'any',
    lists: new Map(targets.map((target) => [target.relation.target, lists.push(target) - 1])),
  });
};
