/** Restricts a schema to the entries that a caller may see. Pure. */
import type { CollectionEntry, FieldEntry, Meta, RelationEntry, Snapshot } from './snapshot/types.js';

/** Names that a caller may read of a collection: `*` for all, null where it may not be read. */
export type VisibleNames = (collection: string) => ReadonlySet<string> | '*' | null;

/** Leaves out of a snapshot what a caller may not read, and adds to the meta what it belongs to. */
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
    collections: collections
      .filter(({ collection }) => visibleNames(collection) !== null)
      .map(describeCollection),
    fields: fields.filter(({ collection, field }) => isVisible(collection, field)).map(describeField),
    relations: relations.filter(isVisibleRelation).map(describeRelation),
  };
};

const describeCollection = ({ collection, meta, schema }: CollectionEntry) => ({
  collection,
  meta: owned(meta, { collection }),
  schema,
});

const describeField = ({ collection, field, type, meta, schema }: FieldEntry) => ({
  collection,
  field,
  type,
  meta: owned(meta, { collection, field }),
  schema: schema ?? null,
});

const describeRelation = ({
  collection,
  field,
  related_collection: related,
  meta,
  schema,
}: RelationEntry) => ({
  collection,
  field,
  related_collection: related,
  meta: owned(meta, { many_collection: collection, many_field: field, one_collection: related }),
  schema,
});

const owned = (meta: Meta | null, names: Meta): Meta | null => (meta === null ? null : { ...meta, ...names });
