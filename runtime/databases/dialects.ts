/** The dialect of a database, loaded by name. */
import type { DialectName, SqlDialect } from './sql-dialect.js';

export const loadDialect = async (name: DialectName): Promise<SqlDialect> => {
  if (name === 'mariadb') return (await import('./mysql/mariadb-dialect.js')).mariadb;
  if (name === 'mysql') return (await import('./mysql/dialect.js')).mysql;
  if (name === 'postgres') return (await import('./postgres/dialect.js')).postgres;
  return (await import('./sqlite/dialect.js')).sqlite;
};
