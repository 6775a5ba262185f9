/**
 * The one door to a database: statements in, rows out. Drivers live behind it, one file each.
 * Every statement is prepared and every value is bound; no caller ever interpolates.
 */
import type { BindValue, DialectName } from './sql-dialect.js';
import type { RenderedStatement } from '../sql/fragment.js';
import type { Token } from '../sql/select.js';
import type { RowSet } from '../execute/row-set.js';

export type { BindValue, DialectName };

export interface WriteResult {
  /** Rows that matched, whether or not their values changed. */
  readonly affected: number;
  /** The first key that the database counted for an insert, where it tells. */
  readonly counted?: string;
}

/** How the rows of a statement are written. */
export interface RowLayout {
  readonly tokens: readonly Token[];
  /** Columns that hold the parent's key, before all others; 0 where there is no parent. */
  readonly keyColumns: number;
  /** Rows kept per parent. */
  readonly limit: number;
}

/** Something that runs statements: the pool, or one connection inside a transaction. */
export interface Executor {
  /** Prints a name as statements of this database spell it. */
  quote(name: string): string;
  /** Rows as JSON: the fast path. */
  rows(statement: RenderedStatement, layout: RowLayout): Promise<RowSet>;
  /** Rows as objects: for catalog, access and other small reads. Exact numbers come as text, booleans as 1 and 0. */
  query(text: string, values?: readonly BindValue[]): Promise<Record<string, unknown>[]>;
  write(statement: RenderedStatement): Promise<WriteResult>;
}

export interface Database extends Executor {
  readonly dialect: DialectName;
  /** Runs `body` on one connection; commits when it returns, rolls back when it throws. */
  transaction<Result>(body: (executor: Executor) => Promise<Result>): Promise<Result>;
  /** Runs `body` while holding the named lock, across processes. */
  locked<Result>(name: string, body: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** `sqlite:PATH`, `mysql://…` (MySQL and MariaDB), `postgres://…`. */
  readonly url: string;
  readonly poolMax?: number;
  /** Milliseconds. */
  readonly statementTimeout?: number;
  /** PEM text of the certificate authority. */
  readonly ca?: string;
  /** PostgreSQL: where the tables are; `public` when absent. */
  readonly schema?: string;
}

/** Opens the database of `options.url`; loads only its driver. */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const scheme = options.url.slice(0, options.url.indexOf(':'));
  if (scheme === 'sqlite') return (await import('./sqlite/connection.js')).openSqlite(options);
  if (scheme === 'mysql') return (await import('./mysql/connection.js')).openMysql(options);
  if (scheme === 'postgres' || scheme === 'postgresql') {
    return (await import('./postgres/connection.js')).openPostgres(options);
  }
  throw new Error(
    `DATABASE_URL begins with "${scheme}:"; expected sqlite:PATH, mysql://… or postgres://user:password@host:port/database`,
  );
};
