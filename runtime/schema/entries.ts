/** Single changes of a snapshot: what the endpoints of collections, fields and relations ask for. Pure. */
import { forbidden, invalidPayload } from '../../contract/errors.js';
import type { SchemaPrinter } from '../databases/contract.js';
import type {
  CollectionEntry,
  CollectionSchema,
  FieldEntry,
  FieldSchema,
  RelationEntry,
  Snapshot,
} from './snapshot/types.js';
import { keyLists, withoutKeyFlags, withoutKeyLists } from './snapshot/keys.js';
import { plainColumn } from './snapshot/write-fields.js';

type Types = SchemaPrinter['fieldTypes'];
/** Meta or schema of an entry. */
export type Part = Readonly<Record<string, unknown>> | null;

export interface NewField {
  readonly field: string;
  readonly type: string;
  readonly meta?: Part;
  readonly schema?: Part;
}

export interface NewCollection {
  readonly collection: string;
  readonly meta?: Part;
  readonly schema?: Part;
  readonly fields?: readonly NewField[] | null;
}

/** Keys to change; absent ones stay. */
export interface EntryPatch {
  /** The name that the entry has; any other is refused. */
  readonly collection?: string;
  /** The name that the entry has; any other is refused. */
  readonly field?: string;
  readonly type?: string;
  /** The collection that a relation leads to already; any other is refused. */
  readonly related_collection?: string | null;
  readonly meta?: Part;
  readonly schema?: Part;
}

/** Returns the entry of a name. @throws FORBIDDEN where there is none, as for one that the caller may not see */
export const findEntry = <Entry extends { readonly collection: string; readonly field?: string }>(
  entries: readonly Entry[],
  collection: string,
  field?: string,
): Entry => {
  const found = entries.find((entry) => entry.collection === collection && entry.field === field);
  if (found !== undefined) return found;
  const what = field === undefined ? `collection "${collection}"` : `field "${collection}.${field}"`;
  throw forbidden(`you may not use the ${what}, or it does not exist`);
};

/** Returns the snapshot with a new collection. @throws INVALID_PAYLOAD where the name is taken */
export const addCollection = (snapshot: Snapshot, created: NewCollection, types: Types): Snapshot => {
  const { collection, meta = null, schema = {}, fields } = created;
  if (snapshot.collections.some((entry) => entry.collection === collection))
    throw invalidPayload(`the collection "${collection}" exists already`);
  const columns = fields ?? [];
  const all = schema !== null && columns.length === 0 ? [countingKey] : columns;
  const entry: CollectionEntry = {
    collection,
    meta,
    schema: schema === null ? null : ({ ...schema, name: collection } as CollectionSchema),
  };
  return {
    ...snapshot,
    collections: [...snapshot.collections, entry],
    fields: [...snapshot.fields, ...all.map((field) => toField(collection, field, types))],
  };
};

/** The key of a collection that is made without fields. */
const countingKey: NewField = {
  field: 'id',
  type: 'integer',
  schema: { is_primary_key: true, has_auto_increment: true, is_nullable: false },
};

/** @throws INVALID_PAYLOAD for a type without a column type */
const toField = (collection: string, { field, type, meta = null, schema = {} }: NewField, types: Types) => {
  const isAlias = type === 'alias' || schema === null;
  return {
    collection,
    field,
    type,
    meta,
    ...(!isAlias && { schema: toColumn(collection, field, { type, schema }, types) }),
  };
};

const toColumn = (
  table: string,
  name: string,
  { type, schema }: { readonly type: string; readonly schema: Part },
  types: Types,
): FieldSchema => {
  const column = types[type];
  if (column === undefined && typeof schema?.data_type !== 'string') {
    const known = Object.keys(types).join(', ');
    throw invalidPayload(
      `the field "${table}.${name}" has no known type; expected ${known} or alias, or a data_type`,
    );
  }
  const isKey = schema?.is_primary_key === true;
  // sizes of the type hold only for its own column type
  const base = typeof schema?.data_type === 'string' && schema.data_type !== column?.data_type ? {} : column;
  return { ...plainColumn(!isKey), ...base, ...schema, name, table } as FieldSchema;
};

/** @throws INVALID_PAYLOAD for another name than the entry has */
export const refuseName = (entry: Pick<EntryPatch, 'collection' | 'field'>, patch: EntryPatch): void => {
  for (const key of ['collection', 'field'] as const)
    if (patch[key] !== undefined && patch[key] !== entry[key])
      throw invalidPayload(
        `"${key}" is "${patch[key]}", but the path says "${entry[key]}"; ` +
          'rename by the diff of a snapshot that has the new name, and this one as previous_name in its meta',
      );
};

/** Returns a part of an entry with the keys of a patch; null takes the part away. */
export const patchPart = (present: Part | undefined, patch: Part | undefined): Part => {
  if (patch === undefined) return present ?? null;
  return patch === null ? null : { ...present, ...patch };
};

/** Returns the snapshot with a changed collection. @throws FORBIDDEN where there is no such collection */
export const changeCollection = (snapshot: Snapshot, collection: string, patch: EntryPatch): Snapshot => {
  const entry = findEntry(snapshot.collections, collection);
  refuseName(entry, patch);
  if (patch.schema === null && entry.schema !== null)
    throw invalidPayload(`the collection "${collection}" has a table, and cannot become a folder`);
  const next: CollectionEntry = {
    ...entry,
    meta: patchPart(entry.meta, patch.meta),
    schema: entry.schema === null ? null : ({ ...entry.schema, ...patch.schema } as CollectionSchema),
  };
  const isKeyPatch = keyLists.some((list) => patch.schema?.[list] !== undefined);
  return {
    ...snapshot,
    fields: isKeyPatch ? withoutKeyFlags(snapshot, collection).fields : snapshot.fields,
    collections: replace(snapshot.collections, entry, next),
  };
};

/** Returns the entries with another one in place of one of them. */
export const replace = <Entry>(entries: readonly Entry[], entry: Entry, next: Entry): readonly Entry[] =>
  entries.map((each) => (each === entry ? next : each));

/**
 * Deletes a collection, the relations from and to it with their lists, and what meta says of it.
 * @throws FORBIDDEN where there is no such collection
 */
export const removeCollection = (snapshot: Snapshot, collection: string): Snapshot => {
  findEntry(snapshot.collections, collection);
  const rest = dropRelations(
    snapshot,
    (entry) => entry.collection === collection || entry.related_collection === collection,
  );
  return {
    ...rest,
    collections: rest.collections
      .filter((entry) => entry.collection !== collection)
      .map((entry) => withoutName(entry, ['group'], collection)),
    fields: rest.fields.filter((entry) => entry.collection !== collection),
    relations: rest.relations.map((entry) => withoutTarget(entry, collection)),
  };
};

/** Removes relations, and the fields without a column that stand for their lists. */
const dropRelations = (snapshot: Snapshot, isDropped: (entry: RelationEntry) => boolean): Snapshot => {
  const dropped = snapshot.relations.filter(isDropped);
  const isList = ({ collection, field, schema }: FieldEntry): boolean =>
    !schema &&
    dropped.some((entry) => entry.related_collection === collection && entry.meta?.one_field === field);
  return {
    ...snapshot,
    fields: snapshot.fields.filter((entry) => !isList(entry)),
    relations: snapshot.relations.filter((entry) => !isDropped(entry)),
  };
};

/** Returns the entry without a name that these keys of its meta have. */
const withoutName = <Entry extends { readonly meta: Part }>(
  entry: Entry,
  keys: readonly string[],
  name: string,
): Entry => {
  const named = keys.filter((key) => entry.meta?.[key] === name);
  if (named.length === 0) return entry;
  return { ...entry, meta: { ...entry.meta, ...Object.fromEntries(named.map((key) => [key, null])) } };
};

/** Returns a relation to several collections without one of them. */
const withoutTarget = (entry: RelationEntry, collection: string): RelationEntry => {
  const allowed = entry.meta?.one_allowed_collections;
  if (!Array.isArray(allowed) || !allowed.includes(collection)) return entry;
  const rest = allowed.filter((name) => name !== collection);
  return { ...entry, meta: { ...entry.meta, one_allowed_collections: rest } };
};

/**
 * Returns the snapshot with a new field.
 * @throws FORBIDDEN where there is no such collection; INVALID_PAYLOAD where the name is taken
 */
export const addField = (
  snapshot: Snapshot,
  collection: string,
  created: NewField,
  types: Types,
): Snapshot => {
  findEntry(snapshot.collections, collection);
  if (snapshot.fields.some((entry) => entry.collection === collection && entry.field === created.field))
    throw invalidPayload(`the field "${collection}.${created.field}" exists already`);
  const fields = [...snapshot.fields, toField(collection, created, types)];
  return { ...withoutKeyLists(snapshot, collection), fields };
};

/** Returns the snapshot with a changed field. @throws FORBIDDEN where there is no such field */
export const changeField = (
  snapshot: Snapshot,
  { collection, field }: Pick<FieldEntry, 'collection' | 'field'>,
  { patch, types }: { readonly patch: EntryPatch; readonly types: Types },
): Snapshot => {
  const entry = findEntry(snapshot.fields, collection, field);
  refuseName(entry, patch);
  // a field without a column is an alias
  const type = patch.schema === null && entry.schema ? 'alias' : (patch.type ?? entry.type);
  refuseType(entry, { ...patch, type }, types);
  const isPlain = Object.values(types).some(({ data_type: name }) => name === patch.schema?.data_type);
  const retyped =
    type === entry.type
      ? { ...(isPlain && { enum_values: null }) }
      : { max_length: null, numeric_precision: null, numeric_scale: null, enum_values: null, ...types[type] };
  const schema = entry.schema && {
    schema: { ...entry.schema, ...retyped, ...patch.schema } as FieldSchema,
  };
  const next: FieldEntry = { ...entry, type, meta: patchPart(entry.meta, patch.meta), ...schema };
  return { ...withoutKeyLists(snapshot, collection), fields: replace(snapshot.fields, entry, next) };
};

/** @throws INVALID_PAYLOAD for a type that the column cannot get, and for any where there is no column */
const refuseType = (
  { collection, field, type: present, schema }: FieldEntry,
  { type, schema: patch }: EntryPatch & { readonly type: string },
  types: Types,
): void => {
  const hasColumn = schema !== undefined && schema !== null;
  if (type === present || (hasColumn && (types[type] !== undefined || typeof patch?.data_type === 'string')))
    return;
  throw invalidPayload(
    `the field "${collection}.${field}" has ${hasColumn ? 'a' : 'no'} column, and cannot get the type ${type}; ` +
      `delete it and create it anew${hasColumn && type !== 'alias' ? ', or give it a data_type' : ''}`,
  );
};

/**
 * Deletes a field, its relation with the list of it, and what meta says of the field.
 * @throws FORBIDDEN where there is none
 */
export const removeField = (snapshot: Snapshot, collection: string, field: string): Snapshot => {
  const entry = findEntry(snapshot.fields, collection, field);
  const rest = dropRelations(snapshot, (each) => each.collection === collection && each.field === field);
  const forget = <Entry extends CollectionEntry | FieldEntry | RelationEntry>(
    each: Entry,
    owner: string | null,
    keys: readonly string[],
  ): Entry => (owner === collection ? withoutName(each, keys, field) : each);
  return {
    ...rest,
    collections: rest.collections.map((each) =>
      forget(each, each.collection, ['sort_field', 'archive_field']),
    ),
    fields: rest.fields
      .filter((each) => each !== entry)
      .map((each) => forget(each, each.collection, ['group'])),
    relations: rest.relations
      .map((each) => forget(each, each.related_collection, ['one_field']))
      .map((each) => forget(each, each.collection, ['sort_field'])),
  };
};
