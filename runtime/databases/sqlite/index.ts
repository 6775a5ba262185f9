/** SQLite: what `open` loads. Read `connection` first, then `rows`, which turns values of the driver into JSON. */
import type { DatabaseFolder } from '../contract.js';
import { sqlitePrinter } from './ddl.js';
import { sqlite } from './dialect.js';

export const folder: DatabaseFolder = {
  dialects: { sqlite: { sql: sqlite, ddl: sqlitePrinter } },
  open: async (options) => (await import('./connection.js')).openSqlite(options),
  // there is no server to wait for
  isPermanent: () => true,
  bindKnex: async (options) => (await import('./knex.js')).bindKnex(options),
};
