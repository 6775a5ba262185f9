/**
 * The interface of a database: statements in, rows out. Types only; each folder beside this file implements them for
 * one database, and `open.ts` chooses among the folders.
 * Every statement is prepared and every value is bound; no caller interpolates values.
 */
import type { Knex } from 'knex';
import type { Field } from '../../contract/collection.js';
import type { ByteBudget } from '../execute/bytes.js';
import type { RowSet } from '../execute/row-set.js';
import type { RenderedStatement } from '../sql/fragment.js';
import type { DdlPrinter, SchemaPrinter } from './printers.js';
import type { BindValue, DialectName, SqlDialect } from './sql-dialect.js';
import type { Token } from '../sql/select.js';

export type {
  DialectName,
  BindValue,
  Match,
  SqlDialect,
  JsonAt,
  OutOfRangePlaceholder,
  Violation,
} from './sql-dialect.js';
export type {
  Collations,
  ConvertedValues,
  DdlPrinter,
  HeldLabels,
  MeasuredAlter,
  NewColumnType,
  SchemaPrinter,
  Script,
} from './printers.js';

export interface WriteResult {
  /** Number of rows matched, whether or not their values changed. */
  readonly affected: number;
  /** First key that the database generated for an insert, if it reports one. */
  readonly generatedKey?: string;
}

/** Describes how the rows of a statement are serialized as JSON. */
export interface RowLayout {
  readonly tokens: readonly Token[];
  /** Number of leading columns that hold the parent's key; 0 without a parent. */
  readonly keyColumns: number;
  /** Maximum number of rows: per parent, or without one of all. */
  readonly limit: number;
  /** Accounts for the memory of the rows; absent if they are not part of an answer. */
  readonly bytes?: ByteBudget;
  /** True where the statement finds one row by its key, so that others can wait for it. */
  readonly byKey?: boolean;
}

/** Runs statements on the pool or on one connection inside a transaction. */
export interface Executor {
  /** Quotes an identifier. */
  quote(name: string): string;
  /** Returns rows as JSON: the fast path. */
  rows(statement: RenderedStatement, layout: RowLayout): Promise<RowSet>;
  /** Returns rows as objects, for catalog, access and other small reads; exact numbers as text, booleans as 1 and 0. */
  query(text: string, values?: readonly BindValue[]): Promise<Record<string, unknown>[]>;
  /** @throws UnknownOutcome outside a transaction, when the connection is lost before the write is acknowledged */
  write(statement: RenderedStatement): Promise<WriteResult>;
  /** Runs a write that returns rows. @throws UnknownOutcome as `write` does */
  writeRows(statement: RenderedStatement, layout: RowLayout): Promise<RowSet>;
}

/** Runs the statements of a read. */
export type Reader = Pick<Executor, 'rows' | 'query'>;

/** Takes some rows of a statement; they are read no further until it has resolved. */
export type TakeRows = (rows: RowSet) => Promise<void>;

/** Runs the statements of reads of any size. */
export interface ChunkReader extends Reader {
  /**
   * Passes the rows of one statement on in chunks of about a megabyte, of one row at least. The statement keeps its connection
   * until the last one has been taken.
   */
  rowsInChunks(statement: RenderedStatement, layout: RowLayout, take: TakeRows): Promise<void>;
}

/** The trigger by which a database tells of changed tables, where its administrator has installed it. */
export interface SchemaTrigger {
  /** Statements that install it, and those that remove it. */
  readonly install: readonly string[];
  readonly remove: readonly string[];
  isInstalled(): Promise<boolean>;
  /** Returns whether an error says that the user may not install or remove it. */
  isDenial(error: unknown): boolean;
  /**
   * Calls back when a table may have changed, and once after each connect, as what came before is unknown. Returns a
   * function that ends it.
   */
  listen(changed: () => void): () => Promise<void>;
}

export interface Database extends Executor {
  readonly dialect: DialectName;
  readonly sql: SqlDialect;
  /** True where it runs in this process, whose event loop waits for every statement. */
  readonly isEmbedded?: true;
  /**
   * Runs single statements on a connection that is kept for them, to the server that takes the writes: they do not wait
   * for a connection of the pool.
   */
  readonly reserved: Executor;
  /**
   * Returns what reads on the pool until the signal aborts: then the server ends the statement that it runs, and none begins.
   * They fail with the reason of the signal.
   */
  readUntil(signal: AbortSignal): ChunkReader;
  /**
   * Runs `body` on one connection; commits when it returns, rolls back when it throws. `body` runs again after a deadlock,
   * and where a prepared statement turns out to be of columns that have changed since, so it must change nothing else.
   * @throws UnknownOutcome when the connection is lost before the commit is acknowledged
   */
  transaction<Result>(body: (executor: Executor) => Promise<Result>): Promise<Result>;
  /**
   * Runs `body`, which changes the schema, on one connection: in a transaction where DDL can be rolled back, without waiting
   * long for locks, and with foreign keys checked at the end where tables are made anew.
   */
  changeSchema<Result>(body: (executor: Executor) => Promise<Result>): Promise<Result>;
  /**
   * Runs `body`, of which each statement is committed by itself, on one connection without a limit of time. Absent where DDL
   * cannot be rolled back, or nothing of it has to run outside of a transaction.
   * @param lockWait milliseconds for which a statement waits for the locks and transactions of others
   */
  changeApart?<Result>(body: (executor: Executor) => Promise<Result>, lockWait: number): Promise<Result>;
  /** Absent where the database has no such trigger. */
  readonly schemaTrigger?: SchemaTrigger;
  /**
   * Runs `body` while holding the named lock, across processes.
   * @param body called with a signal that aborts with LockLost where the lock is lost meanwhile
   * @param wait milliseconds for which the lock is waited for; a minute unless given
   * @throws LockHeld where another process has held it for that long
   */
  locked<Result>(name: string, body: (lost: AbortSignal) => Promise<Result>, wait?: number): Promise<Result>;
  /** Removes the table that an explanation has left behind, whose process was killed; absent where it makes none. */
  removeScratch?(): Promise<void>;
  /** Returns how the pool is used at the moment. */
  poolUse(): PoolUse;
  /** Returns whether an error means that the server is temporarily unreachable. */
  isConnectionLoss(error: unknown): boolean;
  /**
   * Returns whether a statement failed as it does when the schema has changed since it was written, such as for an unknown
   * column. It had no effect.
   */
  isSchemaChange(error: unknown): boolean;
  /**
   * Returns whether the server gave up a statement that others blocked, or that took longer than the limit. It had no
   * effect; deadlocks have been tried again several times.
   */
  isGivenUp(error: unknown): boolean;
  /**
   * Returns why the server refused a statement, which had no effect: the user lacks rights, or row level security forbids the
   * row (`denied`); the server takes no writes, such as one that has become a replica (`readOnly`). Null for other errors.
   */
  refusalOf(error: unknown): StatementRefusal | null;
  close(): Promise<void>;
}

export type StatementRefusal = 'denied' | 'readOnly';

/** Connections of a pool. */
export interface PoolUse {
  readonly maximum: number;
  readonly used: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

export interface DatabaseOptions {
  /** `sqlite:PATH`, `mysql://…` (MySQL and MariaDB), `postgres://…`. */
  readonly url: string;
  readonly poolMax?: number;
  /** Milliseconds. */
  readonly statementTimeout?: number;
  /** True where reads by key that come at once are sent together; true if absent. */
  readonly pipeline?: boolean;
  /** PEM text of the certificate authority. */
  readonly ca?: string;
  /** Schema of the tables in PostgreSQL; defaults to `public`. */
  readonly schema?: string;
  /** Called with the milliseconds that each statement waited for a connection. */
  readonly onWait?: (ms: number) => void;
}

/** Configuration of Knex for a database, with the conversion of its values. */
export interface KnexBinding {
  readonly config: Knex.Config;
  readonly sql: SqlDialect;
  /** Returns a non-null value that this Knex client has read as JSON text. */
  toJson(field: Field, value: unknown): string;
}

/** The implementation of a database; the driver is loaded only when a connection is opened. */
export interface DatabaseFolder {
  /** Modules by dialect; a folder may implement several dialects. */
  readonly dialects: Readonly<Partial<Record<DialectName, DialectModules>>>;
  open(options: DatabaseOptions): Promise<Database>;
  /** Returns the file of a URL that does not exist and would be created, or null. */
  missingFile(url: string): string | null;
  /** Returns whether a connection error is permanent, so that retrying is pointless. */
  isPermanent(error: unknown): boolean;
  /** Returns the Knex configuration of the same database, for Objection models. */
  bindKnex(options: DatabaseOptions): Promise<KnexBinding>;
}

export interface DialectModules {
  readonly sql: SqlDialect;
  readonly ddl: DdlPrinter;
  readonly schema: SchemaPrinter;
}
