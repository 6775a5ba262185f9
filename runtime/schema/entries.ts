/** Single changes of a snapshot: what the endpoints of collections, fields and relations ask for. Pure. */
import { forbidden, invalidPayload } from '../../contract/errors.js';
import type { SchemaPrinter } from '../databases/contract.js';
import type {
  CollectionEntry,
  CollectionSchema,
  FieldEntry,
  FieldSchema,
  RelationEntry,
  RelationSchema,
  Snapshot,
} from './snapshot/types.js';
import { keyLists, withoutKeyFlags, withoutKeyLists } from './snapshot/keys.js';
import { plainColumn } from './snapshot/write-fields.js';

type Types = SchemaPrinter['fieldTypes'];
type Part = Readonly<Record<string, unknown>> | null;

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

export interface NewRelation {
  readonly collection: string;
  readonly field: string;
  readonly related_collection: string | null;
  readonly meta?: Part;
  readonly schema?: Part;
}

/** Keys to change; absent ones stay. */
export interface EntryPatch {
  readonly type?: string;
  /** Of a relation; only what it is already. */
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

const patchPart = (present: Part | undefined, patch: Part | undefined): Part => {
  if (patch === undefined) return present ?? null;
  return patch === null ? null : { ...present, ...patch };
};

/** Returns the snapshot with a changed collection. @throws FORBIDDEN where there is no such collection */
export const changeCollection = (snapshot: Snapshot, collection: string, patch: EntryPatch): Snapshot => {
  const entry = findEntry(snapshot.collections, collection);
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

const replace = <Entry>(entries: readonly Entry[], entry: Entry, next: Entry): readonly Entry[] =>
  entries.map((each) => (each === entry ? next : each));

/** Deletes a collection, and the relations from and to it. @throws FORBIDDEN where there is no such collection */
export const removeCollection = (snapshot: Snapshot, collection: string): Snapshot => {
  findEntry(snapshot.collections, collection);
  return {
    ...snapshot,
    collections: snapshot.collections.filter((entry) => entry.collection !== collection),
    fields: snapshot.fields.filter((entry) => entry.collection !== collection),
    relations: snapshot.relations.filter(
      (entry) => entry.collection !== collection && entry.related_collection !== collection,
    ),
  };
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

/** Deletes a field and its relation; lists that were named after it lose their name. @throws FORBIDDEN where there is none */
export const removeField = (snapshot: Snapshot, collection: string, field: string): Snapshot => {
  const entry = findEntry(snapshot.fields, collection, field);
  const isNamed = ({ related_collection: one, meta }: RelationEntry): boolean =>
    one === collection && meta?.one_field === field;
  return {
    ...snapshot,
    fields: snapshot.fields.filter((each) => each !== entry),
    relations: snapshot.relations
      .filter((each) => each.collection !== collection || each.field !== field)
      .map((each) => (isNamed(each) ? withoutListName(each) : each)),
  };
};

const withoutListName = (entry: RelationEntry): RelationEntry => ({
  ...entry,
  meta: { ...entry.meta, one_field: null },
});

/**
 * Returns the snapshot with a new relation.
 * @throws FORBIDDEN where the field does not exist; INVALID_PAYLOAD where it has a relation
 */
export const addRelation = (snapshot: Snapshot, created: NewRelation): Snapshot => {
  const { collection, field, related_collection: related, meta = null, schema = {} } = created;
  findEntry(snapshot.fields, collection, field);
  if (snapshot.relations.some((entry) => entry.collection === collection && entry.field === field))
    throw invalidPayload(`the field "${collection}.${field}" has a relation already`);
  const key =
    related === null || schema === null
      ? null
      : toForeignKey(snapshot, { collection, field, related, schema });
  const entry: RelationEntry = { collection, field, related_collection: related, meta, schema: key };
  return { ...snapshot, relations: [...snapshot.relations, entry] };
};

interface ForeignKeyOptions {
  readonly collection: string;
  readonly field: string;
  readonly related: string;
  readonly schema: NonNullable<Part>;
}

const toForeignKey = (
  snapshot: Snapshot,
  { collection, field, related, schema }: ForeignKeyOptions,
): RelationSchema => {
  const key = snapshot.fields.find(
    (entry) => entry.collection === related && entry.schema?.is_primary_key === true,
  );
  if (key === undefined)
    throw invalidPayload(`the collection "${related}" has no key that a relation could refer to`);
  return {
    on_update: 'NO ACTION',
    on_delete: 'NO ACTION',
    constraint_name: `${collection}_${field}_foreign`,
    foreign_key_column: key.field,
    ...schema,
    table: collection,
    column: field,
    foreign_key_table: related,
  };
};

/** Returns the snapshot with a changed relation. @throws FORBIDDEN where there is no such relation */
export const changeRelation = (
  snapshot: Snapshot,
  { collection, field }: Pick<RelationEntry, 'collection' | 'field'>,
  patch: EntryPatch,
): Snapshot => {
  const entry = findEntry(snapshot.relations, collection, field);
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
