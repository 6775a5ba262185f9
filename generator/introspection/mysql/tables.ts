/** Converts rows of information_schema to tables. Pure. */
import type { Column, ForeignKey, Index, ReferenceAction, Table, Unique } from '../catalog.js';
import type { Count } from '../dialect.js';
import { readDefault, readType } from './columns.js';
import { groupBy, sortBy } from '../order.js';

export interface TableRow {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
}

export interface ColumnRow {
  readonly table: string;
  readonly name: string;
  /** `int(10) unsigned` */
  readonly columnType: string;
  /** `int` */
  readonly dataType: string;
  readonly nullable: 'YES' | 'NO';
  readonly defaultSql: string | null;
  readonly extra: string;
  readonly length: Count | null;
  readonly precision: Count | null;
  readonly scale: Count | null;
  readonly fraction: Count | null;
  readonly generation: string | null;
  /** Identifier of the only system of coordinates of a geometry column; null for any. */
  readonly srid: Count | null;
  /** Collation of a text column. */
  readonly collation: string | null;
  readonly comment: string;
}

/** One column of one index, in index order. */
export interface StatisticsRow {
  readonly table: string;
  readonly name: string;
  readonly nonUnique: Count;
  /** The column; `null` for an expression. */
  readonly column: string | null;
  /** Number of leading characters that are indexed; `null` for all. */
  readonly prefix: Count | null;
  readonly expression: string | null;
}

/** One column of one foreign key, in key order. */
export interface KeyColumnRow {
  readonly table: string;
  readonly name: string;
  readonly column: string;
  readonly sameSchema: Count;
  readonly referencedTable: string;
  readonly referencedColumn: string;
}

export interface ReferenceRow {
  readonly table: string;
  readonly name: string;
  readonly onUpdate: string;
  readonly onDelete: string;
}

/** The check of one column, which has the column's name. */
export interface CheckRow {
  readonly table: string;
  readonly column: string;
  readonly clause: string;
}

export interface CatalogRows {
  readonly tables: readonly TableRow[];
  readonly columns: readonly ColumnRow[];
  readonly statistics: readonly StatisticsRow[];
  readonly keyColumns: readonly KeyColumnRow[];
  readonly references: readonly ReferenceRow[];
  readonly checks: readonly CheckRow[];
}

/** Converts rows to tables; omits sequences, and views without columns because their table is missing. */
export const rowsToTables = (rows: CatalogRows): Table[] => {
  const columns = groupBy(rows.columns, (row) => row.table);
  const statistics = groupBy(rows.statistics, (row) => row.table);
  const keyColumns = groupBy(rows.keyColumns, (row) => row.table);
  const references = groupBy(rows.references, (row) => row.table);
  const checks = groupBy(rows.checks, (row) => row.table);
  return rows.tables
    .filter((table) => kinds.has(table.type) && columns.has(table.name))
    .map((table) => {
      const json = readJsonColumns(checks.get(table.name) ?? []);
      const indexes = groupBy(statistics.get(table.name) ?? [], (row) => row.name);
      const view = table.type === 'VIEW';
      return {
        name: table.name,
        kind: view ? 'view' : 'table',
        comment: view ? null : table.comment || null,
        columns: (columns.get(table.name) ?? []).map((row) =>
          rowToColumn(row, { json: json.has(row.name), view }),
        ),
        primaryKey: indexes.get('PRIMARY')?.flatMap((row) => row.column ?? []) ?? null,
        uniques: readUniques(indexes),
        foreignKeys: readForeignKeys(keyColumns.get(table.name) ?? [], references.get(table.name) ?? []),
        indexes: readIndexes(indexes),
      };
    });
};

const kinds: ReadonlySet<string> = new Set(['BASE TABLE', 'SYSTEM VERSIONED', 'VIEW']);

/**
 * Returns the JSON columns of MariaDB: text with the check `json_valid(<column>)`, in the quotes of the
 * session's SQL mode. These are the columns that the server's JSON functions embed unescaped.
 */
const readJsonColumns = (checks: readonly CheckRow[]): ReadonlySet<string> =>
  new Set(checks.filter(isJsonCheck).map((check) => check.column));

const isJsonCheck = ({ column, clause }: CheckRow): boolean =>
  ['`', '"'].some((quote) => clause === `json_valid(${quoteWith(quote, column)})`);

const quoteWith = (quote: string, name: string): string =>
  quote + name.replaceAll(quote, quote + quote) + quote;

const rowToColumn = (row: ColumnRow, { json, view }: { json: boolean; view: boolean }): Column => {
  const type = readType(row, json);
  const onUpdate = /on update (\w+(?:\(\d*\))?)/i.exec(row.extra)?.[1];
  return {
    // MySQL lists column names of views with leading spaces that they do not have
    name: view ? row.name.replace(/^ +/, '') : row.name,
    // the declared type: the server stores JSON as longtext
    dbType: json && row.columnType === 'longtext' ? 'json' : row.columnType,
    type,
    nullable: row.nullable === 'YES',
    default: view || row.generation ? null : readDefault(row.defaultSql, type),
    autoIncrement: row.extra.includes('auto_increment'),
    generated: row.generation ? { expression: row.generation, stored: row.extra.includes('STORED') } : null,
    ...(onUpdate !== undefined && { onUpdate }),
    ...(row.extra.includes('INVISIBLE') && { invisible: true }),
    ...(row.collation !== null && !fullCharsets.test(row.collation) && { collation: row.collation }),
    comment: row.comment || null,
  };
};

/** Collations of character sets that contain every character. */
const fullCharsets = /^(?:utf8mb4|utf16|utf16le|utf32|gb18030)_/;

type IndexRows = ReadonlyMap<string, readonly StatisticsRow[]>;

/**
 * Returns whether an index is unique over columns. Uniqueness of an expression or prefix is not a rule about
 * the column.
 */
const isUnique = (rows: readonly StatisticsRow[]): boolean =>
  rows.every((row) => Number(row.nonUnique) === 0 && row.prefix === null && row.column !== null);

const readUniques = (indexes: IndexRows): Unique[] =>
  sortedIndexes(indexes)
    .filter(([, rows]) => isUnique(rows))
    .map(([name, rows]) => ({ name, columns: rows.flatMap((row) => row.column ?? []) }));

const readIndexes = (indexes: IndexRows): Index[] =>
  sortedIndexes(indexes)
    .filter(([, rows]) => !isUnique(rows))
    .map(([name, rows]) => ({
      name,
      columns: rows.map(readIndexColumn),
      unique: rows.every((row) => Number(row.nonUnique) === 0),
    }));

const readIndexColumn = ({ column, prefix, expression }: StatisticsRow): Index['columns'][number] => {
  if (column === null) return { expression: expression ?? '' };
  return prefix === null ? column : { expression: `${quoteWith('`', column)}(${prefix})` };
};

const sortedIndexes = (indexes: IndexRows): [string, readonly StatisticsRow[]][] =>
  sortBy([...indexes], ([name]) => name).filter(([name]) => name !== 'PRIMARY');

const readForeignKeys = (
  keyColumns: readonly KeyColumnRow[],
  references: readonly ReferenceRow[],
): ForeignKey[] => {
  const rules = new Map(references.map((row) => [row.name, row]));
  const constraints = groupBy(
    keyColumns.filter((row) => Number(row.sameSchema) === 1),
    (row) => row.name,
  );
  return sortBy([...constraints], ([name]) => name).map(([name, rows]) => ({
    name,
    columns: rows.map((row) => row.column),
    table: rows[0]?.referencedTable ?? '',
    references: rows.map((row) => row.referencedColumn),
    onUpdate: readAction(rules.get(name)?.onUpdate),
    onDelete: readAction(rules.get(name)?.onDelete),
  }));
};

const readAction = (rule = 'RESTRICT'): ReferenceAction => rule.toLowerCase() as ReferenceAction;
