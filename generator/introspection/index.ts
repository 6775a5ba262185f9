/**
 * Reads the catalog of a live database. Two steps per dialect: a few ordered catalog queries, then pure
 * functions from rows to tables.
 */
import {
  vendorOf,
  type Catalog,
  type CatalogReader,
  type Dialect,
  type IntrospectOptions,
} from './catalog.js';
import type { SchemaDetails } from './details.js';
import type { DialectReader, DialectTraits } from './dialect.js';
import * as folders from './folders.js';
import { readMeta } from './meta.js';
import { freezeDeep, sortBy } from './order.js';
import { watchTableFilter } from './patterns.js';
import { readStoredObjectsBy, type StoredObjects } from './stored-objects.js';

/** Dialects by name. */
const dialects: Readonly<Record<Dialect, DialectReader>> = folders;

/** Returns what the model has to know of a database beside its catalog. */
export const traitsOf = (dialect: Dialect): DialectTraits => dialects[dialect];

/**
 * Reads the whole schema in at most ten statements, and some for rare characters, regardless of its size. The result is sorted and frozen:
 * the same database yields the same JSON.
 */
export const introspect = async (reader: CatalogReader, options: IntrospectOptions): Promise<Catalog> => {
  const dialect = dialects[reader.dialect];
  const { filter, unmatched } = watchTableFilter(options);
  const tables = sortBy(await dialect.readTables(reader, filter, options), (table) => table.name);
  options.onUnmatched?.(unmatched());
  const meta = await readMeta(reader, dialect, tables);
  return freezeDeep({ vendor: vendorOf[reader.dialect], dialect: reader.dialect, tables, meta });
};

/** Reads views, triggers and sizes, for what a change of the schema means to them. */
export const readStoredObjects = (reader: CatalogReader): Promise<StoredObjects> =>
  readStoredObjectsBy(reader, dialects[reader.dialect].storedObjects);

/** Reads the facts that a snapshot needs besides the catalog. */
export const readDetails = (reader: CatalogReader): Promise<SchemaDetails> =>
  dialects[reader.dialect].readDetails(reader);
