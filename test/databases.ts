/** Creates a separate database for each test file, for every dialect. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { inject } from 'vitest';
import type { CatalogReader } from '../generator/introspection/catalog.js';
import { openDatabase } from '../runtime/databases/open.js';
import type { BindValue, Database } from '../runtime/databases/contract.js';

/** Dialects on which all behaviour is tested. */
export const dialects = ['sqlite', 'mariadb', 'mysql', 'postgres'] as const;

export type TestDialect = (typeof dialects)[number];

/** A number of the name of a file, by which the files together use each database. */
const numberOf = (file: string): number =>
  Buffer.from(basename(file)).reduce((total, byte) => total + byte, 0);

/** SQLite, and one server that the name of the file chooses. */
const pairOf = (file: string): readonly TestDialect[] => {
  const servers = dialects.filter((dialect) => dialect !== 'sqlite');
  return ['sqlite', ...servers.slice(numberOf(file) % servers.length).slice(0, 1)];
};

const isLong = process.env.LONG !== undefined;
const isAll = process.env.TEST_DATABASES === 'all';

/**
 * Databases for what is expected alike of each: all of them with `TEST_DATABASES=all`, which `.ci/run` sets, and with `LONG`;
 * otherwise SQLite and one server. What differs between databases takes `dialects`.
 * @param file `import.meta.url` of the test
 */
export const dialectsOf = (file: string): readonly TestDialect[] =>
  isLong || isAll ? dialects : pairOf(file);

/**
 * Databases for what does not depend on the database: HTTP, the protocols of login and of the queue, webhooks, and how
 * GraphQL becomes a query. All of them with `LONG`, SQLite and one server with `TEST_DATABASES=all`, otherwise SQLite or that
 * server. What plans, compiles or executes SQL of its own takes `dialectsOf`.
 * @param file `import.meta.url` of the test
 */
export const sampleDialects = (file: string): readonly TestDialect[] => {
  const pair = pairDialects(file);
  return isLong || isAll ? pair : pair.slice(Math.floor(numberOf(file) / 3) % 2).slice(0, 1);
};

/** The same, but two databases where `sampleDialects` is one, for what is tried in two ways. */
export const pairDialects = (file: string): readonly TestDialect[] => (isLong ? dialects : pairOf(file));

export interface TestDatabase {
  readonly dialect: TestDialect;
  /** URL in the format of `DATABASE_URL`. */
  readonly url: string;
  readonly database: Database;
  /** Runs a script of several statements on a separate connection. */
  execute(script: string): Promise<void>;
  /** Closes `database` and deletes it. */
  drop(): Promise<void>;
}

/** The initial content of a database. */
export interface Template {
  /** Path of a file (SQLite), name of a database (PostgreSQL), or a script (MySQL, MariaDB). */
  readonly source: string;
}

interface TestDatabaseOptions {
  /** Defaults to an empty database. */
  readonly template?: Template;
  /** Path of a script to run first. */
  readonly file?: string;
  /** Script to run after it. */
  readonly sql?: string;
}

/** Creates a database and runs the scripts; call `drop` after the tests. */
export const createTestDatabase = async (
  dialect: TestDialect,
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> => {
  const place = await createLocation(dialect, options.template);
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

/** Returns the catalog reader with which introspection queries a database. */
export const catalogReader = (database: Database): CatalogReader => ({
  dialect: database.dialect,
  query: (sql, values = []) => database.query(sql, values as readonly BindValue[]),
});

/** The location of a database; scripts run on separate connections. */
export interface DatabaseLocation {
  readonly url: string;
  execute(script: string): Promise<void>;
  remove(): Promise<void>;
}

const createSqliteLocation = async (template?: Template): Promise<DatabaseLocation> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sqlite-'));
  const path = join(folder, 'test.db');
  if (template !== undefined) await copyFile(template.source, path);
  const { default: Sqlite } = await import('libsql');
  return {
    url: `sqlite:${path}`,
    execute: async (script) => {
      const connection = new Sqlite(path);
      try {
        // waits for the transactions of the server under test, and not for the disk
        connection.exec('pragma busy_timeout = 30000; pragma synchronous = off');
        connection.exec(script);
      } finally {
        connection.close();
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

/** Returns whether a server is one that was not started for the tests. */
const isGiven = (service: TestDialect): boolean =>
  (process.env[`TEST_${service.toUpperCase()}_URL`] ?? '') !== '';

/** Collation that tables of MySQL and MariaDB usually have. */
const collations = { mariadb: 'utf8mb4_unicode_ci', mysql: 'utf8mb4_0900_ai_ci' } as const;

const createMysqlLocation = async (
  service: keyof typeof collations,
  template?: Template,
): Promise<DatabaseLocation> => {
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  const server = new URL(inject('services')[service]);
  const url = new URL(server);
  url.pathname = name;
  await runOnMysql(server, `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE ${collations[service]}`);
  if (template !== undefined) await runOnMysql(url, template.source);
  return {
    url: url.href,
    execute: (script) => runOnMysql(url, script),
    remove: async () => {
      // a server that ends with the tests takes its databases with it; MySQL drops one in half the time that it takes to make it
      if (isGiven(service)) await runOnMysql(server, `DROP DATABASE ${name}`);
    },
  };
};

const runOnMysql = async (url: URL, script: string): Promise<void> => {
  const connection = await createConnection({ uri: url.href, multipleStatements: true });
  try {
    // the server has the time zone of the machine
    await connection.query(`set time_zone = '+00:00';\n${script}`);
  } finally {
    await connection.end();
  }
};

/** Creates a database that orders text by code point, regardless of the server's default. */
const createPostgresLocation = async (template?: Template): Promise<DatabaseLocation> => {
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
    await client.query("set time zone 'UTC'");
    await client.query(script);
  } finally {
    await client.end();
  }
};

const locations: Readonly<Record<TestDialect, (template?: Template) => Promise<DatabaseLocation>>> = {
  sqlite: createSqliteLocation,
  mariadb: (template) => createMysqlLocation('mariadb', template),
  mysql: (template) => createMysqlLocation('mysql', template),
  postgres: createPostgresLocation,
};

export const createLocation = (dialect: TestDialect, template?: Template): Promise<DatabaseLocation> =>
  locations[dialect](template);
