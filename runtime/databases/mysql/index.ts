/**
 * MySQL and MariaDB: what `open` loads. Read `connection` first, then `rows` and `columns`, which turn packets of the
 * driver into JSON. What only one of the two knows is in `dialect`, `ddl` (MySQL) and `mariadb-dialect`, `mariadb-ddl`.
 */
import type { DatabaseFolder } from '../contract.js';
import { mysqlPrinter } from './ddl.js';
import { mysql } from './dialect.js';
import { isPermanent } from './errors.js';
import { mariadbPrinter } from './mariadb-ddl.js';
import { mariadb } from './mariadb-dialect.js';

export const folder: DatabaseFolder = {
  dialects: { mariadb: { sql: mariadb, ddl: mariadbPrinter }, mysql: { sql: mysql, ddl: mysqlPrinter } },
  open: async (options) => (await import('./connection.js')).openMysql(options),
  isPermanent,
  bindKnex: async (options) => (await import('./knex.js')).bindKnex(options),
};
