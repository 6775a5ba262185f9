/** SQLite files for the bench, in WAL mode. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'libsql';
import type { BenchServer } from './databases.js';
import { cacheFolder } from './paths.js';

const home = join(cacheFolder, 'sqlite');

const pathOf = (name: string): string => join(home, `${name}.db`);

export const openSqliteFolder = async (): Promise<BenchServer> => {
  await mkdir(home, { recursive: true });
  return {
    dialect: 'sqlite',
    pid: null,
    settings: { journal_mode: 'wal' },
    url: (name) => `sqlite:${pathOf(name)}`,
    execute: async (name, statements) =>
      withDatabase(name, (database) => {
        database.exec('PRAGMA foreign_keys = OFF; BEGIN');
        for (const statement of statements) database.exec(statement);
        database.exec('COMMIT');
      }),
    column: async (name, text) =>
      withDatabase(name, (database) => database.prepare(text).pluck().all().map(String)),
    recreate: async (name) => {
      for (const suffix of ['', '-wal', '-shm']) await rm(pathOf(name) + suffix, { force: true });
      withDatabase(name, (database) => database.exec('PRAGMA journal_mode = WAL'));
    },
    stop: async () => {},
  };
};

const withDatabase = <Result>(name: string, body: (database: Sqlite.Database) => Result): Result => {
  const database = new Sqlite(pathOf(name));
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    return body(database);
  } finally {
    database.close();
  }
};
