/**
 * Prints the DDL of an apply for SQLite. What ALTER TABLE cannot change is changed by a new table, which takes the rows and
 * the name of the old one; foreign keys are not checked meanwhile.
 */
import { fieldTypes, integerBits } from './schema-types.js';
import type { SchemaPrinter, Script } from '../contract.js';
import { printExpression } from '../../schema/expressions/print.js';
import type {
  ColumnShape,
  DataType,
  ForeignKeyShape,
  IndexShape,
  SchemaExpression,
  TableShape,
} from '../../schema/shapes.js';
import { expressions, syntax } from './expressions.js';
import { quote, quoteAll, quoteText } from './quoting.js';
import { costOf } from './schema-costs.js';
import { mapping } from './schema-mapping.js';

const printTree = (expression: SchemaExpression): string =>
  expression.kind === 'tree' ? printExpression(expression.tree, expressions) : expression.sql;

const sizes: readonly (readonly [RegExp, DataType])[] = [
  [/CHAR|CLOB|TEXT|STRING/i, { kind: 'text', size: 'length' }],
  [/BOOL/i, { kind: 'boolean', size: 'none' }],
  [/NUMERIC|DEC|NUM|MONEY/i, { kind: 'number', size: 'decimal' }],
  [/TIME/i, { kind: 'other', size: 'fraction' }],
  [/INT(?!ERVAL)|REAL|FLOA|DOUB|YEAR/i, { kind: 'number', size: 'length' }],
];

/** Any words are a type; their meaning is in what they contain. */
const dataType = (name: string): DataType | null => {
  if (!/^(?:[A-Za-z_][\w ]{0,60}(?:\(\s*\d+\s*(?:,\s*\d+\s*)?\))?)?$/.test(name)) return null;
  return sizes.find(([pattern]) => pattern.test(name))?.[1] ?? { kind: 'other', size: 'length' };
};

/** SQLite shows the names of its own types in upper case, and others as they were written. */
const normalizeColumn = (column: ColumnShape): ColumnShape =>
  /^(?:any|blob|int|integer|real|text)$/i.test(column.dataType) && column.length === null
    ? { ...column, dataType: column.dataType.toUpperCase() }
    : column;

/** A key of this type is the number of the row, which SQLite counts whether that was asked for or not. */
const normalizeKey = (column: ColumnShape, { withoutRowid }: TableShape['options']): ColumnShape =>
  column.dataType === 'INTEGER' && column.length === null && withoutRowid !== true
    ? { ...column, autoIncrement: column.autoIncrement ?? 'rowid' }
    : column;

const printType = ({ dataType: name, length, precision, scale, fraction }: ColumnShape): string => {
  const size = dataType(name)?.size;
  if (size === 'decimal' && precision !== null)
    return `${name}(${precision}${scale === null ? '' : `,${scale}`})`;
  if (size === 'fraction') return fraction === null ? name : `${name}(${fraction})`;
  return size === 'length' && length !== null ? `${name}(${length})` : name;
};

const printDefault = ({ default: value }: ColumnShape): string => {
  if (value === null) return '';
  if (value.kind === 'expression') return ` DEFAULT (${printTree(value.expression)})`;
  const literal = typeof value.value === 'string' ? quoteText(value.value) : String(Number(value.value));
  return ` DEFAULT ${literal}`;
};

const isRowId = ({ autoIncrement }: ColumnShape): boolean => autoIncrement !== null;

const printColumn = (column: ColumnShape): string => {
  const key = isRowId(column)
    ? ` PRIMARY KEY${column.autoIncrement === 'rowid' ? '' : ' AUTOINCREMENT'}`
    : '';
  const generated =
    column.generated === null
      ? ''
      : ` GENERATED ALWAYS AS (${printTree(column.generated.expression)}) ${column.generated.stored ? 'STORED' : 'VIRTUAL'}`;
  const collation = column.collation === null ? '' : ` COLLATE ${quote(column.collation)}`;
  const type = isRowId(column) ? 'INTEGER' : printType(column);
  return (
    `${quote(column.name)}${type === '' ? '' : ` ${type}`}${key}${column.nullable ? '' : ' NOT NULL'}` +
    `${printDefault(column)}${collation}${generated}`
  );
};

const printForeignKey = (key: ForeignKeyShape): string =>
  `CONSTRAINT ${quote(key.name)} FOREIGN KEY (${quoteAll(key.columns)}) ` +
  `REFERENCES ${quote(key.table)} (${quoteAll(key.references)}) ON DELETE ${key.onDelete} ON UPDATE ${key.onUpdate}` +
  (key.deferrable === 'deferred' ? ' DEFERRABLE INITIALLY DEFERRED' : '');

const printIndex = (table: string, index: IndexShape): string => {
  const parts = index.parts.map(({ column, expression, descending }) => {
    const key = column === null ? (expression === null ? '' : printTree(expression)) : quote(column);
    return `${key}${descending ? ' DESC' : ''}`;
  });
  const predicate = index.predicate === null ? '' : ` WHERE ${printTree(index.predicate)}`;
  return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${quote(index.name)} ON ${quote(table)} (${parts.join(', ')})${predicate}`;
};

const printTable = (table: TableShape, name: string): string => {
  const hasRowId = table.columns.some(isRowId);
  const parts = [
    ...table.columns.map(printColumn),
    ...(hasRowId || table.primaryKey.length === 0 ? [] : [`PRIMARY KEY (${quoteAll(table.primaryKey)})`]),
    ...table.uniques.map((unique) => `CONSTRAINT ${quote(unique.name)} UNIQUE (${quoteAll(unique.columns)})`),
    ...table.checks.map((check) => `CONSTRAINT ${quote(check.name)} CHECK (${printTree(check.expression)})`),
    ...table.foreignKeys.map(printForeignKey),
  ];
  const options = [
    ...(table.options.withoutRowid === true ? ['WITHOUT ROWID'] : []),
    ...(table.options.strict === true ? ['STRICT'] : []),
  ];
  return `CREATE TABLE ${quote(name)} (\n  ${parts.join(',\n  ')}\n)${options.length > 0 ? ` ${options.join(', ')}` : ''}`;
};

const printIndexes = (table: TableShape): readonly string[] =>
  table.indexes.map((index) => printIndex(table.name, index));

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns whether ALTER TABLE can add a column, also to a table with rows. */
const isAddable = (column: ColumnShape, table: TableShape): boolean => {
  const literal = column.default === null || column.default.kind === 'literal';
  const named = [table.primaryKey, ...table.uniques.map(({ columns }) => columns)].flat();
  const keys = table.foreignKeys.flatMap(({ columns }) => columns);
  return (
    column.generated === null &&
    literal &&
    (column.nullable || column.default !== null) &&
    ![...named, ...keys].includes(column.name)
  );
};

/** Returns the table without its new columns at the end, and without indexes. */
const withoutAdded = (after: TableShape, count: number): unknown => ({
  ...after,
  columns: after.columns.slice(0, count),
  indexes: [],
  comment: null,
});

/** Returns whether two tables differ only in indexes and in columns that ALTER TABLE can add. */
const isSimple = (before: TableShape, after: TableShape): boolean =>
  isSame(withoutAdded(after, before.columns.length), withoutAdded(before, before.columns.length)) &&
  after.columns.slice(before.columns.length).every((column) => isAddable(column, after));

/** Prefix of tables that exist only during an apply. */
const scratch = 'svc_scratch_';

/** A name that differs in case alone is taken, by the table itself. */
const renameTable: SchemaPrinter['renameTable'] = (from, to) => {
  const isTaken = from.toLowerCase() === to.toLowerCase();
  const names = isTaken ? [from, `${scratch}${to}`, to] : [from, to];
  return names.slice(1).map((name, at) => `ALTER TABLE ${quote(names[at] ?? from)} RENAME TO ${quote(name)}`);
};

const missing = (from: readonly IndexShape[], other: readonly IndexShape[]): readonly IndexShape[] =>
  from.filter((index) => !other.some((each) => isSame(each, index)));

const alterTable = (before: TableShape, after: TableShape): readonly string[] => {
  if (!isSimple(before, after)) return rebuild(before, after);
  const added = after.columns.slice(before.columns.length);
  return [
    ...missing(before.indexes, after.indexes).map(({ name }) => `DROP INDEX ${quote(name)}`),
    ...added.map((column) => `ALTER TABLE ${quote(after.name)} ADD COLUMN ${printColumn(column)}`),
    ...missing(after.indexes, before.indexes).map((index) => printIndex(after.name, index)),
  ];
};

/**
 * Makes the table anew (sqlite.org/lang_altertable.html §7). The old one is dropped and the new one takes its name, so that
 * keys and views of others keep naming it.
 */
const rebuild = (before: TableShape, after: TableShape): readonly string[] => {
  const name = `${scratch}${after.name}`;
  const copied = after.columns
    .filter(({ generated }) => generated === null)
    .filter((column) => before.columns.some((each) => each.name === column.name && each.generated === null))
    .map((column) => column.name);
  const counter = after.columns.some(
    ({ autoIncrement }) => autoIncrement !== null && autoIncrement !== 'rowid',
  );
  return [
    printTable(after, name),
    ...(copied.length > 0
      ? [
          `INSERT INTO ${quote(name)} (${quoteAll(copied)}) SELECT ${quoteAll(copied)} FROM ${quote(after.name)}`,
        ]
      : []),
    // an emptied table goes on counting where it was
    ...(counter && before.columns.some(({ autoIncrement }) => autoIncrement === 'autoincrement')
      ? [
          `DELETE FROM sqlite_sequence WHERE name = ${quoteText(name)}`,
          `INSERT INTO sqlite_sequence (name, seq) SELECT ${quoteText(name)}, seq FROM sqlite_sequence WHERE name = ${quoteText(after.name)}`,
        ]
      : []),
    `DROP TABLE ${quote(after.name)}`,
    // so that views and keys of other tables are left as they are
    'PRAGMA legacy_alter_table = ON',
    `ALTER TABLE ${quote(name)} RENAME TO ${quote(after.name)}`,
    'PRAGMA legacy_alter_table = OFF',
    ...printIndexes(after),
    ...before.triggers,
  ];
};

/** The pragma has no effect within a transaction. */
const script: Script = {
  session: ['PRAGMA foreign_keys = OFF'],
  begin: ['BEGIN IMMEDIATE'],
  commit: ['PRAGMA foreign_key_check', 'COMMIT', 'PRAGMA foreign_keys = ON'],
};

export const sqliteSchemaPrinter: SchemaPrinter = {
  syntax,
  expressions,
  transactional: true,
  noActionIsRestrict: false,
  indexesForeignKeys: false,
  reserved: /^sqlite_/i,
  // made of the names of table and columns, as a snapshot needs some
  automaticNames: { uniques: /_unique$/, checks: /_check_\d+$/, foreignKeys: /_foreign$/ },
  maxName: 128,
  nameLength: (name) => [...name].length,
  dataType,
  uniqueIndexIsConstraint: false,
  normalizeColumn,
  normalizeKey,
  foldsTableNames: true,
  takesAnyDefault: true,
  integerBits,
  usualFraction: 0,
  fieldTypes,
  printType,
  createTable: (table) => [printTable(table, table.name), ...printIndexes(table)],
  dropTable: (name) => `DROP TABLE ${quote(name)}`,
  renameTable,
  renameColumn: ({ from, to }, { before }) =>
    `ALTER TABLE ${quote(before.name)} RENAME COLUMN ${quote(from)} TO ${quote(to)}`,
  alterTable,
  isMadeAnew: (before, after) => !isSimple(before, after),
  addForeignKey: null,
  dropForeignKey: () => '',
  renamable: new Set(),
  renamesInViews: true,
  script: () => Promise.resolve(script),
  mapping,
  costOf: (change, { before, after }) => costOf(change, !isSimple(before, after)),
};
