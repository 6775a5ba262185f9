/** Rows of the meta tables as a snapshot has them: every known key, lists as lists, and the keys of others. */
import type { Meta } from './types.js';

const words = (text: string): readonly string[] => text.split(' ');

/** Keys of each table besides those that name the row, with the value where a row has none. */
const defaults = (nulls: string, falses = ''): Meta =>
  Object.fromEntries([
    ...words(nulls).map((key) => [key, null] as const),
    ...(falses === '' ? [] : words(falses).map((key) => [key, false] as const)),
  ]);

const collectionDefaults = defaults(
  'accountability archive_field archive_value collapse color display_template group icon ' +
    'item_duplication_fields note sort sort_field translations unarchive_value',
  'archive_app_filter hidden singleton',
);

const fieldDefaults = defaults(
  'conditions display display_options group interface note options sort special translations validation ' +
    'validation_message width',
  'hidden readonly required',
);

const relationDefaults = defaults(
  'junction_field one_allowed_collections one_collection one_collection_field one_deselect_action one_field sort_field',
);

/** Columns that hold lists as comma-separated text. */
const lists: ReadonlySet<string> = new Set(['special', 'one_allowed_collections']);

const toMeta = (row: Meta | undefined, known: Meta): Meta | null => {
  if (row === undefined) return null;
  const entries = Object.entries({ ...known, ...row }).map(
    ([key, value]) => [key, toValue(key, value)] as const,
  );
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

const toValue = (key: string, value: unknown): unknown =>
  lists.has(key) && typeof value === 'string' ? value.split(',').filter((word) => word !== '') : value;

/** Returns the meta of a collection, or null without a row. */
export const metaOfCollection = (row: Meta | undefined): Meta | null => toMeta(row, collectionDefaults);

/** Returns the meta of a field, or null without a row. */
export const metaOfField = (row: Meta | undefined): Meta | null => toMeta(row, fieldDefaults);

/** Returns the meta of a relation, or null without a row. */
export const metaOfRelation = (row: Meta | undefined): Meta | null => toMeta(row, relationDefaults);

/** Keys that have a column in each table; others are kept together. */
export const knownKeys = {
  svc_collections: new Set(['collection', ...Object.keys(collectionDefaults)]),
  svc_fields: new Set(['collection', 'field', ...Object.keys(fieldDefaults)]),
  svc_relations: new Set(['many_collection', 'many_field', ...Object.keys(relationDefaults)]),
} as const;

/** Keys whose column takes no null, with the value it takes instead. */
export const notNull: Meta = {
  archive_app_filter: false,
  hidden: false,
  singleton: false,
  readonly: false,
  required: false,
  one_deselect_action: 'nullify',
};

/** Returns rows by the values of some keys, joined by NUL. */
export const rowsBy = (rows: readonly Meta[], ...keys: readonly string[]): ReadonlyMap<string, Meta> =>
  new Map(rows.map((row) => [keys.map((key) => String(row[key])).join('\0'), row]));

/** Returns whether a key is a list in snapshots, and text in the tables. */
export const isList = (key: string): boolean => lists.has(key);
