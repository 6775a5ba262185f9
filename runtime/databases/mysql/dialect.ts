/** The SQL dialect of MySQL 9: that of MariaDB without `INSERT … RETURNING`. */
import type { SqlDialect } from '../contract.js';
import { mariadb } from './mariadb-dialect.js';

export const mysql: SqlDialect = {
  ...mariadb,
  name: 'mysql',
  returning: false,
  // the server stores a geometry in a system that it does not know, which none of its functions reads then
  storedPlaceholder: ({ type }) => (type === 'geometry' ? 'st_swapxy(st_swapxy(?))' : '?'),
  keyStep: 'select last_insert_id() as first, @@auto_increment_increment as step',
  // MySQL 9.7 converts an `exists` in an outer join to a join and then drops its conditions
  joinCondition: ['(', ') <=> true'],
  checkClause:
    'select c.check_clause as clause from information_schema.check_constraints c ' +
    'join information_schema.table_constraints t using (constraint_schema, constraint_name) ' +
    'where c.constraint_schema = database() and c.constraint_name = ? and t.table_name = ?',
};
