/** Prints the DDL of the system tables for SQLite; declared types preserve details that column affinities lose. */
import type { DdlPrinter } from '../contract.js';
import type { SystemForeignKey, SystemColumn } from '../../schema/system-tables.js';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const quoteAll = (names: readonly string[]): string => names.map(quote).join(', ');

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const typeOf = (column: SystemColumn): string => {
  switch (column.type) {
    case 'uuid':
      return 'CHAR(36)';
    case 'string':
      return `VARCHAR(${column.length ?? 255})`;
    case 'text':
    case 'csv':
      return 'TEXT';
    case 'integer':
      return 'INTEGER';
    case 'bigInteger':
      return 'BIGINT';
    case 'boolean':
      return 'BOOLEAN';
    case 'json':
      return 'JSON';
    case 'timestamp':
      return 'TIMESTAMP';
  }
};

const defaultOf = (column: SystemColumn): string => {
  if (column.default === undefined) return '';
  return ` DEFAULT ${typeof column.default === 'string' ? text(column.default) : Number(column.default)}`;
};

const columnOf = (column: SystemColumn): string =>
  column.autoIncrement === true
    ? `${quote(column.name)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`
    : `${quote(column.name)} ${typeOf(column)}${column.nullable ? '' : ' NOT NULL'}${defaultOf(column)}`;

const targetOf = (key: Pick<SystemForeignKey, 'table' | 'references' | 'onDelete'>): string =>
  `REFERENCES ${quote(key.table)} (${quote(key.references)}) ON DELETE ${key.onDelete.toUpperCase()}`;

export const sqlitePrinter: DdlPrinter = {
  quote,
  createTable: (table, foreignKeys) => {
    const hasAutoIncrement = table.columns.some((column) => column.autoIncrement === true);
    const parts = [
      ...table.columns.map(columnOf),
      ...(hasAutoIncrement ? [] : [`PRIMARY KEY (${quoteAll(table.primaryKey)})`]),
      ...table.uniques.map((key) => `CONSTRAINT ${quote(key.name)} UNIQUE (${quoteAll(key.columns)})`),
      ...foreignKeys.map(
        (key) => `CONSTRAINT ${quote(key.name)} FOREIGN KEY (${quote(key.column)}) ${targetOf(key)}`,
      ),
    ];
    return `CREATE TABLE IF NOT EXISTS ${quote(table.name)} (\n  ${parts.join(',\n  ')}\n)`;
  },
  addColumn: (table, column) => {
    const target = column.references;
    const references =
      target === undefined
        ? ''
        : ` ${targetOf({ table: target.table, references: target.column, onDelete: target.onDelete })}`;
    return `ALTER TABLE ${quote(table)} ADD COLUMN ${columnOf(column)}${references}`;
  },
  addUnique: (table, unique) =>
    `CREATE UNIQUE INDEX IF NOT EXISTS ${quote(unique.name)} ON ${quote(table)} (${quoteAll(unique.columns)})`,
  addIndex: (table, index) =>
    `CREATE INDEX IF NOT EXISTS ${quote(index.name)} ON ${quote(table)} (${quoteAll(index.columns)})`,
  addForeignKey: null,
  separateIndexes: true,
};
