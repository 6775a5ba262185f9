/** JSON Schema of what a diff takes: the shape of a snapshot, with every text and number limited. */
import { fieldTypes } from '../../../contract/field-types.js';
import { geometryTypes } from '../../../contract/geometry.js';
import { accessJsonSchema } from '../access-rows/check.js';

const text = (maxLength: number) => ({ type: 'string', maxLength });
const nullable = (type: string, rest: object = {}) => ({ type: [type, 'null'], ...rest });
const name = { ...text(128), minLength: 1 };
const names = { type: 'array', items: name, maxItems: 64 };
const size = nullable('integer', { minimum: 0, maximum: 4_294_967_295 });
const expression = text(10_000);
const nullableName = { ...name, type: ['string', 'null'] };
const nullableText = { ...text(65_535), type: ['string', 'null'] };
const collation = { type: ['string', 'null'], pattern: '^[A-Za-z0-9_.-]{1,64}$' };
const action = { enum: ['NO ACTION', 'RESTRICT', 'CASCADE', 'SET NULL', 'SET DEFAULT'] };
const deferrable = { enum: ['immediate', 'deferred'] };
const nullableDeferrable = { enum: ['immediate', 'deferred', null] };
const meta = { type: ['object', 'null'], maxProperties: 100 };

const indexPart = {
  type: 'object',
  additionalProperties: false,
  properties: {
    column: name,
    expression,
    descending: { type: 'boolean' },
    length: { type: 'integer', minimum: 1, maximum: 65_535 },
  },
};

const index = {
  type: 'object',
  required: ['name', 'unique', 'columns'],
  additionalProperties: false,
  properties: {
    name,
    unique: { type: 'boolean' },
    columns: { type: 'array', minItems: 1, maxItems: 32, items: { anyOf: [name, indexPart] } },
    method: { enum: ['hash', 'gin', 'gist', 'spgist', 'brin', 'fulltext', 'spatial', 'rtree'] },
    predicate: expression,
    include: names,
    incomplete: { type: 'boolean' },
  },
};

const unique = {
  type: 'object',
  required: ['name', 'columns'],
  additionalProperties: false,
  properties: { name, columns: { ...names, minItems: 1 }, deferrable },
};

const check = {
  type: 'object',
  required: ['name', 'expression'],
  additionalProperties: false,
  properties: { name, expression, enforced: { type: 'boolean' } },
};

export const collectionJsonSchema = {
  type: 'object',
  required: ['collection'],
  properties: {
    collection: name,
    meta,
    schema: {
      type: ['object', 'null'],
      properties: {
        name,
        comment: nullableText,
        charset: collation,
        collation,
        primary_key: names,
        primary_key_deferrable: nullableDeferrable,
        uniques: { type: 'array', items: unique, maxItems: 64 },
        indexes: { type: 'array', items: index, maxItems: 64 },
        checks: { type: 'array', items: check, maxItems: 200 },
        without_rowid: { type: 'boolean' },
        strict: { type: 'boolean' },
        incomplete: { type: ['array', 'null'], items: text(1000), maxItems: 100 },
        is_view: { type: 'boolean' },
      },
    },
  },
};

/** Types that a snapshot may have: those of the API, of one kind of geometry, hashes, and relations without a column. */
const typeNames = [
  ...Object.keys(fieldTypes),
  ...geometryTypes.filter((type) => type !== 'GeometryCollection').map((type) => `geometry.${type}`),
  'hash',
  'alias',
];

export const fieldJsonSchema = {
  type: 'object',
  required: ['collection', 'field', 'type'],
  properties: {
    collection: name,
    field: name,
    type: { enum: typeNames },
    meta,
    schema: {
      type: ['object', 'null'],
      required: ['data_type'],
      properties: {
        name,
        table: name,
        data_type: text(128),
        default_value: { ...nullableText, type: ['string', 'number', 'boolean', 'null'] },
        default_kind: { enum: ['literal', 'expression', null] },
        max_length: size,
        numeric_precision: size,
        numeric_scale: nullable('integer', { minimum: -1000, maximum: 1000 }),
        datetime_precision: size,
        enum_values: { type: ['array', 'null'], items: text(255), minItems: 1, maxItems: 1000 },
        srid: nullable('integer', { minimum: 0, maximum: 2 ** 32 - 1 }),
        is_invisible: { type: 'boolean' },
        is_nullable: { type: 'boolean' },
        is_unique: { type: 'boolean' },
        is_indexed: { type: 'boolean' },
        is_primary_key: { type: 'boolean' },
        is_generated: { type: 'boolean' },
        generation_expression: { ...expression, type: ['string', 'null'] },
        generation_kind: { enum: ['stored', 'virtual', null] },
        has_auto_increment: { type: 'boolean' },
        auto_increment_kind: {
          enum: ['always', 'default', 'sequence', 'rowid', 'autoincrement', 'counter', null],
        },
        on_update: { enum: ['now()', null] },
        collation,
        comment: nullableText,
        foreign_key_table: nullableName,
        foreign_key_column: nullableName,
      },
    },
  },
};

export const relationJsonSchema = {
  type: 'object',
  required: ['collection', 'field', 'related_collection'],
  properties: {
    collection: name,
    field: { ...text(1000), minLength: 1 },
    related_collection: nullableName,
    meta,
    schema: {
      type: ['object', 'null'],
      required: ['foreign_key_table', 'foreign_key_column'],
      properties: {
        table: name,
        column: name,
        columns: names,
        references: names,
        foreign_key_table: name,
        foreign_key_column: name,
        constraint_name: nullableName,
        on_update: action,
        on_delete: action,
        deferrable: nullableDeferrable,
      },
    },
  },
};

export const snapshotJsonSchema = {
  type: 'object',
  required: ['collections', 'fields', 'relations'],
  additionalProperties: false,
  properties: {
    version: { type: 'integer' },
    svc: text(64),
    vendor: text(64),
    collections: { type: 'array', items: collectionJsonSchema, maxItems: 10_000 },
    fields: { type: 'array', items: fieldJsonSchema, maxItems: 200_000 },
    systemFields: { type: 'array' },
    relations: { type: 'array', items: relationJsonSchema, maxItems: 100_000 },
    ...accessJsonSchema,
  },
};
