/**
 * The interface of a database: statements in, rows out. Types only; each folder beside this file implements them for
 * one database, and `open.ts` chooses among the folders.
 * Every statement is prepared and every value is bound; no caller interpolates values.
 */
import type { Knex } from 'knex';
import type { Field } from '../../contract/collection.js';
import type { DatePart, JsonStep } from '../../contract/functions.js';
import type { Dialect } from '../../generator/introspection/catalog.js';
import type { ByteBudget } from '../execute/bytes.js';
import type { RowSet } from '../execute/row-set.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { RenderedStatement } from '../sql/fragment.js';
import type { DdlPrinter, SchemaPrinter } from './printers.js';
import type { Token } from '../sql/select.js';

export type { ConvertedValues, DdlPrinter, MeasuredAlter, NewColumnType, SchemaPrinter } from './printers.js';

export type DialectName = Dialect;

/** A bound value as drivers accept it. */
export type BindValue = string | number | bigint | Buffer | null;

export type Match = 'contains' | 'icontains' | 'startsWith' | 'istartsWith' | 'endsWith' | 'iendsWith';

/** The SQL of one database, as far as it differs; everything else in `sql` is common to all databases. */
export interface SqlDialect {
  readonly name: DialectName;
  /** Whether `INSERT … RETURNING` is supported. */
  readonly returning: boolean;
  /**
   * The way in which the row of a single UPDATE is read: by its RETURNING clause; by a select after an `autocommit`, as a transaction
   * would cost too much; or by a select in the same `transaction`, as RETURNING would not show changes of triggers.
   */
  readonly updateReadback: 'returning' | 'autocommit' | 'transaction';
  /** Without `returning`: selects the `first` generated key of the last insert and the `step` between its keys. */
  readonly keyStep?: string;
  /** Selects the condition of a check constraint by name as `clause`, if errors contain only the name. */
  readonly checkClause?: string;
  /**
   * Returns SQL that, inside a RETURNING clause, fails an insert whose generated key the field cannot hold; absent if the
   * database fails by itself.
   */
  generatedKeyCheck?(field: Field): string;
  /** Selects a row if a table, a parameter, has used the last value of its key; needed where a violation can be `full`. */
  readonly exhaustedKey?: string;
  /** Statement that checks deferred constraints before the commit; absent if there are none. */
  readonly checkDeferred?: string;
  /**
   * Selects one row that is another one after a change of any table, view or trigger: at little cost, and once too often
   * rather than not.
   */
  readonly schemaVersion: string;
  /** The time now, in milliseconds since 1970: an expression. */
  readonly clock: string;
  /** Selects the names of the tables whose writes cannot be rolled back; absent if there are none. */
  readonly tablesWithoutTransactions?: string;
  /** SQL after the table name in an insert without columns. */
  readonly emptyRow: string;
  /** Suffix of a select that locks its rows for writing; empty if writers are serialized. */
  readonly rowLock: string;
  /**
   * The way in which the first rows of each of many parents are read: by a lateral join, or where that is not supported or does not
   * use indexes for the order of rows, by a UNION ALL of one select per parent.
   */
  readonly perParent: 'lateral' | 'union';
  /**
   * Number of lists in each other from which a condition on lists is an IN instead of a correlated EXISTS, which some
   * databases evaluate for every row; absent where EXISTS is as fast.
   */
  readonly inFromDepth?: number;
  quote(name: string): string;
  /** Returns the constraint that a driver error reports as violated, or null for other errors. */
  readViolation(error: unknown, table: string): Violation | null;
  /** Returns the placeholder of a value that is compared with a field. */
  placeholder(field: Field): string;
  /** Returns the test for null that follows a column; absent if that is `is null` for all. */
  nullTest?(field: Field): string;
  /** Returns the placeholder of a value that is stored in a field; absent if that is `?` for all. */
  storedPlaceholder?(field: Field): string;
  bind(field: Field, value: Scalar): BindValue;
  /** Returns the SQL before the column, between the column and the pattern, and after the pattern. */
  match(kind: Match, field: Field): readonly [string, string, string];
  /** Returns the pattern for `match` with the special characters of the text escaped. */
  pattern(kind: Match, text: string): string;
  /** Returns the placeholder of values that `placeholder` cannot represent, or null; absent if there are none. */
  outOfRange?(field: Field): OutOfRangePlaceholder | null;
  /** Returns the SQL before and after a column that is compared with strings; absent if none is needed. */
  asText?(field: Field): readonly [string, string];
  /** Returns values as a single bound array; absent if a list has one placeholder per value. */
  array?(values: readonly BindValue[]): string;
  /** Whether the number of LIMIT is part of the SQL text instead of bound. */
  readonly limitInText?: boolean;
  /** SQL before and after the join conditions other than the keys; absent if none is needed. */
  readonly joinCondition?: readonly [string, string];
  /** Returns the date and time of a column in UTC, comparable with a literal such as `'2026-01-31 12:30:00'`. */
  moment(column: string, field: Field): string;
  /** Returns a moment that is a number of seconds later. */
  addSeconds(moment: string, seconds: string): string;
  /** Returns a part of a moment as an integer. */
  datePart(part: DatePart, moment: string): string;
  /**
   * Returns the text of a column as a value that is compared with a key, by an index of the key; null where it is not the
   * text of such a key.
   */
  keyOfText(column: string, key: Field): string;
  /** Returns the number of elements of a JSON column, or null where the column is not stored as JSON. */
  jsonLength(column: string, field: Field): string | null;
  /** Returns the value at a path of a JSON column in its forms, or null where the column is not stored as JSON. */
  jsonAt(column: string, field: Field, path: readonly JsonStep[]): JsonAt | null;
  /** Returns the exact sum of a value, or that of floats. */
  sum(value: string, options: AggregateOptions): string;
  /** Returns the average of a value: of exact numbers with the scale of `result`, half away from zero. */
  average(value: string, options: AggregateOptions): string;
  /** Returns the sort expression of a column; absent if nulls already sort as the smallest values. */
  sortKey?(field: Field, descending: boolean): SortKey;
}

/** Forms of a value in JSON: expressions that are null where there is no value, or JSON's null. */
export interface JsonAt {
  /** As JSON; comparable, so that it can be grouped by. */
  readonly value: string;
  /** The text of a text, number or boolean, compared by its code points as far as the database does; else null. */
  readonly text: string;
  /** A number, or null for anything else. */
  readonly number: string;
}

export interface AggregateOptions {
  /** Describes the values. */
  readonly field: Field;
  /** Describes the result. */
  readonly result: Field;
  /** Whether equal values count once. */
  readonly distinct: boolean;
}

export interface OutOfRangePlaceholder {
  readonly placeholder: string;
  /** Returns whether the regular placeholder can represent a value. */
  fits(value: BindValue): boolean;
}

export interface SortKey {
  readonly before: string;
  readonly after: string;
  /** Suffix for nullable columns. */
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
    /** The database has no further value for a key that it generates. */
    | 'exhausted'
    /** The same, or the disk is full; `exhaustedKey` of the dialect tells which. */
    | 'full'
    | 'type'
    | 'check'
    | 'skipped'
    | 'broken';
  /** Columns reported by the database; may be empty. */
  readonly columns: readonly string[];
  /** Name or condition of the constraint, if the database reports it. */
  readonly constraint: string | null;
  /** Index of the bound value that the database rejected, if it reports one. */
  readonly parameter?: number;
}

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
  /** Whether the statement finds one row by its key, so that others can wait for it. */
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
  /** Whether it runs in this process, whose event loop waits for every statement. */
  readonly isEmbedded?: true;
  /**
   * Runs single statements on a connection that is kept for them, to the server that takes the writes: they do not wait
   * for a connection of the pool.
   */
  readonly reserved: Executor;
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
  /** Absent where the database has no such trigger. */
  readonly schemaTrigger?: SchemaTrigger;
  /**
   * Runs `body` while holding the named lock, across processes.
   * @param wait milliseconds for which the lock is waited for; a minute unless given
   * @throws LockHeld where another process has held it for that long
   */
  locked<Result>(name: string, body: () => Promise<Result>, wait?: number): Promise<Result>;
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
  close(): Promise<void>;
}

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
  /** Whether reads by key that come at once are sent together; true if absent. */
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
