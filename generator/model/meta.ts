/** Meta of collections, fields and relations: rows of the database overlaid by the spec, key by key. */
import type { Catalog } from '../introspection/catalog.js';
import { positionToText } from '../spec/faults.js';
import type { CollectionSpec, Position, Spec } from '../spec/types.js';
import { canonicalJson } from '../../contract/objects.js';

/** Meta of one collection, field or relation. */
export interface MetaEntry {
  readonly values: ReadonlyMap<string, unknown>;
  /** Position in the spec of each key, and of the entry itself (`''`); absent for values of the database. */
  readonly positions: ReadonlyMap<string, Position>;
  /** Name of the database row: `svc_fields, works.title`. */
  readonly source: string;
}

export interface Meta {
  readonly collections: ReadonlyMap<string, MetaEntry>;
  /** Entries by collection, then by field. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, MetaEntry>>;
  /** Entries by the collection on the many side, then by its field. */
  readonly relations: ReadonlyMap<string, ReadonlyMap<string, MetaEntry>>;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Merges the meta of database and spec.
 * @param warnings receives every key on which file and database differ
 */
export const overlayMeta = (catalog: Catalog, spec: Spec, warnings: string[]): Meta => {
  const collections = new Map<string, MetaEntry>();
  for (const row of catalog.meta.collections) {
    const name = String(row.collection);
    collections.set(name, rowToEntry(row, `svc_collections, ${name}`));
  }
  const fields = groupByCollection(catalog.meta.fields, {
    table: 'svc_fields',
    outer: 'collection',
    inner: 'field',
  });
  const relations = groupByCollection(catalog.meta.relations, {
    table: 'svc_relations',
    outer: 'many_collection',
    inner: 'many_field',
  });
  for (const file of spec.collections.values()) {
    overlayCollection(file, { collections, fields, relations }, warnings);
  }
  return { collections, fields, relations };
};

type Nested = Map<string, Map<string, MetaEntry>>;

interface Columns {
  readonly table: string;
  readonly outer: string;
  readonly inner: string;
}

const groupByCollection = (rows: readonly Row[], { table, outer, inner }: Columns): Nested => {
  const nested: Nested = new Map();
  for (const row of rows) {
    const [collection, name] = [String(row[outer]), String(row[inner])];
    innerMap(nested, collection).set(name, rowToEntry(row, `${table}, ${collection}.${name}`));
  }
  return nested;
};

const innerMap = (nested: Nested, collection: string): Map<string, MetaEntry> => {
  const inner = nested.get(collection) ?? new Map<string, MetaEntry>();
  nested.set(collection, inner);
  return inner;
};

const keyColumns = new Set(['id', 'collection', 'field', 'many_collection', 'many_field']);

const rowToEntry = (row: Row, source: string): MetaEntry => ({
  values: new Map(Object.entries(row).filter(([key, value]) => value !== null && !keyColumns.has(key))),
  positions: new Map(),
  source,
});

interface Entries {
  readonly collections: Map<string, MetaEntry>;
  readonly fields: Nested;
  readonly relations: Nested;
}

const overlayCollection = (
  file: CollectionSpec,
  { collections, fields, relations }: Entries,
  warnings: string[],
): void => {
  const name = file.collection;
  const overlay = (entries: Map<string, MetaEntry>, key: string, layer: Layer): void => {
    entries.set(key, overlayEntry(entries.get(key), layer, warnings));
  };
  overlay(collections, name, { file, path: ['meta'], what: name, values: file.meta });
  for (const [field, values] of file.fields) {
    overlay(innerMap(fields, name), field, {
      file,
      path: ['fields', field],
      what: `${name}.${field}`,
      values,
    });
  }
  for (const [index, { field, ...values }] of file.relations.entries()) {
    const layer = { file, path: ['relations', String(index)], what: `${name}.${field}`, values };
    overlay(innerMap(relations, name), field, layer);
  }
};

/** Meta of one entry in a file. */
interface Layer {
  readonly file: CollectionSpec;
  readonly path: readonly string[];
  readonly what: string;
  readonly values: Row;
}

const overlayEntry = (existing: MetaEntry | undefined, layer: Layer, warnings: string[]): MetaEntry => {
  const values = new Map(existing?.values);
  const positions = new Map([['', layerPosition(layer, [])]]);
  for (const [key, value] of Object.entries(layer.values)) {
    const position = layerPosition(layer, [key]);
    const stored = values.get(key);
    if (stored !== undefined && !isSame(stored, value)) {
      const difference = `${layer.what}: "${key}" is ${show(value)} here and ${show(stored)} in the database`;
      warnings.push(`${positionToText(position)}: ${difference} (${existing?.source}); the file wins`);
    }
    values.set(key, value);
    positions.set(key, position);
  }
  return { values, positions, source: existing?.source ?? layer.what };
};

const layerPosition = ({ file, path }: Layer, keys: readonly string[]): Position =>
  file.positionOf(...path, ...keys) ??
  file.positionOf(...path) ??
  file.positionOf() ?? { file: file.source, line: 1, column: 1 };

const show = (value: unknown): string => canonicalJson(value);

/** Compares a file's value with the database's, which stores lists as comma-separated text. */
const isSame = (stored: unknown, value: unknown): boolean =>
  canonicalJson(Array.isArray(value) && typeof stored === 'string' ? splitWords(stored) : stored) ===
  canonicalJson(value);

const splitWords = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Returns a text of the meta; null where it is absent, empty or something else. */
export const textOf = (entry: MetaEntry | undefined, key: string): string | null => {
  const value = entry?.values.get(key);
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Returns a flag of the meta, which databases also keep as 1. */
export const flagOf = (entry: MetaEntry | undefined, key: string): boolean => {
  const value = entry?.values.get(key);
  return value === true || value === 1;
};

/** Returns a list of words, stored as a list or as text. */
export const wordsOf = (entry: MetaEntry | undefined, key: string): readonly string[] => {
  const value = entry?.values.get(key);
  if (typeof value === 'string') return splitWords(value);
  return Array.isArray(value) ? value.map(String) : [];
};

/** Returns the source of a finding about `key` of an entry. */
export const sourceOfKey = (
  entry: MetaEntry,
  key: string,
): { position: Position | null; source: string } => ({
  position: entry.positions.get(key) ?? null,
  source: entry.source,
});

/** Returns the source of a finding about an entry as a whole. */
export const sourceOfEntry = (entry: MetaEntry): { position: Position | null; source: string } =>
  sourceOfKey(entry, '');
