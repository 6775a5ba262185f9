/** Prints the DDL of an apply for PostgreSQL. */
import type { Executor, SchemaPrinter } from '../contract.js';
import { findKeyRenames, renameKeys, type KeyKind, type KeyRename } from '../../schema/key-renames.js';
import type { Deferrable, ForeignKeyShape, IndexShape, TableShape } from '../../schema/shapes.js';
import { expressions, syntax } from './expressions.js';
import { pins } from './options.js';
import { quote, quoteAll, quoteText } from './quoting.js';
import { countInconvertible } from './schema-conversions.js';
import { costOf, costOfBuild } from './schema-costs.js';
import { alterColumn, commentOn, printColumn, printTree } from './schema-columns.js';
import { measureAlter } from './schema-measure.js';
import { mapping } from './schema-mapping.js';
import { remadeColumns, replacedColumns, withoutColumns } from './schema-generated.js';
import { changeTypes } from './schema-enums.js';
import {
  elementOf,
  aliases,
  dataType,
  fieldTypes,
  holdsLabel,
  integerBits,
  normalizeColumn,
  printType,
} from './schema-types.js';

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

interface Named {
  readonly name: string;
}

/** Returns what the list before has and the list after lacks, or has otherwise. */
const missingFrom = <Item extends Named>(before: readonly Item[], after: readonly Item[]): readonly Item[] =>
  before.filter((item) => !after.some((other) => isSame(item, other)));

const printIndex = (table: string, index: IndexShape, how = ''): string => {
  const parts = index.parts.map(({ column, expression, descending }) => {
    const key = column === null ? `(${expression === null ? '' : printTree(expression)})` : quote(column);
    return `${key}${descending ? ' desc' : ''}`;
  });
  const method = index.method === null ? '' : ` using ${index.method}`;
  const include = index.include.length === 0 ? '' : ` include (${quoteAll(index.include)})`;
  const predicate = index.predicate === null ? '' : ` where ${printTree(index.predicate)}`;
  return (
    `create ${index.unique ? 'unique ' : ''}index ${how}${quote(index.name)} on ${quote(table)}${method} ` +
    `(${parts.join(', ')})${include}${predicate}`
  );
};

/** An attempt that failed or was cut off has left an index that is not valid, which the catalog does not have. */
const planBuild = async (
  table: string,
  index: IndexShape,
  executor: Executor,
): Promise<readonly string[]> => {
  const name = quote(index.name);
  const [row] = await executor.query(
    `select exists (select from ${quote(table)}) as "rows", exists (select from pg_index
      where indexrelid = to_regclass(${quoteText(name)}) and not indisvalid) as "left"`,
  );
  const isLeft = Number(row?.left) === 1;
  if (!isLeft && Number(row?.rows) !== 1) return [];
  return [
    ...(isLeft ? [`drop index concurrently if exists ${name}`] : []),
    printIndex(table, index, 'concurrently '),
  ];
};

/** Prints when a constraint is checked, where a transaction can defer that. */
const printDeferrable = (deferrable: Deferrable | undefined): string =>
  deferrable === undefined ? '' : ` deferrable initially ${deferrable}`;

const printForeignKey = (key: ForeignKeyShape): string =>
  `constraint ${quote(key.name)} foreign key (${quoteAll(key.columns)}) ` +
  `references ${quote(key.table)} (${quoteAll(key.references)}) ` +
  `on delete ${key.onDelete.toLowerCase()} on update ${key.onUpdate.toLowerCase()}${printDeferrable(key.deferrable)}`;

const printConstraints = (table: Pick<TableShape, 'uniques' | 'checks'>): readonly string[] => [
  ...table.uniques.map(
    ({ name, columns, deferrable }) =>
      `constraint ${quote(name)} unique (${quoteAll(columns)})${printDeferrable(deferrable)}`,
  ),
  ...table.checks.map(({ name, expression }) => `constraint ${quote(name)} check (${printTree(expression)})`),
];

const printPrimaryKey = ({ primaryKey, keyDeferrable }: TableShape): string =>
  `primary key (${quoteAll(primaryKey)})${printDeferrable(keyDeferrable)}`;

const commentOnTable = ({ name, comment }: TableShape): string =>
  `comment on table ${quote(name)} is ${comment === null ? 'null' : quoteText(comment)}`;

const createTable = (table: TableShape): readonly string[] => {
  const parts = [
    ...table.columns.map(printColumn),
    ...(table.primaryKey.length > 0 ? [printPrimaryKey(table)] : []),
    ...printConstraints(table),
  ];
  return [
    `create table ${quote(table.name)} (\n  ${parts.join(',\n  ')}\n)`,
    ...table.indexes.map((index) => printIndex(table.name, index)),
    ...(table.comment === null ? [] : [commentOnTable(table)]),
    ...table.columns.filter(({ comment }) => comment !== null).map((column) => commentOn(table.name, column)),
  ];
};

const renamable: ReadonlySet<KeyKind> = new Set(['uniques', 'indexes', 'checks', 'foreignKeys']);

const renameConstraint = (table: string, from: string, to: string): string =>
  `alter table ${quote(table)} rename constraint ${quote(from)} to ${quote(to)}`;

const renameKey = (table: string, { kind, from, to }: KeyRename): string =>
  kind === 'indexes'
    ? `alter index ${quote(from)} rename to ${quote(to)}`
    : renameConstraint(table, from, to);

const alterTable = (old: TableShape, after: TableShape): readonly string[] => {
  // foreign keys have statements of their own
  const renames = findKeyRenames(old, after, renamable).filter(({ kind }) => kind !== 'foreignKeys');
  return [
    ...renames.map((rename) => renameKey(after.name, rename)),
    ...alterRenamed(renameKeys(old, renames), after),
  ];
};

const alterRenamed = (present: TableShape, after: TableShape): readonly string[] => {
  const name = quote(after.name);
  const alter = (clause: string): string => `alter table ${name} ${clause}`;
  const remade = remadeColumns(present, after);
  const constraints = [
    ...missingFrom(present.checks, after.checks),
    ...missingFrom(present.uniques, after.uniques),
  ];
  // what is over a column goes with it
  const before = withoutColumns(present, remade);
  const old = new Map(before.columns.map((column) => [column.name, column]));
  const names = new Set(after.columns.map((column) => column.name));
  const keyChanges =
    !isSame(before.primaryKey, after.primaryKey) || before.keyDeferrable !== after.keyDeferrable;
  const drops = [
    ...constraints.map((each) => `drop constraint ${quote(each.name)}`),
    ...[...remade].map((each) => `drop column ${quote(each)}`),
    ...before.columns
      .filter((column) => !names.has(column.name))
      .map((each) => `drop column ${quote(each.name)}`),
  ];
  const added = printConstraints({
    uniques: missingFrom(after.uniques, before.uniques),
    checks: missingFrom(after.checks, before.checks),
  });
  const key = keyChanges && after.primaryKey.length > 0 ? [`add ${printPrimaryKey(after)}`] : [];
  return [
    ...missingFrom(present.indexes, after.indexes).map((index) => `drop index ${quote(index.name)}`),
    ...(keyChanges && before.primaryKey.length > 0 ? [dropPrimaryKey(after.name)] : []),
    ...drops.map(alter),
    // one by one, as a column may be dropped and added again
    ...alterColumns(old, after).map(alter),
    ...after.columns.flatMap((column) => alterSequence(old.get(column.name) ?? null, column, after.name)),
    ...[...key, ...added.map((constraint) => `add ${constraint}`)].map(alter),
    ...missingFrom(after.indexes, before.indexes).map((index) => printIndex(after.name, index)),
    ...(before.comment === after.comment ? [] : [commentOnTable(after)]),
    ...after.columns
      .filter((column) => (old.get(column.name)?.comment ?? null) !== column.comment)
      .map((column) => commentOn(after.name, column)),
  ];
};

const isPlain = ({ generated }: TableShape['columns'][number]): boolean => generated === null;

/** Generated columns come last, when those that they name are as they shall be. */
const alterColumns = (
  old: ReadonlyMap<string, TableShape['columns'][number]>,
  { columns }: TableShape,
): readonly string[] => {
  const ordered = [...columns.filter(isPlain), ...columns.filter((column) => !isPlain(column))];
  return ordered.flatMap((column) => {
    const present = old.get(column.name);
    return present === undefined ? [`add column ${printColumn(column)}`] : alterColumn(present, column);
  });
};

/** The name of the key's constraint is that of the table when it was made. */
const dropPrimaryKey = (table: string): string =>
  `do $do$ begin execute (select format('alter table %s drop constraint %I', conrelid::regclass, conname)
    from pg_constraint where contype = 'p' and conrelid = ${quoteText(quote(table))}::regclass); end $do$`;

/** A new generator begins after the greatest key. */
const alterSequence = (
  before: TableShape['columns'][number] | null,
  after: TableShape['columns'][number],
  table: string,
): readonly string[] => {
  if (before === null || after.autoIncrement === null || before.autoIncrement === after.autoIncrement)
    return [];
  const sequence = `pg_get_serial_sequence(${quoteText(quote(table))}, ${quoteText(after.name)})`;
  return [
    `select setval(${sequence}, coalesce((select max(${quote(after.name)}) from ${quote(table)}), 0) + 1, false)`,
  ];
};

const script: SchemaPrinter['script'] = async (executor) => {
  const [path] = await executor.query('show search_path');
  const session = [
    "set client_encoding = 'UTF8'",
    'set standard_conforming_strings = on',
    ...pins,
    `set search_path = ${String(path?.search_path)}`,
  ];
  return { session, begin: ['begin'], commit: ['commit'] };
};

/** Adds the types that a database has: columns may have them, and its enums are not created again. */
const withTypes = (existing: ReadonlyMap<string, readonly string[] | null>): SchemaPrinter => ({
  ...postgresSchemaPrinter,
  dataType: (name, values) =>
    dataType(name, values) ?? (existing.has(elementOf(name)) ? { kind: 'other', size: 'length' } : null),
  changeTypes: (before, after) => changeTypes(before, after, existing),
});

export const postgresSchemaPrinter: SchemaPrinter = {
  syntax,
  expressions,
  transactional: true,
  noActionIsRestrict: false,
  indexesForeignKeys: false,
  reserved: /^pg_/i,
  maxName: 63,
  nameLength: (name) => Buffer.byteLength(name),
  dataType,
  integerBits,
  holdsLabel,
  usualFraction: 6,
  fieldTypes,
  aliases,
  uniqueIndexIsConstraint: false,
  normalizeColumn,
  printType,
  createTable,
  dropTable: (name) => `drop table ${quote(name)}`,
  renameTable: (from, to) => [`alter table ${quote(from)} rename to ${quote(to)}`],
  renameColumn: ({ from, to }, { before }) =>
    `alter table ${quote(before.name)} rename column ${quote(from)} to ${quote(to)}`,
  alterTable,
  addForeignKey: (table, key) => `alter table ${quote(table)} add ${printForeignKey(key)}`,
  dropForeignKey: (table, { name }) => `alter table ${quote(table.name)} drop constraint ${quote(name)}`,
  renameForeignKey: (table, { name }, to) => renameConstraint(table.name, name, to),
  renamable,
  changeTypes,
  indexBuilds: { cost: costOfBuild, plan: planBuild },
  mapping,
  withTypes,
  renamesInViews: false,
  script,
  replacedColumns,
  costOf,
  measureAlter: (measured, database) => measureAlter({ createTable, alterTable }, measured, database),
  countInconvertible,
};
