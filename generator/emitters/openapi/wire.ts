/** What a field looks like on the wire, as JSON Schema 2020-12. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import type { Direction } from '../../../contract/field-shapes.js';
import { fieldTypes } from '../../../contract/field-types.js';
import type { Collection, Field } from '../../model/types.js';

/** The value of a field that is there. */
export const valueSchema = (field: Field, direction: Direction): SchemaObject =>
  direction === 'read' && (field.conceal || field.hash)
    ? { type: 'string', pattern: '^\\*+$' }
    : (fieldTypes[field.type].schema(field, direction) as SchemaObject);

/** The same, or null where the column may hold it. */
export const wireSchema = (field: Field, direction: Direction): SchemaObject => {
  const schema = valueSchema(field, direction);
  return field.nullable ? orNull(schema) : schema;
};

/** Without a type anything is allowed, null too. */
export const orNull = (schema: SchemaObject): SchemaObject =>
  schema.type === undefined
    ? schema
    : {
        ...schema,
        type: [schema.type, 'null' as const].flat(),
        ...(schema.enum !== undefined && { enum: [...schema.enum, null] }),
      };

/** What names one row in a body: the value of the key, or the values of a composite key joined by commas. */
export const keySchema = (collection: Collection, direction: Direction): SchemaObject => {
  const [only, ...more] = keyFields(collection);
  return only === undefined || more.length > 0 ? { type: 'string' } : valueSchema(only, direction);
};

/** The same in a path, where every part of a composite key is escaped by itself: style `simple` of an array. */
export const pathKeySchema = (collection: Collection): SchemaObject => {
  const parts = keyFields(collection).map((field) => valueSchema(field, 'read'));
  const [only, ...more] = parts;
  if (only === undefined || more.length === 0) return only ?? {};
  return { type: 'array', prefixItems: parts, items: {}, minItems: parts.length, maxItems: parts.length };
};

/** In the order of the key. */
const keyFields = ({ key, fields }: Collection): Field[] =>
  key.flatMap((name) => fields.find((field) => field.name === name) ?? []);
