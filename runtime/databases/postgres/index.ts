/**
 * The PostgreSQL implementation. Read `connection` first, then `client`, which extracts rows from the driver's stream,
 * and `rows` and `columns`, which convert them to JSON.
 */
import type { DatabaseFolder } from '../contract.js';
import { postgresPrinter } from './ddl.js';
import { postgres } from './dialect.js';
import { isPermanent } from './errors.js';
import { postgresSchemaPrinter } from './schema-ddl.js';

export const folder: DatabaseFolder = {
  dialects: { postgres: { sql: postgres, ddl: postgresPrinter, schema: postgresSchemaPrinter } },
  missingFile: () => null,
  open: async (options) => (await import('./connection.js')).openPostgres(options),
  isPermanent,
  bindKnex: async (options) => (await import('./knex.js')).bindKnex(options),
};
