/** Describes the schemas of one collection: items, and the inputs of create and update. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import { indirectColumns, indirectParents } from '../../model/indirect-columns.js';
import type { Collection, Field, ManyToAny, ManyToOne, OneToMany, Relation } from '../../model/types.js';
import { arrayOf, closedObject } from './bodies.js';
import type { Context } from './context.js';
import { createExample, readExample, updateExample } from './examples.js';
import { filterSchema } from './filters.js';
import { accessExtensions } from './extensions.js';
import { writeParameters } from './parameters.js';
import { ref } from './refs.js';
import { description, plainText } from './text.js';
import { keySchema, orNull, valueSchema, wireSchema } from './wire.js';

type Schemas = Record<string, SchemaObject>;

/**
 * Returns the schemas `<Type>`, `<Type>Create`, `<Type>Update`, `<Type>Filter`, `<Type>Query` and, where items are written by queries,
 * `<Type>WriteQuery`.
 */
export const collectionSchemas = (collection: Collection, context: Context): Schemas => {
  const stem = context.stemOf(collection);
  return {
    [stem]: readSchema(collection, context),
    [`${stem}Create`]: createSchema(collection, context),
    [`${stem}Update`]: updateSchema(collection, context),
    [`${stem}Filter`]: { ...accessExtensions(collection, 'read'), ...filterSchema(collection, context) },
    [`${stem}Query`]: querySchema(collection, context),
    ...(isWrittenByQuery(collection) && { [`${stem}WriteQuery`]: writeQuerySchema(collection, context) }),
  };
};

/**
 * Describes an item. No property is required, since `fields` selects them. A singleton without a row returns
 * null for fields without a default.
 */
const readSchema = (collection: Collection, context: Context): SchemaObject => {
  const relations = collection.relations.flatMap((relation) => {
    const schema = relationSchema(relation, collection, context);
    return schema === null ? [] : [[relation.name, schema] as const];
  });
  return {
    ...accessExtensions(collection, 'read'),
    type: 'object',
    ...description(collection.note !== null && plainText(collection.note)),
    properties: {
      ...propertiesOf(collection.fields, (field) => ({
        ...(collection.singleton ? orNull(valueSchema(field, 'read')) : wireSchema(field, 'read')),
        ...readDescription(field),
      })),
      ...Object.fromEntries(relations),
    },
    ...readExample(collection.fields),
  };
};

const propertiesOf = (fields: readonly Field[], schema: (field: Field) => SchemaObject): Schemas =>
  Object.fromEntries(fields.map((field) => [field.name, schema(field)]));

const readDescription = (field: Field): SchemaObject =>
  description(
    field.note !== null && plainText(field.note),
    (field.conceal || field.hash) && 'Concealed: a value is returned as asterisks.',
    field.type === 'json' && 'Any JSON.',
    field.generated && 'Computed by the database.',
  );

const relationSchema = (
  relation: Relation,
  collection: Collection,
  context: Context,
): SchemaObject | null => {
  if (relation.kind === 'oneToMany') return toMany(relation, context);
  return relation.kind === 'manyToOne'
    ? toOne(relation, collection, context)
    : toAny(relation, collection, context);
};

/** Describes a many-to-any relation: the stored key, or the item of one of its collections. */
const toAny = (relation: ManyToAny, collection: Collection, context: Context): SchemaObject | null => {
  const column = collection.fields.find(({ name }) => name === relation.field);
  const targets = relation.targets.flatMap((name) => context.collection(name) ?? []);
  if (column === undefined || targets.length === 0) return null;
  const items = targets.map((target) => ref('schemas', context.stemOf(target)));
  const keys = targets.map((target) => keySchema(target, 'read'));
  return {
    anyOf: [orNull(valueSchema(column, 'read')), ...distinctSchemas(keys), ...items],
    ...description(
      column.note !== null && plainText(column.note),
      `An item of the collection in "${relation.collectionField}": with fields as an object, else its key.`,
    ),
  };
};

const distinctSchemas = (schemas: readonly SchemaObject[]): readonly SchemaObject[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
];

/**
 * Describes a many-to-one relation: the column's value, or the item, which is null where it is hidden from
 * the caller.
 */
const toOne = (relation: ManyToOne, collection: Collection, context: Context): SchemaObject | null => {
  const target = context.collection(relation.target);
  if (target === undefined) return null;
  const item = ref('schemas', context.stemOf(target));
  const column = collection.fields.find((field) => field.name === relation.name);
  if (column === undefined) return { ...accessExtensions(target, 'read'), oneOf: [item, { type: 'null' }] };
  return { oneOf: [orNull(valueSchema(column, 'read')), item], ...readDescription(column) };
};

/** Describes a list of keys or of items. */
const toMany = (relation: OneToMany, context: Context): SchemaObject | null => {
  const target = context.collection(relation.target);
  if (target === undefined) return null;
  const item = ref('schemas', context.stemOf(target));
  return {
    ...accessExtensions(target, 'read'),
    type: 'array',
    items: target.key.length === 0 ? item : { oneOf: [keySchema(target, 'read'), item] },
  };
};

const isWritable = (field: Field): boolean => !field.generated;

const createSchema = (collection: Collection, context: Context): SchemaObject => {
  const fields = collection.fields.filter(isWritable);
  const indirect = indirectColumns(collection);
  const required = fields
    .filter((field) => field.required && !indirect.has(field.name))
    .map((field) => field.name);
  return {
    ...accessExtensions(collection, 'create'),
    type: 'object',
    properties: {
      ...propertiesOf(fields, (field) => ({
        ...inputSchema(field),
        ...defaultOf(field),
      })),
      ...writtenItems(fields, collection, context),
      ...writtenParents(collection, context),
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
    ...accessExtensions(collection, 'update'),
    'x-svc-keep': [...collection.key],
    type: 'object',
    properties: {
      ...propertiesOf(fields, (field) => (field.primaryKey ? keyPropertySchema(field) : inputSchema(field))),
      ...writtenItems(fields, collection, context),
      ...writtenParents(collection, context),
      ...writtenLists(collection, context),
    },
    additionalProperties: false,
    ...updateExample(fields),
  };
};

/** Describes the items that are written in place of keys of several columns, by the names of their relations. */
const writtenParents = (collection: Collection, context: Context): Schemas =>
  Object.fromEntries(
    indirectParents(collection).flatMap((relation): [string, SchemaObject][] => {
      const target = context.collection(relation.target);
      if (target === undefined || target.key.length === 0) return [];
      const item = ref('schemas', `${context.stemOf(target)}Update`);
      const description =
        'An item: with the key of one it is changed, with another it is created; null refers to none.';
      return [[relation.name, { anyOf: [item, { type: 'null' }], description }]];
    }),
  );

/** Describes the fields that take an item in place of its key, which is created or changed before the row. */
const writtenItems = (fields: readonly Field[], collection: Collection, context: Context): Schemas => {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return Object.fromEntries(
    collection.relations.flatMap((relation): [string, SchemaObject][] => {
      const field = byName.get(relation.name);
      if (field === undefined || field.primaryKey || relation.kind === 'oneToMany') return [];
      const names = relation.kind === 'manyToOne' ? [relation.target] : relation.targets;
      const targets = names
        .flatMap((name) => context.collection(name) ?? [])
        .filter(({ key }) => key.length > 0);
      if (targets.length === 0) return [];
      const items = targets.map((target) => ref('schemas', `${context.stemOf(target)}Update`));
      const keys = relation.kind === 'manyToOne' ? [] : targets.map((target) => keySchema(target, 'write'));
      const { 'x-svc-access': access, ...plain } = inputSchema(field);
      const either: SchemaObject = {
        ...(access !== undefined && { 'x-svc-access': access }),
        anyOf: [plain, ...distinctSchemas(keys), ...items],
        description: 'A key, or an item: with the key of one it is changed, without a key it is created.',
      };
      if (relation.kind === 'manyToOne') return [[relation.name, either]];
      return [
        [relation.name, either],
        ...targets.map((target, index): [string, SchemaObject] => [
          `${relation.name}:${target.name}`,
          // a key refers only to an item that the caller may read
          {
            anyOf: [
              { ...keySchema(target, 'write'), ...accessExtensions(target, 'read') },
              items[index] as SchemaObject,
            ],
          },
        ]),
      ];
    }),
  );
};

/** Describes the lists that can be written through their owner: the complete list, or changes to it. */
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
      'The complete list, of keys, changed items with their keys, and new items (with the required fields except their owner); or only the changes.',
    oneOf: [
      { type: ['array', 'null'], items: { anyOf: [key, item] } },
      closedObject({ create: arrayOf(item), update: arrayOf(item), delete: arrayOf(key) }, []),
    ],
  };
};

const keyPropertySchema = (field: Field): SchemaObject => ({
  ...wireSchema(field, 'write'),
  description: 'Identifies the item in a list of updates; a key cannot be changed.',
});

const inputSchema = (field: Field): SchemaObject => ({
  ...(field.readonly && { 'x-svc-access': 'admin' }),
  ...(field.hash ? hashedSchema(field) : wireSchema(field, 'write')),
  ...description(
    field.note !== null && plainText(field.note),
    field.type === 'json' && 'Any JSON; a string is parsed as JSON.',
    field.hash && 'Stored as a hash.',
    field.readonly && 'Only administrators can write it.',
    field.fill !== null && 'Set by the server if absent.',
    field.autoIncrement && 'Generated by the database if absent.',
  ),
});

/** Describes a hashed field without a length: the column's is that of the hash. */
const hashedSchema = (field: Field): SchemaObject =>
  field.nullable ? { type: ['string', 'null'] } : { type: 'string' };

/** Returns the default of a field, except for zero dates. */
const defaultOf = ({ defaultValue }: Field): SchemaObject =>
  defaultValue === null || String(defaultValue).startsWith('0000-00-00') ? {} : { default: defaultValue };

/** Describes the query parameters as an object, for bodies of SEARCH. */
const querySchema = (collection: Collection, context: Context): SchemaObject => ({
  ...accessExtensions(collection, 'read'),
  'x-svc-keep': ['filter'],
  type: 'object',
  allOf: [ref('schemas', 'GlobalQuery')],
  properties: { filter: ref('schemas', `${context.stemOf(collection)}Filter`) },
});

const isWrittenByQuery = ({ path, key, readonly, singleton }: Collection): boolean =>
  path !== null && key.length > 0 && !readonly && !singleton;

/** Describes the query of updates and deletes, which needs a filter or a limit. */
const writeQuerySchema = (collection: Collection, context: Context): SchemaObject => ({
  ...accessExtensions(collection, 'read'),
  'x-svc-keep': ['filter', ...Object.keys(writeParameters)],
  ...closedObject({ filter: ref('schemas', `${context.stemOf(collection)}Filter`), ...writeParameters }, []),
  anyOf: [{ required: ['filter'] }, { required: ['limit'] }],
});
