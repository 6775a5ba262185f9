/** A database of its own for each test file, on every dialect. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { inject } from 'vitest';
import type { CatalogReader } from '../generator/introspection/catalog.js';
import { openDatabase } from '../runtime/databases/open.js';
import type { BindValue, Database } from '../runtime/databases/contract.js';

/** What every behaviour is tested on. */
export const dialects = ['sqlite', 'mariadb', 'mysql', 'postgres'] as const;

export type TestDialect = (typeof dialects)[number];

export interface TestDatabase {
  readonly dialect: TestDialect;
  /** As in `DATABASE_URL`. */
  readonly url: string;
  readonly database: Database;
  /** Runs a script of any number of statements, beside `database`. */
  execute(script: string): Promise<void>;
  /** Closes `database` and removes what was made. */
  drop(): Promise<void>;
}

/** What a database begins as. */
export interface Template {
  /** Of SQLite the path of a file, of PostgreSQL the name of a database, of MySQL a script. */
  readonly source: string;
}

interface TestDatabaseOptions {
  /** An empty database when absent. */
  readonly template?: Template;
  /** Path of a script that is run first. */
  readonly file?: string;
  /** Script that is run after it. */
  readonly sql?: string;
}

/** A database, then the scripts. Call `drop` when the tests are done. */
export const createTestDatabase = async (
  dialect: TestDialect,
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> => {
  const place = await createPlace(dialect, options.template);
  try {
    if (options.file !== undefined) await place.execute(await readFile(options.file, 'utf8'));
    if (options.sql !== undefined) await place.execute(options.sql);
    const database = await openDatabase({ url: place.url });
    const drop = async (): Promise<void> => {
      await database.close();
      await place.remove();
    };
    return { dialect, url: place.url, database, execute: place.execute, drop };
  } catch (error) {
    await place.remove();
    throw error;
  }
};

/** How introspection sees a database. */
export const catalogReader = (database: Database): CatalogReader => ({
  dialect: database.dialect,
  query: (sql, values = []) => database.query(sql, values as readonly BindValue[]),
});

/** Where a database lies; scripts run on connections of their own. */
export interface Place {
  readonly url: string;
  execute(script: string): Promise<void>;
  remove(): Promise<void>;
}

const createSqlitePlace = async (template?: Template): Promise<Place> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sqlite-'));
  const path = join(folder, 'test.db');
  if (template !== undefined) await copyFile(template.source, path);
  const { default: Sqlite } = await import('libsql');
  return {
    url: `sqlite:${path}`,
    execute: async (script) => {
      const connection = new Sqlite(path);
      try {
        connection.exec(script);
      } finally {
        connection.close();
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

/** MySQL and MariaDB, each with the collation that its tables are likely to have. */
const collations = { mariadb: 'utf8mb4_unicode_ci', mysql: 'utf8mb4_0900_ai_ci' } as const;

const createMysqlPlace = async (service: keyof typeof collations, template?: Template): Promise<Place> => {
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  const server = new URL(inject('services')[service]);
  const url = new URL(server);
  url.pathname = name;
  await runOnMysql(server, `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE ${collations[service]}`);
  if (template !== undefined) await runOnMysql(url, template.source);
  return {
    url: url.href,
    execute: (script) => runOnMysql(url, script),
    remove: () => runOnMysql(server, `DROP DATABASE ${name}`),
  };
};

const runOnMysql = async (url: URL, script: string): Promise<void> => {
  const connection = await createConnection({ uri: url.href, multipleStatements: true });
  try {
    await connection.query(script);
  } finally {
    await connection.end();
  }
};

/** Texts are ordered by code point, whatever the server prefers. */
const createPostgresPlace = async (template?: Template): Promise<Place> => {
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  const server = new URL(inject('services').postgres);
  server.pathname = 'postgres';
  const url = new URL(server);
  url.pathname = name;
  const options = `template ${template?.source ?? 'template0'} encoding 'UTF8' locale 'C.UTF-8'`;
  await runOnPostgres(server, `create database ${name} ${options}`);
  return {
    url: url.href,
    execute: (script) => runOnPostgres(url, script),
    remove: () => runOnPostgres(server, `drop database ${name} with (force)`),
  };
};

const runOnPostgres = async (url: URL, script: string): Promise<void> => {
  const client = new Client(url.href);
  await client.connect();
  try {
    await client.query(script);
  } finally {
    await client.end();
  }
};

const places: Readonly<Record<TestDialect, (template?: Template) => Promise<Place>>> = {
  sqlite: createSqlitePlace,
  mariadb: (template) => createMysqlPlace('mariadb', template),
  mysql: (template) => createMysqlPlace('mysql', template),
  postgres: createPostgresPlace,
};

export const createPlace = (dialect: TestDialect, template?: Template): Promise<Place> =>
  places[dialect](template);
