/** MySQL 9: MariaDB's words, save that an insert gives nothing back. */
import type { SqlDialect } from './dialect.js';
import { mariadb } from './mariadb.js';

export const mysql: SqlDialect = {
  ...mariadb,
  name: 'mysql',
  returning: false,
  keyStep: 'select last_insert_id() as first, @@auto_increment_increment as step',
  checkClause:
    'select check_clause as clause from information_schema.check_constraints where constraint_schema = database() and constraint_name = ?',
};
