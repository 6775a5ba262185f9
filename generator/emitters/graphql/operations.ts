/** The spec's operations as fields of `/graphql/system`: arguments and result from the same JSON Schemas as in REST. */
import type { JsonSchema, Operation } from '../../model/types.js';
import type { ArgumentDefinition, Definition, FieldDefinition } from '../../print/graphql.js';
import { asSchema } from '../../print/schema-type.js';
import type { Context } from './context.js';

export interface OperationRoot {
  readonly kind: 'query' | 'mutation';
  readonly field: FieldDefinition;
  /** Types that only this operation needs. */
  readonly types: readonly Definition[];
}

export interface RootOptions {
  readonly context: Context;
  /** A type name that is free. */
  giveName(name: string): string;
  /** Names of enums by their titles: operations share them. */
  readonly enums: Map<string, string>;
}

export const operationRoot = (operation: Operation, options: RootOptions): OperationRoot | null => {
  if (operation.graphql === null) return null;
  const { query, mutation, own } = operation.graphql;
  const kind = mutation === undefined ? 'query' : 'mutation';
  const name = mutation ?? query ?? '';
  if (own !== undefined) return ownRoot(operation, { kind, name, own, context: options.context });
  const types: Definition[] = [];
  const shape = (schema: JsonSchema, direction: Direction, fallback: string): string =>
    shapeOf(schema, { ...options, direction, types, name: fallback });
  const result = resultOf(operation);
  const field: FieldDefinition = {
    name,
    note: operation.summary,
    arguments: argumentsOf(operation).map(({ name: key, schema, required, isBody }): ArgumentDefinition => {
      const spelledKey = key.replaceAll(/\W/g, '_');
      return {
        name: spelledKey,
        type: `${shape(schema, 'input', `${name}_${spelledKey}_input`)}${required ? '!' : ''}`,
        directives: { name: spelledKey === key ? null : key, in: isBody ? 'body' : null },
      };
    }),
    type: result.schema === null ? 'Boolean' : shape(result.schema, 'type', `${name}_result`),
    directives: { operation: operation.id, access: neededAccess(operation), open: result.open },
  };
  return { kind, field, types };
};

const neededAccess = ({ access }: Operation): string | null =>
  access === 'user' || access === 'admin' ? access : null;

interface OwnOptions {
  readonly kind: OperationRoot['kind'];
  readonly name: string;
  readonly own: string;
  readonly context: Context;
}

/** Like the fields of the collection itself, with the caller's own key. `null`: the table is not served. */
const ownRoot = (operation: Operation, { kind, name, own, context }: OwnOptions): OperationRoot | null => {
  const collection = context.collection(own);
  if (collection === undefined) return null;
  const { item, update } = context.typesOf(collection);
  const isList = resultOf(operation).schema?.type === 'array';
  const field: FieldDefinition = {
    name,
    note: operation.summary,
    ...(kind === 'mutation' && { arguments: [{ name: 'data', type: update }] }),
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

/** Parameters, then the properties of the body. */
const argumentsOf = ({ parameters, body }: Operation): readonly Argument[] => [
  ...parameters.map(({ name, schema, required }) => ({ name, schema, required, isBody: false })),
  ...propertiesOf(body ?? {}),
];

const propertiesOf = ({ properties, required }: JsonSchema): readonly Argument[] => {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(asSchema(properties)).map(([name, schema]) => ({
    name,
    schema: asSchema(schema),
    required: needed.has(name),
    isBody: true,
  }));
};

interface Result {
  /** `null`: nothing is said beside that it is done. */
  readonly schema: JsonSchema | null;
  /** The one member of the answer that is shown instead of the answer. */
  readonly open: string | null;
}

const resultOf = ({ responses }: Operation): Result => {
  const done = responses.find(({ status }) => status >= 200 && status < 300);
  if (done === undefined || done.contentType === null || done.schema === null)
    return { schema: null, open: null };
  const [only, ...more] = propertiesOf(done.schema);
  const isEnvelope = only?.name === 'data' && more.length === 0;
  return isEnvelope ? { schema: only.schema, open: only.name } : { schema: done.schema, open: null };
};

type Direction = 'type' | 'input';

interface ShapeOptions extends Pick<RootOptions, 'giveName' | 'enums'> {
  readonly direction: Direction;
  readonly types: Definition[];
  /** What an object is called that has no `title`. */
  readonly name: string;
}

const plain: ReadonlyMap<unknown, string> = new Map([
  ['string', 'String'],
  ['integer', 'Int'],
  ['number', 'Float'],
  ['boolean', 'Boolean'],
]);

/** What GraphQL cannot say is `JSON`. */
const shapeOf = (schema: JsonSchema, options: ShapeOptions): string => {
  const [type, ...more] = [schema.type].flat().filter((each) => each !== 'null');
  if (more.length > 0) return 'JSON';
  if (type === 'array')
    return `[${shapeOf(asSchema(schema.items), { ...options, name: `${options.name}_item` })}]`;
  if (type === 'object') return objectOf(schema, options);
  if (type === 'string' && isNamedEnum(schema)) return enumOf(schema, options);
  return type === 'integer' && schema.format === 'int64' ? 'BigInt' : (plain.get(type) ?? 'JSON');
};

type NamedEnum = JsonSchema & { readonly title: string; readonly enum: readonly string[] };

/** A set of texts is a type of its own where it has a name. */
const isNamedEnum = (schema: JsonSchema): schema is NamedEnum =>
  typeof schema.title === 'string' &&
  Array.isArray(schema.enum) &&
  schema.enum.every((value) => /^(?!__)[_A-Za-z]\w*$/.test(String(value)));

const enumOf = ({ title, enum: values }: NamedEnum, { giveName, enums, types }: ShapeOptions): string => {
  const present = enums.get(title);
  if (present !== undefined) return present;
  const name = giveName(title);
  enums.set(title, name);
  types.push({ kind: 'enum', name, fields: [], values });
  return name;
};

const objectOf = (schema: JsonSchema, options: ShapeOptions): string => {
  const properties = propertiesOf(schema);
  const isClosed = schema.additionalProperties === false;
  if (properties.length === 0 || !isClosed) return 'JSON';
  const { direction, giveName, types } = options;
  const name = giveName(typeof schema.title === 'string' ? schema.title : options.name);
  const fields = properties.map((property): FieldDefinition => ({
    name: property.name,
    type: `${shapeOf(property.schema, { ...options, name: `${name}_${property.name}` })}${property.required && !mayBeNull(property.schema) ? '!' : ''}`,
  }));
  types.push({ kind: direction, name, fields });
  return name;
};

/** What says no type takes anything. */
const mayBeNull = ({ type, enum: values }: JsonSchema): boolean =>
  type === undefined ? !Array.isArray(values) || values.includes(null) : [type].flat().includes('null');
