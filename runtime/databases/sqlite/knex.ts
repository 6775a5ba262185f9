/** Configures Knex for SQLite; libsql has the interface of better-sqlite3, so its dialect is reused. */
import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import { cellToJson } from '../../execute/cells.js';
import type { DatabaseOptions, KnexBinding } from '../contract.js';
import { openConnection } from './connection.js';
import { sqlite } from './dialect.js';
import { toCell, type LibsqlValue } from './rows.js';

/** Binds Knex with a pool of one connection, because several would block each other. */
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
