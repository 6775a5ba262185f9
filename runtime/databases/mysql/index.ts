/**
 * The implementation of MySQL and MariaDB. Read `connection` first, then `rows` and `columns`, which convert packets of
 * the driver to JSON. Differences are in `dialect` and `ddl` (MySQL) and in `mariadb-dialect` and `mariadb-ddl`.
 */
import type { DatabaseFolder } from '../contract.js';
import { mysqlPrinter } from './ddl.js';
import { mysql } from './dialect.js';
import { isPermanent } from './errors.js';
import { mariadbPrinter } from './mariadb-ddl.js';
import { mariadb } from './mariadb-dialect.js';
import { mariadbSchemaPrinter, mysqlSchemaPrinter } from './schema-ddl.js';

export const folder: DatabaseFolder = {
  dialects: {
    mariadb: { sql: mariadb, ddl: mariadbPrinter, schema: mariadbSchemaPrinter },
    mysql: { sql: mysql, ddl: mysqlPrinter, schema: mysqlSchemaPrinter },
  },
  missingFile: () => null,
  open: async (options) => (await import('./connection.js')).openMysql(options),
  isPermanent,
  bindKnex: async (options) => (await import('./knex.js')).bindKnex(options),
};
