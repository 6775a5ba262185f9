/** The dialect of a database, loaded by name. */
import type { DialectName, SqlDialect } from './dialect.js';

export const loadDialect = async (name: DialectName): Promise<SqlDialect> => {
  if (name === 'mariadb') return (await import('./mariadb.js')).mariadb;
  if (name === 'postgres') return (await import('./postgres.js')).postgres;
  if (name === 'sqlite') return (await import('./sqlite.js')).sqlite;
  throw new Error(`${name} is not served yet; MariaDB, PostgreSQL and SQLite are`);
};
