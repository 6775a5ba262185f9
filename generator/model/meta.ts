/** What is said about collections, fields and relations: rows of the database overlaid by the spec, key by key. */
import type { Catalog } from '../introspection/catalog.js';
import { pathKey, positionToText } from '../spec/faults.js';
import type { CollectionSpec, Position, Spec } from '../spec/types.js';
import { canonicalJson } from './canonical.js';

/** Everything said about one collection, field or relation. */
export interface MetaEntry {
  readonly values: ReadonlyMap<string, unknown>;
  /** Where the spec says a key, or says this entry at all (`''`); absent: the database says it. */
  readonly places: ReadonlyMap<string, Position>;
  /** The row of the database: `svc_fields, works.title`. */
  readonly source: string;
}

export interface Meta {
  readonly collections: ReadonlyMap<string, MetaEntry>;
  /** By collection, then field. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, MetaEntry>>;
  /** By many collection, then many field. */
  readonly relations: ReadonlyMap<string, ReadonlyMap<string, MetaEntry>>;
}

type Row = Readonly<Record<string, unknown>>;

/** @param warnings told of every key that file and database say differently */
export const overlayMeta = (catalog: Catalog, spec: Spec, warnings: string[]): Meta => {
  const collections = new Map<string, MetaEntry>();
  for (const row of catalog.meta.collections) {
    const name = String(row.collection);
    collections.set(name, rowToEntry(row, `svc_collections, ${name}`));
  }
  const fields = nest(catalog.meta.fields, { table: 'svc_fields', outer: 'collection', inner: 'field' });
  const relations = nest(catalog.meta.relations, {
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

const nest = (rows: readonly Row[], { table, outer, inner }: Columns): Nested => {
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
  places: new Map(),
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

/** What a file says of one entry. */
interface Layer {
  readonly file: CollectionSpec;
  readonly path: readonly string[];
  readonly what: string;
  readonly values: Row;
}

const overlayEntry = (below: MetaEntry | undefined, layer: Layer, warnings: string[]): MetaEntry => {
  const values = new Map(below?.values);
  const places = new Map([['', placeIn(layer, [])]]);
  for (const [key, value] of Object.entries(layer.values)) {
    const place = placeIn(layer, [key]);
    const said = values.get(key);
    if (said !== undefined && !isSame(said, value)) {
      const difference = `${layer.what}: "${key}" is ${show(value)} here and ${show(said)} in the database`;
      warnings.push(`${positionToText(place)}: ${difference} (${below?.source}); the file wins`);
    }
    values.set(key, value);
    places.set(key, place);
  }
  return { values, places, source: below?.source ?? layer.what };
};

const placeIn = ({ file, path }: Layer, keys: readonly string[]): Position =>
  placeOf(file, ...path, ...keys) ??
  placeOf(file, ...path) ??
  placeOf(file) ?? { file: file.source, line: 1, column: 1 };

/** Where a file says something; no path: its beginning. */
export const placeOf = (file: CollectionSpec, ...path: readonly string[]): Position | undefined =>
  file.positions.get(pathKey(path));

const show = (value: unknown): string => canonicalJson(value);

/** The database says lists as comma-separated text. */
const isSame = (said: unknown, value: unknown): boolean =>
  canonicalJson(Array.isArray(value) && typeof said === 'string' ? splitWords(said) : said) ===
  canonicalJson(value);

const splitWords = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

export const textOf = (entry: MetaEntry | undefined, key: string): string | null => {
  const value = entry?.values.get(key);
  return typeof value === 'string' && value !== '' ? value : null;
};

export const flagOf = (entry: MetaEntry | undefined, key: string): boolean => {
  const value = entry?.values.get(key);
  return value === true || value === 1;
};

/** A list of words, whichever way it is kept. */
export const wordsOf = (entry: MetaEntry | undefined, key: string): readonly string[] => {
  const value = entry?.values.get(key);
  if (typeof value === 'string') return splitWords(value);
  return Array.isArray(value) ? value.map(String) : [];
};

/** A finding about what an entry says under `key`. */
export const aboutKey = (entry: MetaEntry, key: string): { place: Position | null; source: string } => ({
  place: entry.places.get(key) ?? null,
  source: entry.source,
});

/** A finding about an entry as a whole. */
export const aboutEntry = (entry: MetaEntry): { place: Position | null; source: string } =>
  aboutKey(entry, '');
