/**
 * The catalog: a description of a database schema, and the only one that later steps of the generator use.
 * Plain JSON, sorted and frozen: the same database yields the same bytes on every run and machine.
 */

import type { GeometryShape } from '../../contract/geometry.js';

/** The vendor of each dialect. */
export const vendorOf = {
  mysql: 'mysql',
  mariadb: 'mysql',
  postgres: 'postgres',
  sqlite: 'sqlite',
} as const;

/** The actual database: SQL and catalog queries differ per dialect. */
export type Dialect = keyof typeof vendorOf;

/** The family whose snapshots are interchangeable. */
export type Vendor = (typeof vendorOf)[Dialect];

export const vendors: readonly Vendor[] = [...new Set(Object.values(vendorOf))];

export interface Catalog {
  readonly vendor: Vendor;
  readonly dialect: Dialect;
  /** Sorted by name, code unit order. */
  readonly tables: readonly Table[];
  /** Rows of `svc_collections`, `svc_fields` and `svc_relations`; empty before `svc bootstrap`. */
  readonly meta: Meta;
}

export interface Table {
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly comment: string | null;
  /** Columns in table order. */
  readonly columns: readonly Column[];
  /** Column names in key order; `null` where there is no primary key. */
  readonly primaryKey: readonly string[] | null;
  /** Unique constraints and plain unique indexes besides the primary key, by name. */
  readonly uniques: readonly Unique[];
  /** Foreign keys by name. References to tables of another schema are left out. */
  readonly foreignKeys: readonly ForeignKey[];
  /**
   * SQLite only: foreign keys that do not match their target. SQLite accepts them, but rejects writes that
   * check them.
   */
  readonly broken?: readonly BrokenKey[];
  /** Indexes except those of the primary key and `uniques`, by name. */
  readonly indexes: readonly Index[];
  /** True where triggers or rules may run when a row is inserted: there are some, or the user may not see them. */
  readonly triggers?: true;
  /** SQLite only: table options of `CREATE TABLE`, and whether AUTOINCREMENT is set. */
  readonly options?: {
    readonly withoutRowid?: true;
    readonly strict?: true;
    readonly autoincrement?: true;
  };
}

export interface Column {
  readonly name: string;
  /** The database's own type name, e.g. `bigint(20) unsigned`. */
  readonly dbType: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** The default; `null` for none, or for `NULL`. */
  readonly default: ColumnDefault | null;
  /** True where the database generates the value. */
  readonly autoIncrement: boolean;
  readonly generated: { readonly expression: string; readonly stored: boolean } | null;
  /** MySQL and MariaDB: SQL of the value set on every update of the row. */
  readonly onUpdate?: string;
  /** MySQL and MariaDB: whether the column is omitted from `SELECT *`. */
  readonly invisible?: true;
  /** MySQL and MariaDB: collation of a text whose character set lacks some characters. */
  readonly collation?: string;
  readonly comment: string | null;
}

/** A literal is the value as text, booleans as `1` and `0`; an expression is SQL. */
export type ColumnDefault =
  | { readonly kind: 'literal'; readonly value: string }
  | { readonly kind: 'expression'; readonly sql: string };

export type ColumnType =
  | { readonly kind: 'integer'; readonly bits: 8 | 16 | 24 | 32 | 54 | 64; readonly signed: boolean }
  | { readonly kind: 'decimal'; readonly precision: number | null; readonly scale: number | null }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  | { readonly kind: 'boolean' }
  /** `length` in characters; `null` without a limit. */
  | { readonly kind: 'string'; readonly length: number | null }
  | { readonly kind: 'text'; readonly length: number | null }
  /** `length` in bytes. */
  | { readonly kind: 'binary'; readonly length: number | null }
  | { readonly kind: 'date' }
  /** `fraction`: digits after the second, 0 to 6. */
  | { readonly kind: 'time'; readonly fraction: number }
  | { readonly kind: 'dateTime'; readonly fraction: number }
  | { readonly kind: 'timestamp'; readonly fraction: number }
  | { readonly kind: 'uuid' }
  /** `element`: type of the elements of an array, which is JSON on the wire. */
  | { readonly kind: 'json'; readonly element?: ColumnType }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'set'; readonly values: readonly string[] }
  | { readonly kind: 'geometry'; readonly geometry: GeometryShape }
  /** `length`: the largest number of its numbers. */
  | { readonly kind: 'vector'; readonly length: number | null }
  /** Read as text; the generator warns. */
  | { readonly kind: 'unknown' };

export interface Unique {
  /** The constraint's name; `<table>_<columns>_unique` where it has none (SQLite). */
  readonly name: string;
  readonly columns: readonly string[];
}

export interface ForeignKey {
  /** The constraint's name; `<table>_<columns>_foreign` where it has none (SQLite). */
  readonly name: string;
  readonly columns: readonly string[];
  readonly table: string;
  readonly references: readonly string[];
  readonly onUpdate: ReferenceAction;
  readonly onDelete: ReferenceAction;
  /** Absent for a key that every statement checks. */
  readonly deferrable?: Deferrable;
}

/** The time at which a deferrable constraint is checked by default: after each statement, or at commit. */
export type Deferrable = 'immediate' | 'deferred';

export interface BrokenKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** Empty: the primary key of the target. */
  readonly references: readonly string[];
  /** Table or column missing; primary key with a different number of columns; columns not unique. */
  readonly fault: 'missing' | 'keyless' | 'ambiguous';
}

export type ReferenceAction = 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default';

export interface Index {
  readonly name: string;
  /** Column names or `{ expression }`; a prefix of a column counts as an expression. */
  readonly columns: readonly (string | { readonly expression: string })[];
  /** Unique for some rows or over expressions only; other unique indexes are in `uniques`. */
  readonly unique: boolean;
}

/** Meta rows keyed and sorted; JSON columns parsed. Unknown keys are kept. */
export interface Meta {
  readonly collections: readonly Readonly<Record<string, unknown>>[];
  readonly fields: readonly Readonly<Record<string, unknown>>[];
  readonly relations: readonly Readonly<Record<string, unknown>>[];
}

/**
 * A connection for introspection that returns rows as objects keyed by column alias. Values are always bound.
 */
export interface CatalogReader {
  readonly dialect: Dialect;
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

export interface UnmatchedPatterns {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

export interface IntrospectOptions {
  /** Patterns with `*`; absent means all. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Called with the patterns that match no table. */
  readonly onUnmatched?: ((patterns: UnmatchedPatterns) => void) | undefined;
}
