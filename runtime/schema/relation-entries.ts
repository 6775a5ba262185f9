/** Single changes of the relations of a snapshot. Pure. */
import { invalidPayload } from '../../contract/errors.js';
import { findEntry, patchPart, refuseName, replace, type EntryPatch, type Part } from './entries.js';
import type { ColumnShape, TableShape } from './shapes.js';
import type { FieldEntry, RelationEntry, RelationSchema, Snapshot } from './snapshot/types.js';

export interface NewRelation {
  readonly collection: string;
  readonly field: string;
  readonly related_collection: string | null;
  readonly meta?: Part;
  readonly schema?: Part;
}

/**
 * Returns the snapshot with a new relation.
 * @param shapes all tables, because snapshots leave out the system tables, which relations may lead to
 * @throws FORBIDDEN where the field does not exist; INVALID_PAYLOAD where it has a relation
 */
export const addRelation = (
  snapshot: Snapshot,
  created: NewRelation,
  shapes: readonly TableShape[],
): Snapshot => {
  const { collection, field, related_collection: related, meta = null, schema = {} } = created;
  const entry = findEntry(snapshot.fields, collection, field);
  if (snapshot.relations.some((each) => each.collection === collection && each.field === field))
    throw invalidPayload(`the field "${collection}.${field}" has a relation already`);
  const add = (foreignKey: RelationSchema | null): Snapshot => ({
    ...snapshot,
    relations: [
      ...snapshot.relations,
      { collection, field, related_collection: related, meta, schema: foreignKey },
    ],
  });
  if (related === null || schema === null) return add(null);
  const key = keyOf(related, shapes);
  const next = add({
    on_update: 'NO ACTION',
    on_delete: 'NO ACTION',
    constraint_name: `${collection}_${field}_foreign`,
    foreign_key_column: key.name,
    ...schema,
    table: collection,
    column: field,
    foreign_key_table: related,
  });
  // some databases relate only texts of the same collation, and keys of system tables have one of their own
  const isSystem = !snapshot.collections.some((each) => each.collection === related);
  if (!isSystem || key.collation === null || !entry.schema) return next;
  const column: FieldEntry = { ...entry, schema: { ...entry.schema, collation: key.collation } };
  return { ...next, fields: replace(next.fields, entry, column) };
};

/** @throws INVALID_PAYLOAD where the collection has no key */
const keyOf = (collection: string, shapes: readonly TableShape[]): ColumnShape => {
  const table = shapes.find(({ name }) => name === collection);
  const key = table?.columns.find(({ name }) => name === table.primaryKey[0]);
  if (key === undefined)
    throw invalidPayload(`the collection "${collection}" has no key that a relation could refer to`);
  return key;
};

/** Returns the snapshot with a changed relation. @throws FORBIDDEN where there is no such relation */
export const changeRelation = (
  snapshot: Snapshot,
  { collection, field }: Pick<RelationEntry, 'collection' | 'field'>,
  patch: EntryPatch,
): Snapshot => {
  const entry = findEntry(snapshot.relations, collection, field);
  refuseName(entry, patch);
  const { related_collection: related } = entry;
  if (patch.related_collection !== undefined && patch.related_collection !== related)
    throw invalidPayload(
      `the relation "${collection}.${field}" leads to "${related}"; delete it, and create one that leads elsewhere`,
    );
  const next: RelationEntry = {
    ...entry,
    meta: patchPart(entry.meta, patch.meta),
    schema: patchPart(entry.schema as Part, patch.schema) as RelationSchema | null,
  };
  return { ...snapshot, relations: replace(snapshot.relations, entry, next) };
};

/** Returns the snapshot without a relation. @throws FORBIDDEN where there is no such relation */
export const removeRelation = (snapshot: Snapshot, collection: string, field: string): Snapshot => {
  const entry = findEntry(snapshot.relations, collection, field);
  return { ...snapshot, relations: snapshot.relations.filter((each) => each !== entry) };
};
