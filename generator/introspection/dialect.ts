import type { CatalogReader, IntrospectOptions, Table, Vendor } from './catalog.js';
import type { TableFilter } from './patterns.js';

/** How one database is read. */
export interface DialectReader {
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
