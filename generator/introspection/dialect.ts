import type { CatalogReader, IntrospectOptions, Table, Vendor } from './catalog.js';
import type { TableFilter } from './patterns.js';

/** What generated models have to say because of the database that they are for. */
export interface DialectTraits {
  /** An insert gives no row back: a key that the database makes has to be asked for before it. */
  readonly keysBeforeInsert: boolean;
  /**
   * Returns the column's own type, where SQL treats it unlike the field type that the column is read as; else null.
   * Columns of unknown types are not asked about.
   */
  nameType(column: TypedColumn): string | null;
}

export interface TypedColumn {
  /** The field type that it is read as. */
  readonly type: string;
  readonly dbType: string;
  /** Of an enum. */
  readonly values: readonly string[] | null;
}

/** How one database is read. */
export interface DialectReader extends DialectTraits {
  readonly vendor: Vendor;
  /** All tables and views that the filter admits, in any order; at most seven statements. */
  readTables(reader: CatalogReader, admits: TableFilter, options: IntrospectOptions): Promise<Table[]>;
  /** An identifier, quoted. */
  quote(name: string): string;
  /** SQL for the text of a JSON column, which drivers may otherwise hand over parsed. */
  jsonToText(column: string): string;
}

/** Numbers as drivers hand them over: wide ones may come as bigint or text. */
export type Count = number | bigint | string;

/** Rows of a catalog query whose select list names exactly the keys of `Row`. */
export const readRows = async <Row>(
  reader: CatalogReader,
  sql: string,
  values?: readonly unknown[],
): Promise<Row[]> => (await reader.query(sql, values)) as Row[];
