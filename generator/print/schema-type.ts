/** Converts JSON Schema to TypeScript types; unsupported schemas become `unknown`. */
import { arrayType, layout, objectType, pair, union, type Code } from './code.js';
import { docComment, str, typeKey, type CodeBlockWriter } from './typescript.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the name of a schema in generated code, or undefined. */
export type NameOf = (schema: JsonSchema) => string | undefined;

/** Names schemas by content: equal schemas share a type. */
export const nameSchemas = (
  named: readonly { readonly name: string; readonly schema: JsonSchema }[],
): NameOf => {
  const names = new Map(named.map(({ name, schema }) => [JSON.stringify(schema), name]));
  return (schema) => names.get(JSON.stringify(schema));
};

const unnamed: NameOf = () => undefined;

/** Returns the type of a schema: its name where it has one, otherwise the inline type. */
export const schemaToType = (schema: JsonSchema, nameOf: NameOf = unnamed): Code =>
  nameOf(schema) ?? inlineType(schema, nameOf);

/** Returns the inline type of a schema, in which other schemas may be named. */
export const inlineType = (schema: JsonSchema, nameOf: NameOf): Code => {
  if ('const' in schema) return printLiteral(schema.const);
  if (Array.isArray(schema.enum)) return distinctUnion(schema.enum.map(printLiteral));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives))
    return distinctUnion(alternatives.map((entry) => schemaToType(asSchema(entry), nameOf)));
  const types = [schema.type].flat();
  return distinctUnion(types.map((type) => typeOf(type, schema, nameOf)));
};

export interface TypedModel {
  readonly title: string;
  readonly names: { readonly type: string };
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

/** Prints the input and output types of a model. */
export const writeModelTypes = (
  writer: CodeBlockWriter,
  { title, names, input, output }: TypedModel,
): void => {
  writer.blankLine().writeLine(docComment(`What \`${title}\` takes.`));
  writeType(writer, `${names.type}Input`, input);
  writer.blankLine().writeLine(docComment(`What \`${title}\` gives.`));
  writeType(writer, `${names.type}Output`, output);
};

const writeType = (writer: CodeBlockWriter, name: string, schema: JsonSchema): void => {
  writer.writeLine(`${layout(pair(`export type ${name} =`, schemaToType(schema)), { tail: 1 })};`);
};

/** Returns a member of an object type. */
export const member = (name: string, type: Code, required: boolean): Code =>
  pair(`${typeKey(name)}${required ? '' : '?'}:`, type);

const typeOf = (type: unknown, schema: JsonSchema, nameOf: NameOf): Code => {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return arrayType(schemaToType(asSchema(schema.items), nameOf));
    case 'object':
      return objectOf(schema, nameOf);
    default:
      return 'unknown';
  }
};

const objectOf = (schema: JsonSchema, nameOf: NameOf): Code => {
  const properties = new Map(Object.entries(asSchema(schema.properties)));
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  for (const name of required) if (!properties.has(name)) properties.set(name, {});
  const members = [...properties].map(([name, property]) =>
    member(name, schemaToType(asSchema(property), nameOf), required.has(name)),
  );
  const rest = restOf(schema, properties.size === 0, nameOf);
  return objectType(rest === null ? members : [...members, pair('[name: string]:', rest)]);
};

/** Returns the type of additional properties, or null if there are none. */
const restOf = ({ additionalProperties }: JsonSchema, alone: boolean, nameOf: NameOf): Code | null => {
  if (additionalProperties === false || (additionalProperties === undefined && !alone)) return null;
  return alone && typeof additionalProperties === 'object'
    ? schemaToType(asSchema(additionalProperties), nameOf)
    : 'unknown';
};

const printLiteral = (value: unknown): Code => {
  if (typeof value === 'string') return str(value);
  return typeof value === 'object' && value !== null ? 'unknown' : String(value);
};

/** Returns the union of types without duplicates; `unknown` absorbs the others. */
const distinctUnion = (types: readonly Code[]): Code => {
  const distinct = new Map(types.map((type) => [JSON.stringify(type), type]));
  return distinct.has('"unknown"') ? 'unknown' : union([...distinct.values()]);
};

/** Returns a part of a schema as a schema; values other than objects become the empty schema. */
export const asSchema = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {};
