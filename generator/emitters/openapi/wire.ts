/** What a field looks like on the wire, as JSON Schema 2020-12. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import type { Collection, Field, FieldType } from '../../model/types.js';

/** What the server sends, or what it takes. */
type Direction = 'read' | 'write';

type Wire = (field: Field, direction: Direction) => SchemaObject;

const lengthOf = (field: Field): SchemaObject => (field.length === null ? {} : { maxLength: field.length });

const text: Wire = (field) => ({ type: 'string', ...lengthOf(field), ...enumOf(field) });

const enumOf = (field: Field): SchemaObject => (field.values === null ? {} : { enum: [...field.values] });

/** JSON keeps no more than 53 bits and a sign. */
const integer: Wire = (field) => {
  const bits = field.bits ?? 32;
  return field.unsigned
    ? { type: 'integer', minimum: 0, maximum: Math.min(2 ** bits - 1, Number.MAX_SAFE_INTEGER) }
    : {
        type: 'integer',
        minimum: Math.max(-(2 ** (bits - 1)), Number.MIN_SAFE_INTEGER),
        maximum: 2 ** (bits - 1) - 1,
      };
};

/** 64 bits do not fit a JSON number: digits in a string. Small numbers are taken as such too. */
const bigInteger: Wire = (field, direction) => ({
  type: direction === 'read' ? 'string' : ['string', 'integer'],
  pattern: field.unsigned ? '^[0-9]{1,20}$' : '^-?[0-9]{1,19}$',
});

/** Exact in a string. More digits after the point than the column has are rounded by the database. */
const decimal: Wire = ({ precision, scale }, direction) => {
  if (direction === 'read') return { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$' };
  const digits = precision === null ? null : precision - (scale ?? 0);
  const whole = digits === null ? '[0-9]+' : digits === 0 ? '0' : `[0-9]{1,${digits}}`;
  return { type: ['string', 'number'], pattern: `^-?${whole}(\\.[0-9]+)?$` };
};

const day = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const clock = '[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?';
/** Some databases keep spans of time in the same type. */
const span = `-?[0-9]?${clock}`;

const wires: Readonly<Record<FieldType, Wire>> = {
  string: text,
  text,
  unknown: text,
  integer,
  bigInteger,
  decimal,
  float: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  date: () => ({ type: 'string', format: 'date' }),
  time: (_, direction) => ({ type: 'string', pattern: `^${direction === 'read' ? span : clock}$` }),
  dateTime: () => ({ type: 'string', pattern: `^${day}T${clock}$` }),
  timestamp: (_, direction) => ({
    type: 'string',
    format: 'date-time',
    ...(direction === 'read' && { pattern: `^${day}T${clock}Z$` }),
  }),
  uuid: () => ({ type: 'string', format: 'uuid' }),
  json: () => ({}),
  csv: () => ({ type: 'array', items: { type: 'string', pattern: '^[^,]*$' } }),
  binary: ({ length }) => ({
    type: 'string',
    contentEncoding: 'base64',
    ...(length !== null && { maxLength: 4 * Math.ceil(length / 3) }),
  }),
};

/** The value of a field that is there. */
export const valueSchema = (field: Field, direction: Direction): SchemaObject =>
  direction === 'read' && (field.conceal || field.hash)
    ? { type: 'string', pattern: '^\\*+$' }
    : wires[field.type](field, direction);

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
