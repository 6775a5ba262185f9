/** Describes the wire form of fields as JSON Schema 2020-12. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import type { Direction } from '../../../contract/field-shapes.js';
import { fieldTypes } from '../../../contract/field-types.js';
import type { Collection, Field } from '../../model/types.js';

/** Returns the schema of a non-null value. Elements of an array have none: each may be null, or an array of its own. */
export const valueSchema = (field: Field, direction: Direction): SchemaObject => {
  if (direction === 'read' && (field.conceal || field.hash)) return { type: 'string', pattern: '^\\*+$' };
  return field.element === null
    ? (fieldTypes[field.type].schema(field, direction) as SchemaObject)
    : { type: 'array', items: {} };
};

/** Returns the schema of a value, including null where the column is nullable. */
export const wireSchema = (field: Field, direction: Direction): SchemaObject => {
  const schema = valueSchema(field, direction);
  return field.nullable ? orNull(schema) : schema;
};

/** Adds null to a schema; one without a type allows it already. */
export const orNull = (schema: SchemaObject): SchemaObject =>
  schema.type === undefined
    ? schema
    : {
        ...schema,
        type: [schema.type, 'null' as const].flat(),
        ...(schema.enum !== undefined && { enum: [...schema.enum, null] }),
      };

/** Returns the schema of a key in a body: its value, or the values of a composite key joined by commas. */
export const keySchema = (collection: Collection, direction: Direction): SchemaObject => {
  const [only, ...more] = keyFields(collection);
  return only === undefined || more.length > 0 ? { type: 'string' } : valueSchema(only, direction);
};

/**
 * Returns the schema of a key in a path, where each part of a composite key is escaped separately: an array
 * in style `simple`.
 */
export const pathKeySchema = (collection: Collection): SchemaObject => {
  const parts = keyFields(collection).map((field) => valueSchema(field, 'read'));
  const [only, ...more] = parts;
  if (only === undefined || more.length === 0) return only ?? {};
  return { type: 'array', prefixItems: parts, items: {}, minItems: parts.length, maxItems: parts.length };
};

/** Returns the key fields, in the order of the key. */
const keyFields = ({ key, fields }: Collection): Field[] =>
  key.flatMap((name) => fields.find((field) => field.name === name) ?? []);
