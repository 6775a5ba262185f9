/** Prints the DDL of the system tables for MySQL, which has no `if not exists` for columns and indexes. */
import { createPrinter } from './mariadb-ddl.js';

export const mysqlPrinter = createPrinter('');
