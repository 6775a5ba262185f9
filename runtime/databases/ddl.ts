/** How one database spells the tables svc keeps. One file per dialect in `ddl/`. */
import type { Dialect } from '../../generator/introspection/catalog.js';
import { mariadbPrinter } from './mysql/mariadb-ddl.js';
import { postgresPrinter } from './postgres/ddl.js';
import { mysqlPrinter } from './mysql/ddl.js';
import { sqlitePrinter } from './sqlite/ddl.js';
import type { Named, References, SystemColumn, SystemTable } from '../schema/system-tables.js';

/** Every method but `quote` returns one statement. */
export interface DdlPrinter {
  quote(name: string): string;
  /** With primary key, unique constraints and indexes; foreign keys only where `addForeignKey` is null. */
  createTable(table: SystemTable): string;
  addColumn(table: string, column: SystemColumn): string;
  addUnique(table: string, unique: Named): string;
  addIndex(table: string, index: Named): string;
  /** `null`: a foreign key comes with its table or column, never afterwards. */
  readonly addForeignKey: ((table: string, key: References) => string) | null;
  /** Indexes that `createTable` left out. */
  readonly indexesApart: boolean;
}

const printers: Readonly<Record<Dialect, DdlPrinter>> = {
  mariadb: mariadbPrinter,
  mysql: mysqlPrinter,
  postgres: postgresPrinter,
  sqlite: sqlitePrinter,
};

export const printerOf = (dialect: Dialect): DdlPrinter => printers[dialect];
