/**
 * Defines the spec's operations as fields of `/graphql/system`; arguments and results come from the same JSON
 * Schemas as in REST.
 */
import type { JsonSchema, Operation } from '../../model/types.js';
import type { ArgumentDefinition, Definition, FieldDefinition } from '../../print/graphql.js';
import { asSchema } from '../../print/schema-type.js';
import type { Context } from './context.js';
import { dryRun } from './roots.js';

export interface OperationRoot {
  readonly kind: 'query' | 'mutation';
  readonly field: FieldDefinition;
  /** Types that only this operation uses. */
  readonly types: readonly Definition[];
}

export interface RootOptions {
  readonly context: Context;
  /** Returns a unique type name. */
  allocateName(name: string): string;
  /** Names of enums by title; operations share them. */
  readonly enums: Map<string, string>;
}

/**
 * Returns the field of an operation with the types that it needs; null where the spec has no `graphql` for
 * it.
 */
export const operationRoot = (operation: Operation, options: RootOptions): OperationRoot | null => {
  if (operation.graphql === null) return null;
  const { query, mutation, own } = operation.graphql;
  const kind = mutation === undefined ? 'query' : 'mutation';
  const name = mutation ?? query ?? '';
  if (own !== undefined) return ownRoot(operation, { kind, name, own, context: options.context });
  const types: Definition[] = [];
  const schemaType = (schema: JsonSchema, direction: Direction, fallback: string): string =>
    typeOfSchema(schema, { ...options, direction, types, name: fallback });
  const result = resultOf(operation);
  const field: FieldDefinition = {
    name,
    note: operation.summary,
    arguments: argumentsOf(operation).map(({ name: key, schema, required, isBody }): ArgumentDefinition => {
      const argumentName = key.replaceAll(/\W/g, '_');
      return {
        name: argumentName,
        type: `${schemaType(schema, 'input', `${name}_${argumentName}_input`)}${required ? '!' : ''}`,
        directives: { name: argumentName === key ? null : key, in: isBody ? 'body' : null },
      };
    }),
    type: result.schema === null ? 'Boolean' : schemaType(result.schema, 'type', `${name}_result`),
    directives: { operation: operation.id, access: neededAccess(operation), open: result.open },
  };
  return { kind, field, types };
};

const neededAccess = ({ access }: Operation): string | null =>
  access === 'open' || access === 'public' ? null : access;

interface OwnOptions {
  readonly kind: OperationRoot['kind'];
  readonly name: string;
  readonly own: string;
  readonly context: Context;
}

/**
 * Defines a field on the caller's own items, with their key taken from the session; null where the table is
 * not served.
 */
const ownRoot = (operation: Operation, { kind, name, own, context }: OwnOptions): OperationRoot | null => {
  const collection = context.collection(own);
  if (collection === undefined) return null;
  const { item, update } = context.typesOf(collection);
  const isList = resultOf(operation).schema?.type === 'array';
  const field: FieldDefinition = {
    name,
    note: operation.summary,
    ...(kind === 'mutation' && { arguments: [{ name: 'data', type: update }, dryRun] }),
    type: isList ? `[${item}!]!` : item,
    directives: {
      collection: own,
      action: kind === 'mutation' ? 'updateOwn' : isList ? 'ownList' : 'own',
      access: neededAccess(operation),
    },
  };
  return { kind, field, types: [] };
};

interface Argument {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly isBody: boolean;
}

/** Returns the arguments of an operation: its parameters, then the properties of the body. */
const argumentsOf = ({ parameters, body }: Operation): readonly Argument[] => [
  ...parameters.map(({ name, schema, required }) => ({ name, schema, required, isBody: false })),
  ...propertiesOf(body ?? {}),
];

const propertiesOf = ({ properties, required }: JsonSchema): readonly Argument[] => {
  const requiredNames = new Set(Array.isArray(required) ? required : []);
  return Object.entries(asSchema(properties)).map(([name, schema]) => ({
    name,
    schema: asSchema(schema),
    required: requiredNames.has(name),
    isBody: true,
  }));
};

interface Result {
  /** Schema of the result; `null` where the operation only reports success. */
  readonly schema: JsonSchema | null;
  /** The member of the response that becomes the result; `null` for the whole response. */
  readonly open: string | null;
}

const resultOf = ({ responses }: Operation): Result => {
  const success = responses.find(({ status }) => status >= 200 && status < 300);
  if (success === undefined || success.contentType === null || success.schema === null)
    return { schema: null, open: null };
  const [only, ...more] = propertiesOf(success.schema);
  const isEnvelope = only?.name === 'data' && more.length === 0;
  return isEnvelope ? { schema: only.schema, open: only.name } : { schema: success.schema, open: null };
};

type Direction = 'type' | 'input';

interface ShapeOptions extends Pick<RootOptions, 'allocateName' | 'enums'> {
  readonly direction: Direction;
  readonly types: Definition[];
  /** Name of an object without `title`. */
  readonly name: string;
  /** Integers without bounds may be larger than those of GraphQL, which have 32 bits. */
  readonly hasWideIntegers?: boolean;
}

const scalarTypes: ReadonlyMap<unknown, string> = new Map([
  ['string', 'String'],
  ['integer', 'Int'],
  ['number', 'Float'],
  ['boolean', 'Boolean'],
]);

/** Returns the GraphQL type of a schema, or `JSON` where GraphQL cannot express it. */
export const typeOfSchema = (schema: JsonSchema, options: ShapeOptions): string => {
  const [type, ...more] = [schema.type].flat().filter((each) => each !== 'null');
  if (more.length > 0) return isKey([type, ...more]) ? 'ID' : 'JSON';
  if (type === 'array')
    return `[${typeOfSchema(asSchema(schema.items), { ...options, name: `${options.name}_item` })}]`;
  if (type === 'object') return objectOf(schema, options);
  if (type === 'string' && isNamedEnum(schema)) return enumOf(schema, options);
  if (type === 'integer' && options.hasWideIntegers === true && !fitsInt(schema)) return 'Float';
  return type === 'integer' && schema.format === 'int64' ? 'BigInt' : (scalarTypes.get(type) ?? 'JSON');
};

/** Returns whether a value of these types is a key: GraphQL takes texts and integers as `ID`. */
const isKey = (types: readonly unknown[]): boolean =>
  types.length === 2 && types.includes('string') && types.includes('integer');

/** Returns whether the bounds of an integer are within 32 bits. */
const fitsInt = ({ minimum, maximum }: JsonSchema): boolean =>
  Number(minimum ?? Number.NaN) >= -(2 ** 31) && Number(maximum ?? Number.NaN) < 2 ** 31;

type NamedEnum = JsonSchema & { readonly title: string; readonly enum: readonly string[] };

/** Returns whether a schema is an enum of strings that has a title. */
const isNamedEnum = (schema: JsonSchema): schema is NamedEnum =>
  typeof schema.title === 'string' &&
  Array.isArray(schema.enum) &&
  schema.enum.every((value) => /^(?!__)[_A-Za-z]\w*$/.test(String(value)));

const enumOf = ({ title, enum: values }: NamedEnum, { allocateName, enums, types }: ShapeOptions): string => {
  const known = enums.get(title);
  if (known !== undefined) return known;
  const name = allocateName(title);
  enums.set(title, name);
  types.push({ kind: 'enum', name, fields: [], values });
  return name;
};

const objectOf = (schema: JsonSchema, options: ShapeOptions): string => {
  const properties = propertiesOf(schema);
  const isClosed = schema.additionalProperties === false;
  if (properties.length === 0 || !isClosed || !properties.every(hasGraphqlName)) return 'JSON';
  const { direction, allocateName, types } = options;
  const name = allocateName(typeof schema.title === 'string' ? schema.title : options.name);
  const fields = properties.map((property): FieldDefinition => ({
    name: property.name,
    type: `${typeOfSchema(property.schema, { ...options, name: `${name}_${property.name}` })}${property.required && !mayBeNull(property.schema) ? '!' : ''}`,
  }));
  types.push({ kind: direction, name, fields });
  return name;
};

const hasGraphqlName = ({ name }: Argument): boolean => /^(?!__)[_A-Za-z]\w*$/.test(name);

/** Returns whether a schema accepts null, as one without a type does. */
const mayBeNull = ({ type, enum: values }: JsonSchema): boolean =>
  type === undefined ? !Array.isArray(values) || values.includes(null) : [type].flat().includes('null');
