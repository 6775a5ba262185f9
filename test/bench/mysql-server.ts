/** Operations of the bench on a MySQL or MariaDB server. */
import { createConnection } from 'mysql2/promise';
import type { BenchServer } from './databases.js';

export const operations = (base: string): Pick<BenchServer, 'url' | 'execute' | 'column' | 'recreate'> => ({
  url: (name) => `${base}/${name}`,
  execute: async (name, statements) => {
    const connection = await createConnection(`${base}/${name}`);
    await connection.query('SET foreign_key_checks = 0, unique_checks = 0');
    for (const statement of statements) await connection.query(statement);
    await connection.end();
  },
  column: async (name, text) =>
    (await query(`${base}/${name}`, text)).map((row) => String(Object.values(row)[0])),
  recreate: async (name) => {
    await query(base, `DROP DATABASE IF EXISTS ${name}`);
    await query(base, `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`);
  },
});

const settingNames = [
  'version',
  'innodb_flush_log_at_trx_commit',
  'sync_binlog',
  'log_bin',
  'innodb_doublewrite',
  'innodb_buffer_pool_size',
] as const;

export const readSettings = async (url: string): Promise<Record<string, string>> => {
  const columns = settingNames.map((name) => `@@${name} AS ${name}`);
  const [row] = await query(url, `SELECT ${columns.join(', ')}`);
  return Object.fromEntries(settingNames.map((name) => [name, String(row?.[name])]));
};

export const query = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query(text);
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : [];
  } finally {
    connection.destroy();
  }
};
