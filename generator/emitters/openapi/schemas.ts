/** The schemas of one collection: what is read, what a create takes, what an update takes. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import type { Collection, Field, ManyToOne, OneToMany } from '../../model/types.js';
import { arrayOf, closedObject } from './bodies.js';
import type { Context } from './context.js';
import { createExample, readExample, updateExample } from './examples.js';
import { filterSchema } from './filters.js';
import { marks } from './extensions.js';
import { ref } from './refs.js';
import { description, plainText } from './text.js';
import { keySchema, orNull, valueSchema, wireSchema } from './wire.js';

type Schemas = Record<string, SchemaObject>;

/** `<Type>`, `<Type>Create`, `<Type>Update`, `<Type>Filter`, `<Type>Query`. */
export const collectionSchemas = (collection: Collection, context: Context): Schemas => {
  const stem = context.stemOf(collection);
  return {
    [stem]: readSchema(collection, context),
    [`${stem}Create`]: createSchema(collection, context),
    [`${stem}Update`]: updateSchema(collection, context),
    [`${stem}Filter`]: { ...marks(collection, 'read'), ...filterSchema(collection, context) },
    [`${stem}Query`]: querySchema(collection, context),
  };
};

/**
 * Nothing is required: only what `fields` asks for is returned. A singleton whose table is empty answers nulls
 * where it has no defaults.
 */
const readSchema = (collection: Collection, context: Context): SchemaObject => {
  const relations = collection.relations.flatMap((relation) => {
    if (relation.kind === 'manyToAny') return [];
    const schema =
      relation.kind === 'manyToOne' ? toOne(relation, collection, context) : toMany(relation, context);
    return schema === null ? [] : [[relation.name, schema] as const];
  });
  return {
    ...marks(collection, 'read'),
    type: 'object',
    ...description(collection.note !== null && plainText(collection.note)),
    properties: {
      ...propertiesOf(collection.fields, (field) => ({
        ...(collection.singleton ? orNull(valueSchema(field, 'read')) : wireSchema(field, 'read')),
        ...aboutRead(field),
      })),
      ...Object.fromEntries(relations),
    },
    ...readExample(collection.fields),
  };
};

const propertiesOf = (fields: readonly Field[], schema: (field: Field) => SchemaObject): Schemas =>
  Object.fromEntries(fields.map((field) => [field.name, schema(field)]));

const aboutRead = (field: Field): SchemaObject =>
  description(
    field.note !== null && plainText(field.note),
    (field.conceal || field.hash) && 'Concealed: asterisks where there is a value.',
    field.type === 'json' && 'Any JSON.',
    field.generated && 'Computed by the database.',
  );

/** The column's own value, or the item it names: null where that item is hidden from the caller. */
const toOne = (relation: ManyToOne, collection: Collection, context: Context): SchemaObject | null => {
  const target = context.collection(relation.target);
  if (target === undefined) return null;
  const item = ref('schemas', context.stemOf(target));
  const column = collection.fields.find((field) => field.name === relation.name);
  if (column === undefined) return { ...marks(target, 'read'), oneOf: [item, { type: 'null' }] };
  return { oneOf: [orNull(valueSchema(column, 'read')), item], ...aboutRead(column) };
};

/** Keys, or the items they name. */
const toMany = (relation: OneToMany, context: Context): SchemaObject | null => {
  const target = context.collection(relation.target);
  if (target === undefined) return null;
  const item = ref('schemas', context.stemOf(target));
  return {
    ...marks(target, 'read'),
    type: 'array',
    items: target.key.length === 0 ? item : { oneOf: [keySchema(target, 'read'), item] },
  };
};

const isWritable = (field: Field): boolean => !field.generated;

const createSchema = (collection: Collection, context: Context): SchemaObject => {
  const fields = collection.fields.filter(isWritable);
  const required = fields.filter((field) => field.required).map((field) => field.name);
  return {
    ...marks(collection, 'create'),
    type: 'object',
    properties: {
      ...propertiesOf(fields, (field) => ({
        ...writtenSchema(field),
        ...defaultOf(field),
      })),
      ...writtenLists(collection, context),
    },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...createExample(fields),
  };
};

const updateSchema = (collection: Collection, context: Context): SchemaObject => {
  const fields = collection.fields.filter((field) => isWritable(field) || field.primaryKey);
  return {
    ...marks(collection, 'update'),
    'x-svc-keep': [...collection.key],
    type: 'object',
    properties: {
      ...propertiesOf(fields, (field) => (field.primaryKey ? namingSchema(field) : writtenSchema(field))),
      ...writtenLists(collection, context),
    },
    additionalProperties: false,
    ...updateExample(fields),
  };
};

/** Lists that are written through their owner: the whole list, or what changes of it. */
const writtenLists = (collection: Collection, context: Context): Schemas =>
  Object.fromEntries(
    collection.relations.flatMap((relation) => {
      if (relation.kind !== 'oneToMany' || !relation.written) return [];
      const target = context.collection(relation.target);
      return target === undefined ? [] : [[relation.name, writtenList(target, context)]];
    }),
  );

const writtenList = (target: Collection, context: Context): SchemaObject => {
  const item = ref('schemas', `${context.stemOf(target)}Update`);
  const key = keySchema(target, 'write');
  return {
    description:
      'The whole list, as keys, new items (which need what a create needs, but their owner) and items with their keys; or what is created, updated and deleted.',
    oneOf: [
      { type: ['array', 'null'], items: { anyOf: [key, item] } },
      closedObject({ create: arrayOf(item), update: arrayOf(item), delete: arrayOf(key) }, []),
    ],
  };
};

const namingSchema = (field: Field): SchemaObject => ({
  ...wireSchema(field, 'write'),
  description: 'Says which item is meant in a list of updates; a key never changes.',
});

const writtenSchema = (field: Field): SchemaObject => ({
  ...(field.readonly && { 'x-svc-access': 'admin' }),
  ...(field.hash ? hashed(field) : wireSchema(field, 'write')),
  ...description(
    field.note !== null && plainText(field.note),
    field.type === 'json' && 'Any JSON; a text is read as JSON text.',
    field.hash && 'Stored as a hash.',
    field.readonly && 'Written by administrators only.',
    field.fill !== null && 'Filled in by the server when absent.',
    field.autoIncrement && 'Counted by the database when absent.',
  ),
});

/** The column's length is that of the hash. */
const hashed = (field: Field): SchemaObject =>
  field.nullable ? { type: ['string', 'null'] } : { type: 'string' };

/** Arrays, JSON and bytes have no literal default worth showing; a zero date is no date. */
const defaultOf = ({ type, defaultValue }: Field): SchemaObject => {
  if (defaultValue === null || type === 'json' || type === 'csv' || type === 'binary') return {};
  return String(defaultValue).startsWith('0000-00-00') ? {} : { default: defaultValue };
};

/** The global query parameters as an object: bodies of SEARCH and of updates and deletes by query. */
const querySchema = (collection: Collection, context: Context): SchemaObject => ({
  ...marks(collection, 'read'),
  'x-svc-keep': ['filter'],
  type: 'object',
  allOf: [ref('schemas', 'GlobalQuery')],
  properties: { filter: ref('schemas', `${context.stemOf(collection)}Filter`) },
});
