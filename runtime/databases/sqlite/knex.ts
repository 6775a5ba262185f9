/** Knex on SQLite, for Objection models: libsql has the interface of better-sqlite3, so the dialect of that serves. */
import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import { cellToJson } from '../../execute/cells.js';
import type { DatabaseOptions, KnexBinding } from '../contract.js';
import { openConnection } from './connection.js';
import { sqlite } from './dialect.js';
import { toCell, type LibsqlValue } from './rows.js';

/** One connection: more would block it. */
export const bindKnex = async ({ url }: DatabaseOptions): Promise<KnexBinding> => {
  const filename = url.slice('sqlite:'.length);
  return {
    sql: sqlite,
    config: {
      client: createClient(filename),
      connection: { filename },
      useNullAsDefault: true,
      pool: { min: 1, max: 1 },
    },
    toJson: (field, value) => cellToJson(field)(toCell(value as LibsqlValue)),
  };
};

const createClient = (filename: string): typeof Knex.Client => {
  const Dialect = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3') as typeof Knex.Client;
  return class LibsqlDialect extends Dialect {
    _driver(): object {
      return {};
    }

    override async acquireRawConnection(): Promise<unknown> {
      const connection = openConnection(filename);
      connection.defaultSafeIntegers(true);
      return connection;
    }
  };
};
