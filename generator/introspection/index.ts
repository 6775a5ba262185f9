/**
 * A live database → its catalog. Two steps per dialect: a handful of ordered catalog queries, then pure
 * functions from rows to tables.
 */
import type { Catalog, CatalogReader, Dialect, IntrospectOptions } from './catalog.js';
import type { DialectReader, DialectTraits } from './dialect.js';
import { readMeta } from './meta.js';
import { mariadb, mysql } from './mysql/index.js';
import { freezeDeep, sortBy } from './order.js';
import { createTableFilter } from './patterns.js';
import { postgres } from './postgres/index.js';
import { sqlite } from './sqlite/index.js';

/** A new dialect is a module of its own and a line here. */
const dialects: Readonly<Record<Dialect, DialectReader>> = { mariadb, mysql, postgres, sqlite };

export const traitsOf = (dialect: Dialect): DialectTraits => dialects[dialect];

/**
 * Reads the whole schema in at most ten statements, whatever its size.
 * Sorted and frozen: the same database gives the same JSON, byte for byte.
 */
export const introspect = async (reader: CatalogReader, options: IntrospectOptions): Promise<Catalog> => {
  const dialect = dialects[reader.dialect];
  const tables = sortBy(
    await dialect.readTables(reader, createTableFilter(options), options),
    (table) => table.name,
  );
  const meta = await readMeta(reader, dialect, tables);
  return freezeDeep({ vendor: dialect.vendor, dialect: reader.dialect, tables, meta });
};
