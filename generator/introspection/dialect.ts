import type { CatalogReader, IntrospectOptions, Table } from './catalog.js';
import type { SchemaDetails } from './details.js';
import type { StoredObjectQueries } from './stored-objects.js';
import type { TableFilter } from './patterns.js';

/** Properties of a database that affect generated models. */
export interface DialectTraits {
  /** Inserts return no row, so a database-generated key must be fetched before. */
  readonly keysBeforeInsert: boolean;
  /**
   * Returns the database type where SQL treats it differently from the column's field type, otherwise null.
   * Not called for columns of unknown types.
   */
  nameType(column: TypedColumn): string | null;
}

export interface TypedColumn {
  /** Field type of the column. */
  readonly type: string;
  readonly dbType: string;
  /** Values of an enum. */
  readonly values: readonly string[] | null;
}

/** Introspection of one database. */
export interface DialectReader extends DialectTraits {
  /** Returns tables and views that match the filter, in any order; at most seven statements, and some for rare characters. */
  readTables(reader: CatalogReader, admits: TableFilter, options: IntrospectOptions): Promise<Table[]>;
  /** Reads what a snapshot needs besides the catalog; at most seven statements, and some for rare characters. */
  readDetails(reader: CatalogReader): Promise<SchemaDetails>;
  readonly storedObjects: StoredObjectQueries;
  /** Quotes an identifier. */
  quote(name: string): string;
  /** Returns SQL for the text of a JSON column, which drivers may otherwise parse. */
  jsonToText(column: string): string;
}

/** A number as drivers return it: large ones may be bigint or text. */
export type Count = number | bigint | string;

/** Returns rows of a catalog query whose select list has exactly the keys of `Row`. */
export const readRows = async <Row>(
  reader: CatalogReader,
  sql: string,
  values?: readonly unknown[],
): Promise<Row[]> => (await reader.query(sql, values)) as Row[];
