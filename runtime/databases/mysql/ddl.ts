/** DDL of the system tables for MySQL: MariaDB's, save that columns and indexes are added or fail. */
import { createPrinter } from './mariadb-ddl.js';

export const mysqlPrinter = createPrinter('');
