/** Restricts a schema to the entries that a caller may see. Pure. */
import type {
  CollectionEntry,
  CollectionSchema,
  FieldEntry,
  FieldSchema,
  IndexEntry,
  Meta,
  RelationEntry,
  Snapshot,
} from './snapshot/types.js';

/** Names that a caller may read of a collection: `*` for all, null where it may not be read. */
export type VisibleNames = (collection: string) => ReadonlySet<string> | '*' | null;

/** Leaves out of a snapshot what a caller may not read or what names it, and adds to the meta what it belongs to. */
export const visibleEntries = (
  { collections, fields, relations }: Pick<Snapshot, 'collections' | 'fields' | 'relations'>,
  visibleNames: VisibleNames,
) => {
  const isVisible = (collection: string, field: string): boolean => {
    const names = visibleNames(collection);
    return names === '*' || names?.has(field) === true;
  };
  const isVisibleRelation = ({ collection, field, related_collection: related }: RelationEntry): boolean =>
    field.split(',').every((column) => isVisible(collection, column)) &&
    (related === null || visibleNames(related) !== null);
  return {
    collections: collections.flatMap((entry) => {
      const names = visibleNames(entry.collection);
      return names === null ? [] : [describeCollection(entry, names)];
    }),
    fields: fields
      .filter(({ collection, field }) => isVisible(collection, field))
      .map((entry) => describeField(entry, visibleNames(entry.collection) === '*')),
    relations: relations
      .filter(isVisibleRelation)
      .map((entry) => describeRelation(entry, { isVisible, visibleNames })),
  };
};

const describeCollection = (
  { collection, meta, schema }: CollectionEntry,
  names: ReadonlySet<string> | '*',
) => ({
  collection,
  meta: owned(meta, { collection }),
  schema: schema === null || names === '*' ? schema : visibleSchema(schema, names),
});

/** Leaves out the constraints and indexes of columns that the caller may not read. SQL text can name any column. */
const visibleSchema = (schema: CollectionSchema, names: ReadonlySet<string>): CollectionSchema => {
  const { incomplete: _, uniques, indexes, checks, ...rest } = schema;
  return {
    ...rest,
    ...(uniques && { uniques: uniques.filter(({ columns }) => columns.every((name) => names.has(name))) }),
    ...(indexes && { indexes: indexes.filter((index) => isIndexOf(index, names)) }),
    ...(checks && { checks: [] }),
  };
};

const isIndexOf = ({ columns, include = [], predicate }: IndexEntry, names: ReadonlySet<string>): boolean =>
  predicate === undefined &&
  [...columns, ...include].every((part) => names.has(typeof part === 'string' ? part : (part.column ?? '')));

const describeField = ({ collection, field, type, meta, schema }: FieldEntry, everyField: boolean) => ({
  collection,
  field,
  type,
  meta: owned(meta, { collection, field }),
  schema: schema === undefined ? null : withExpression(schema, everyField),
});

/** Leaves out the expression of a generated column, which can name any column, unless the caller may read them all. */
const withExpression = (schema: FieldSchema, everyField: boolean): FieldSchema =>
  everyField || schema.generation_expression === null ? schema : { ...schema, generation_expression: null };

interface Sight {
  readonly isVisible: (collection: string, field: string) => boolean;
  readonly visibleNames: VisibleNames;
}

const describeRelation = (
  { collection, field, related_collection: related, meta, schema }: RelationEntry,
  sight: Sight,
) => ({
  collection,
  field,
  related_collection: related,
  meta: owned(meta && visibleRelationMeta(meta, { collection, related }, sight), {
    many_collection: collection,
    many_field: field,
    one_collection: related,
  }),
  schema,
});

/** Leaves out the collections and fields that the caller may not read. */
const visibleRelationMeta = (
  meta: Meta,
  { collection, related }: { readonly collection: string; readonly related: string | null },
  { isVisible, visibleNames }: Sight,
): Meta => {
  const owners = { one_field: related, sort_field: collection, junction_field: collection };
  const hidden = Object.entries(owners).filter(
    ([key, owner]) => typeof meta[key] === 'string' && !(owner !== null && isVisible(owner, meta[key])),
  );
  const allowed = meta['one_allowed_collections'];
  return {
    ...meta,
    ...Object.fromEntries(hidden.map(([key]) => [key, null])),
    ...(Array.isArray(allowed) && {
      one_allowed_collections: allowed.filter((name) => visibleNames(name) !== null),
    }),
  };
};

const owned = (meta: Meta | null, names: Meta): Meta | null => (meta === null ? null : { ...meta, ...names });
