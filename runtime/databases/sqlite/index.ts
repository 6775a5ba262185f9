/** The SQLite implementation. Read `connection` first, then `rows`, which converts values of the driver to JSON. */
import { existsSync } from 'node:fs';
import type { DatabaseFolder } from '../contract.js';
import { sqlitePrinter } from './ddl.js';
import { sqlite } from './dialect.js';
import { sqliteSchemaPrinter } from './schema-ddl.js';

const pathOf = (url: string): string => url.slice('sqlite:'.length);

export const folder: DatabaseFolder = {
  dialects: { sqlite: { sql: sqlite, ddl: sqlitePrinter, schema: sqliteSchemaPrinter } },
  open: async (options) => (await import('./connection.js')).openSqlite(options),
  missingFile(url) {
    const path = pathOf(url);
    return path.includes(':memory:') || existsSync(path) ? null : path;
  },
  // waiting does not help without a server
  isPermanent: () => true,
  bindKnex: async (options) => (await import('./knex.js')).bindKnex(options),
};
