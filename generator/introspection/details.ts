/**
 * Facts of a live schema that the API does not need but a snapshot does: enough to create the same tables again.
 * Read beside the catalog, with the same connection.
 */
import type { Deferrable, Index } from './catalog.js';

export interface SchemaDetails {
  /** Default character set and collation of the database; `null` where there are none. */
  readonly charset: string | null;
  readonly collation: string | null;
  /** Tables by name, without views. */
  readonly tables: ReadonlyMap<string, TableDetails>;
  /** Types that were created in the database, with the labels of enums; absent where a database has none. */
  readonly types?: ReadonlyMap<string, readonly string[] | null>;
}

export interface TableDetails {
  /** `null` where it is that of the database. */
  readonly charset: string | null;
  readonly collation: string | null;
  /** Absent for a primary key that every statement checks. */
  readonly keyDeferrable?: Deferrable;
  /** By name. */
  readonly checks: readonly CheckDetails[];
  /** All indexes but that of the primary key, by name. */
  readonly indexes: readonly IndexDetails[];
  /** Columns by name. */
  readonly columns: ReadonlyMap<string, ColumnDetails>;
  /** Sentences about properties that these facts do not describe; absent where there are none. */
  readonly incomplete?: readonly string[];
  /** Statements of its triggers, which a new table in its place needs again. */
  readonly triggers?: readonly string[];
}

export interface CheckDetails {
  /** `null` where the database stores none. */
  readonly name: string | null;
  /** SQL of the condition, as the database prints it. */
  readonly sql: string;
  /** Absent for a check that is enforced. */
  readonly enforced?: false;
}

export interface IndexDetails extends Pick<Index, 'name' | 'unique'> {
  /** True where it belongs to a unique constraint. */
  readonly constraint: boolean;
  /** Absent where every statement checks it. */
  readonly deferrable?: Deferrable;
  /** Access method in lower case; `null` for the usual one. */
  readonly method: string | null;
  readonly parts: readonly IndexPart[];
  /** SQL of the condition of a partial index. */
  readonly predicate: string | null;
  /** Columns that are stored in the index without being part of its key. */
  readonly include: readonly string[];
  /** True where it has properties that these facts do not describe, such as an operator class. */
  readonly incomplete: boolean;
}

export interface IndexPart {
  /** `null` for an expression. */
  readonly column: string | null;
  /** SQL of the expression. */
  readonly sql: string | null;
  readonly descending: boolean;
  /** Number of leading characters that are indexed; `null` for all. */
  readonly length: number | null;
}

export interface ColumnDetails {
  /** The database's type name without sizes. */
  readonly dataType: string;
  readonly length: number | null;
  readonly precision: number | null;
  readonly scale: number | null;
  /** Digits after the second; `null` where the type has none, or the usual number. */
  readonly fraction: number | null;
  readonly values: readonly string[] | null;
  /** System of coordinates of a geometry (EPSG), `null` where it is any; absent for other types. */
  readonly srid?: number | null;
  /** True where `select *` omits the column; absent for a visible one. */
  readonly invisible?: true;
  /** `null` where it is that of the table. */
  readonly collation: string | null;
  /** The way in which the database generates values; `null` where it does not. */
  readonly identity: 'always' | 'default' | 'sequence' | 'rowid' | 'autoincrement' | 'counter' | null;
}
