/**
 * Where the bench keeps its data: private servers of MariaDB, MySQL and PostgreSQL with durable settings, or SQLite
 * files. They lie under `.cache`, are built once and used again until the module that builds them changes.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startMariadb } from './mariadb.js';
import { startMysql } from './mysql.js';
import { cacheFolder } from './paths.js';
import { startPostgres } from './postgres.js';
import { openSqliteFolder } from './sqlite.js';

export const benchDialects = ['mariadb', 'mysql', 'postgres', 'sqlite'] as const;

export type BenchDialect = (typeof benchDialects)[number];

export interface BenchServer {
  readonly dialect: BenchDialect;
  /** The database's own process; `null` where it runs inside ours. */
  readonly pid: number | null;
  /** Durability settings, which limit the speed of writes. */
  readonly settings: Readonly<Record<string, string>>;
  /** As in `DATABASE_URL`. */
  url(name: string): string;
  /** Runs statements one by one, foreign keys unchecked; the database has to exist. */
  execute(name: string, statements: Iterable<string>): Promise<void>;
  /** First column of every row. */
  column(name: string, query: string): Promise<string[]>;
  /** Makes an empty database. */
  recreate(name: string): Promise<void>;
  stop(): Promise<void>;
}

export const startBenchServer = (dialect: BenchDialect): Promise<BenchServer> => starters[dialect]();

const starters: Readonly<Record<BenchDialect, () => Promise<BenchServer>>> = {
  mariadb: startMariadb,
  mysql: startMysql,
  postgres: startPostgres,
  sqlite: openSqliteFolder,
};

export interface Recipe {
  readonly name: string;
  /** The module whose text decides whether the data is still what it would be. */
  readonly module: string;
  statements(dialect: BenchDialect): Iterable<string>;
}

/** Makes the database of a recipe unless it is there already. */
export const prepareDatabase = async (server: BenchServer, recipe: Recipe): Promise<void> => {
  const stamp = join(cacheFolder, server.dialect, `${recipe.name}.stamp`);
  const wanted = createHash('sha256')
    .update(await readFile(new URL(recipe.module)))
    .digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  await rm(stamp, { force: true });
  await server.recreate(recipe.name);
  await server.execute(recipe.name, recipe.statements(server.dialect));
  // what autovacuum would find out in its own time
  if (server.dialect === 'postgres') await server.execute(recipe.name, ['ANALYZE']);
  // a server that keeps its data elsewhere leaves no folder
  await mkdir(dirname(stamp), { recursive: true });
  await writeFile(stamp, wanted);
};

/** Removes what `svc bootstrap` made, so that every run bootstraps anew. */
export const dropSystemTables = async (server: BenchServer, name: string): Promise<void> => {
  const tables = await server.column(name, systemTables[server.dialect]);
  await server.execute(
    name,
    tables.map((table) => `DROP TABLE ${table}${server.dialect === 'postgres' ? ' CASCADE' : ''}`),
  );
};

const mysqlTables =
  "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND LEFT(table_name, 4) = 'svc_'";

const systemTables = {
  mariadb: mysqlTables,
  mysql: mysqlTables,
  postgres: "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename LIKE 'svc\\_%'",
  sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'svc_*'",
} as const;

/** Takes every created row away again; the next key is 1. */
export const clearDrafts = (server: BenchServer, name: string): Promise<void> =>
  server.execute(name, written.flatMap(clearStatements[server.dialect]));

/** Tables that shapes write, each before what it refers to. */
const written = ['draft_tags', 'draft_notes', 'drafts'] as const;

const truncate = (table: string): readonly string[] => [`TRUNCATE TABLE ${table}`];

const clearStatements: Readonly<Record<BenchDialect, (table: string) => readonly string[]>> = {
  mariadb: truncate,
  mysql: truncate,
  postgres: (table) => [`TRUNCATE TABLE ${table} RESTART IDENTITY CASCADE`],
  sqlite: (table) => [`DELETE FROM ${table}`, `DELETE FROM sqlite_sequence WHERE name = '${table}'`],
};
