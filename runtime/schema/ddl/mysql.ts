/** DDL of the system tables for MySQL: MariaDB's, save that columns and indexes are added or fail. */
import { createPrinter } from './mariadb.js';

export const mysqlPrinter = createPrinter('');
