/**
 * PostgreSQL: what `open` loads. Read `connection` first, then `client`, which takes rows out of the driver's stream, and
 * `rows` and `columns`, which turn them into JSON.
 */
import type { DatabaseFolder } from '../contract.js';
import { postgresPrinter } from './ddl.js';
import { postgres } from './dialect.js';
import { isPermanent } from './errors.js';

export const folder: DatabaseFolder = {
  dialects: { postgres: { sql: postgres, ddl: postgresPrinter } },
  open: async (options) => (await import('./connection.js')).openPostgres(options),
  isPermanent,
  bindKnex: async (options) => (await import('./knex.js')).bindKnex(options),
};
