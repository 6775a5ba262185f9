/** The dialect of a database, loaded by name. */
import type { DialectName, SqlDialect } from './dialect.js';

export const loadDialect = async (name: DialectName): Promise<SqlDialect> => {
  if (name === 'mariadb') return (await import('./mariadb.js')).mariadb;
  if (name === 'mysql') return (await import('./mysql.js')).mysql;
  if (name === 'postgres') return (await import('./postgres.js')).postgres;
  return (await import('./sqlite.js')).sqlite;
};
