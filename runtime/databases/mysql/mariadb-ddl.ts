/** Prints the DDL of the system tables for MariaDB; MySQL shares all but `if not exists`. */
import type { DdlPrinter } from '../contract.js';
import type { NamedColumns, SystemColumn } from '../../schema/system-tables.js';

/** Binary collation, so that keys and tokens do not match strings that differ in case or accents. */
const binary = ' character set utf8mb4 collate utf8mb4_bin';

const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

const quoteAll = (names: readonly string[]): string => names.map(quote).join(', ');

const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const typeOf = (column: SystemColumn): string => {
  const collation = column.binary === true ? binary : '';
  switch (column.type) {
    case 'uuid':
      return `char(36)${binary}`;
    case 'string':
      return `varchar(${column.length ?? 255})${collation}`;
    case 'text':
    case 'csv':
      return `${(column.length ?? 0) > 65_535 ? 'mediumtext' : 'text'}${collation}`;
    case 'integer':
      return 'int';
    case 'bigInteger':
      return 'bigint';
    case 'boolean':
      return 'tinyint(1)';
    case 'json':
      return 'json';
    case 'timestamp':
      return 'timestamp';
  }
};

const longTexts: ReadonlySet<SystemColumn['type']> = new Set(['text', 'csv'] as const);

const defaultOf = (column: SystemColumn): string => {
  if (column.default !== undefined) {
    const value = typeof column.default === 'string' ? text(column.default) : String(Number(column.default));
    // MySQL accepts only expressions as defaults of TEXT columns
    return ` default ${longTexts.has(column.type) ? `(${value})` : value}`;
  }
  // without a default, MariaDB may set a timestamp on every update
  if (column.type !== 'timestamp') return '';
  return column.nullable ? ' default null' : ' default current_timestamp';
};

const columnOf = (column: SystemColumn): string =>
  `${quote(column.name)} ${typeOf(column)} ${column.nullable ? 'null' : 'not null'}${defaultOf(column)}` +
  (column.autoIncrement === true ? ' auto_increment' : '');

const keyOf = (kind: string, key: NamedColumns): string =>
  `${kind} ${quote(key.name)} (${quoteAll(key.columns)})`;

/**
 * Creates a printer.
 * @param ifMissing clause that skips existing columns and indexes, or an empty string where there is none
 */
export const createPrinter = (ifMissing: string): DdlPrinter => ({
  quote,
  createTable: (table) => {
    const parts = [
      ...table.columns.map(columnOf),
      `primary key (${quoteAll(table.primaryKey)})`,
      ...table.uniques.map((unique) => keyOf('unique key', unique)),
      ...table.indexes.map((index) => keyOf('key', index)),
    ];
    const options = 'engine = InnoDB default character set utf8mb4 collate utf8mb4_unicode_ci';
    return `create table if not exists ${quote(table.name)} (\n  ${parts.join(',\n  ')}\n) ${options}`;
  },
  addColumn: (table, column) => `alter table ${quote(table)} add column ${ifMissing}${columnOf(column)}`,
  addUnique: (table, unique) =>
    `create unique index ${ifMissing}${quote(unique.name)} on ${quote(table)} (${quoteAll(unique.columns)})`,
  addIndex: (table, index) =>
    `create index ${ifMissing}${quote(index.name)} on ${quote(table)} (${quoteAll(index.columns)})`,
  addForeignKey: (table, key) =>
    `alter table ${quote(table)} add constraint ${quote(key.name)} ` +
    `foreign key (${quote(key.column)}) ` +
    `references ${quote(key.table)} (${quote(key.references)}) on delete ${key.onDelete}`,
  separateIndexes: false,
});

export const mariadbPrinter = createPrinter('if not exists ');
