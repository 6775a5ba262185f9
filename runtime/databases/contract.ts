/**
 * What every database agrees on: statements in, rows out. Types only; each folder beside this file implements them for
 * one database, and `open.ts` chooses among the folders.
 * Every statement is prepared and every value is bound; no caller ever interpolates.
 */
import type { Knex } from 'knex';
import type { Field } from '../../contract/collection.js';
import type { Dialect } from '../../generator/introspection/catalog.js';
import type { RowSet } from '../execute/row-set.js';
import type { Scalar } from '../plan/values.js';
import type { Named, References, SystemColumn, SystemTable } from '../schema/system-tables.js';
import type { RenderedStatement } from '../sql/fragment.js';
import type { Token } from '../sql/select.js';

export type DialectName = Dialect;

/** What drivers accept as a bound value. */
export type BindValue = string | number | bigint | Buffer | null;

export type Match = 'contains' | 'icontains' | 'startsWith' | 'istartsWith' | 'endsWith' | 'iendsWith';

/** What differs between databases once a plan is decided. Everything else in `sql` is the same for all. */
export interface SqlDialect {
  readonly name: DialectName;
  /** `INSERT … RETURNING` exists. */
  readonly returning: boolean;
  /**
   * How a row is read that one UPDATE changes: given back by it; after it, since a transaction costs too much; or in
   * a transaction with it, where the statement would not show what triggers make of the row.
   */
  readonly updateAnswer: 'returned' | 'after' | 'transaction';
  /** Where it does not: a statement for the `first` key that was counted last, and the `step` to the next of its insert. */
  readonly keyStep?: string;
  /** A statement whose `clause` is the condition of a check by its name; where errors name the check alone. */
  readonly checkClause?: string;
  /** Ends a select whose rows may not change before the transaction ends; empty where transactions are serialized. */
  readonly shareLock: string;
  /** The text after the table's name in an insert without columns. */
  readonly emptyRow: string;
  /** Ends a select that locks its rows for writing; empty where writers are serialized. */
  readonly rowLock: string;
  quote(name: string): string;
  /** Returns the constraint that a driver's error says was violated, or null where the error is about something else. */
  readViolation(error: unknown, table: string): Violation | null;
  /** Placeholder for a value compared with, or stored in, the field. */
  placeholder(field: Field): string;
  bind(field: Field, value: Scalar): BindValue;
  /** The text before the column, between it and the pattern, and after the pattern. */
  match(kind: Match, field: Field): readonly [string, string, string];
  /** The pattern that `match` expects; what the client wrote is plain text. */
  pattern(kind: Match, text: string): string;
  /** The placeholder for values that `placeholder` cannot hold; absent: there are none. */
  beyond?(field: Field): Beyond | null;
  /** The text before and after a column that is compared with strings; absent: none. */
  asText?(field: Field): readonly [string, string];
  /** Values as one bound array; absent: a list has a placeholder per value. */
  array?(values: readonly BindValue[]): string;
  /** Writes the number of LIMIT into the text; absent: it is bound. */
  readonly limitInText?: boolean;
  /** The text around the conditions of a join beside its keys; absent: none. */
  readonly joined?: readonly [string, string];
  /** Returns how a column is sorted by; absent: `desc`, where nulls sort as the smallest values. */
  order?(field: Field, descending: boolean): SortKey;
}

export interface Beyond {
  readonly placeholder: string;
  /** Whether the value needs it not. */
  fits(value: BindValue): boolean;
}

export interface SortKey {
  readonly before: string;
  readonly after: string;
  /** For columns that may be null. */
  readonly nulls: string;
}

/** A constraint that a write violates. */
export interface Violation {
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'referenced'
    | 'notNull'
    | 'required'
    | 'tooLong'
    | 'range'
    | 'type'
    | 'check'
    | 'skipped'
    | 'broken';
  /** Columns, and the constraint's name or condition, as far as the database tells. */
  readonly columns: readonly string[];
  readonly constraint: string | null;
}

export interface WriteResult {
  /** Rows that matched, whether or not their values changed. */
  readonly affected: number;
  /** The first key that the database counted for an insert, where it tells. */
  readonly generatedKey?: string;
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
  readonly sql: SqlDialect;
  /** Runs `body` on one connection; commits when it returns, rolls back when it throws. */
  transaction<Result>(body: (executor: Executor) => Promise<Result>): Promise<Result>;
  /** Runs `body` while holding the named lock, across processes. */
  locked<Result>(name: string, body: () => Promise<Result>): Promise<Result>;
  /** Says whether the error means that the server cannot be reached for now. */
  isConnectionLoss(error: unknown): boolean;
  close(): Promise<void>;
}

/** Prints the DDL of the system tables. Every method but `quote` returns one statement. */
export interface DdlPrinter {
  quote(name: string): string;
  /** With primary key, unique constraints and indexes; foreign keys only where `addForeignKey` is null. */
  createTable(table: SystemTable, foreignKeys: readonly References[]): string;
  addColumn(table: string, column: SystemColumn): string;
  addUnique(table: string, unique: Named): string;
  addIndex(table: string, index: Named): string;
  /** `null`: a foreign key comes with its table or column, never afterwards. */
  readonly addForeignKey: ((table: string, key: References) => string) | null;
  /** Indexes that `createTable` left out. */
  readonly indexesApart: boolean;
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

/** What a driver gives for a column: `null` is never converted. */
export interface KnexBinding {
  readonly config: Knex.Config;
  readonly sql: SqlDialect;
  /** Returns the JSON text of a value as this Knex client reads it; the value is not null. */
  toJson(field: Field, value: unknown): string;
}

/** One folder: loaded by its name, its driver only when a connection is opened. */
export interface DatabaseFolder {
  /** By dialect; one folder may speak several. */
  readonly dialects: Readonly<Partial<Record<DialectName, DialectParts>>>;
  open(options: DatabaseOptions): Promise<Database>;
  /** Says whether waiting cannot help: the server answered and would answer the same, or there is no server. */
  isPermanent(error: unknown): boolean;
  /** Binds Objection models: the Knex configuration of the same database. */
  bindKnex(options: DatabaseOptions): Promise<KnexBinding>;
}

export interface DialectParts {
  readonly sql: SqlDialect;
  readonly ddl: DdlPrinter;
}
