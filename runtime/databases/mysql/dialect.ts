/** MySQL 9: MariaDB's words, save that an insert gives nothing back. */
import type { SqlDialect } from '../contract.js';
import { mariadb } from './mariadb-dialect.js';

export const mysql: SqlDialect = {
  ...mariadb,
  name: 'mysql',
  returning: false,
  keyStep: 'select last_insert_id() as first, @@auto_increment_increment as step',
  // MySQL 9.7 makes a join of an `exists` it finds in an outer join, and then forgets the conditions inside it
  joined: ['(', ') <=> true'],
  checkClause:
    'select check_clause as clause from information_schema.check_constraints where constraint_schema = database() and constraint_name = ?',
};
