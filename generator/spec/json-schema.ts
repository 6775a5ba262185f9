/** Reads JSON Schemas (2020-12) of objects: resolves references, and checks them before anything uses them. */
import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { FormatsPlugin } from 'ajv-formats';
import { parsePointer } from '../../contract/json-pointer.js';
import type { JsonSchema } from '../model/types.js';
import { checkPatterns, holdsData, holdsSchemasByName } from './expressions.js';
import { faultAt, suggest } from './faults.js';
import { entriesOf, type Read } from './read.js';
import { resolveReferences } from './references.js';
import type { SpecFault } from './types.js';
import { nodeToData, type Node } from './yaml.js';

/** Reads an object schema: inputs and outputs must be objects, so that errors can refer to fields. */
export const objectSchema: Read<JsonSchema> = (node, faults) => {
  const before = faults.length;
  const resolved = readObject(node, faults);
  if (resolved === null) return {};
  checkKeywords(resolved, faults);
  if (checkDialect(resolved, faults)) checkSchema(resolved, faults);
  if (faults.length === before) {
    checkRequired(resolved, faults);
    checkFormats(resolved, faults);
  }
  if (faults.length === before && compile(resolved, faults) !== null) checkValues(resolved, faults);
  return nodeToData(resolved) as JsonSchema;
};

/**
 * Reads an object schema of the package's own, which its tests check: every command reads it, and to load what checks
 * schemas takes a fifth of the time that a command takes.
 */
export const ownObjectSchema: Read<JsonSchema> = (node, faults) => {
  const resolved = readObject(node, faults);
  return resolved === null ? {} : (nodeToData(resolved) as JsonSchema);
};

/** Returns the schema without references, or null where it is no mapping. */
const readObject = (node: Node, faults: SpecFault[]): Node | null => {
  const type = entriesOf(node, faults).get('type')?.value;
  if (node.kind !== 'map') return null;
  if (type?.kind !== 'scalar' || type.value !== 'object') {
    faults.push(faultAt(node.position, 'the schema does not describe an object', 'write "type: object"'));
  }
  checkPatterns(node, faults);
  return resolveReferences(node, faults);
};

let ajv: Ajv2020 | null = null;

/** Loads the library when the first schema is checked. */
const loadAjv = (): Ajv2020 => {
  if (ajv !== null) return ajv;
  const load = createRequire(import.meta.url);
  const library = load('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
  const formats = load('ajv-formats') as { default: FormatsPlugin };
  ajv = new library.Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  return ajv;
};

/** Remedies for keywords that the library applies, and generated documents and types do not. */
const replacements: ReadonlyMap<string, string> = new Map([
  // of OpenAPI 3.0
  [
    'nullable',
    'write "null" as another type, as in type: [string, "null"], and as another value of an "enum"',
  ],
]);

/** Reports keywords that JSON Schema does not have; those that begin with `x-` are for others. */
const checkKeywords = (schema: Node, faults: SpecFault[]): void => {
  if (schema.kind === 'list') schema.items.forEach((item) => checkKeywords(item, faults));
  if (schema.kind !== 'map') return;
  const { keywords } = loadAjv().RULES;
  for (const [keyword, { position, value }] of schema.entries) {
    const replacement = replacements.get(keyword);
    if (replacement !== undefined || (!keyword.startsWith('x-') && !Object.hasOwn(keywords, keyword))) {
      const remedy =
        replacement ?? suggest(keyword, Object.keys(keywords), 'remove it, or begin it with "x-"');
      faults.push(faultAt(position, `JSON Schema has no keyword "${keyword}"`, remedy));
    } else if (holdsSchemasByName(keyword)) {
      if (value.kind === 'map') for (const each of value.entries.values()) checkKeywords(each.value, faults);
    } else if (!holdsData(keyword)) checkKeywords(value, faults);
  }
};

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Reports a `$schema` of another version, and returns whether there is none. */
const checkDialect = (schema: Node, faults: SpecFault[]): boolean => {
  const entry = schema.kind === 'map' ? schema.entries.get('$schema') : undefined;
  if (entry === undefined || (entry.value.kind === 'scalar' && entry.value.value === dialect)) return true;
  const remedy = 'remove it, or write the keywords of that version';
  faults.push(faultAt(entry.position, `"$schema" has to be "${dialect}"`, remedy));
  return false;
};

/** Reports values of keywords that JSON Schema does not allow, one for each place. */
const checkSchema = (schema: Node, faults: SpecFault[]): void => {
  const ajv = loadAjv();
  if (ajv.validateSchema(nodeToData(schema) as object) === true) return;
  const reported = new Set<string>();
  for (const error of ajv.errors ?? []) {
    if (reported.has(error.instancePath)) continue;
    reported.add(error.instancePath);
    const { position } = nodeAt(schema, error.instancePath);
    faults.push(faultAt(position, schemaErrorToText(error), remedyOf(error)));
  }
};

const types = ['array', 'boolean', 'integer', '"null"', 'number', 'object', 'string'];

const isTypeError = ({ instancePath }: ErrorObject): boolean => /\/type(\/\d+)?$/.test(instancePath);

const schemaErrorToText = (error: ErrorObject): string => {
  const keyword = error.instancePath.slice(error.instancePath.lastIndexOf('/') + 1);
  return isTypeError(error) ? 'not a type of JSON Schema' : `"${keyword}" ${error.message}`;
};

const remedyOf = (error: ErrorObject): string =>
  isTypeError(error) ? `expected ${types.join(', ')}` : 'see json-schema.org for what the keyword takes';

type MapNode = Extract<Node, { kind: 'map' }>;
type Entries = MapNode['entries'];

/** Visits a schema and the schemas inside it. */
const forEachSchema = (schema: Node, visit: (entries: Entries, node: MapNode) => void): void => {
  if (schema.kind === 'list') schema.items.forEach((item) => forEachSchema(item, visit));
  if (schema.kind !== 'map') return;
  visit(schema.entries, schema);
  for (const [keyword, { value }] of schema.entries) {
    if (holdsSchemasByName(keyword)) {
      if (value.kind === 'map') for (const each of value.entries.values()) forEachSchema(each.value, visit);
    } else if (!holdsData(keyword)) forEachSchema(value, visit);
  }
};

/** Reports required properties that an object with the properties of its schema alone cannot have: no value would fit. */
const checkRequired = (schema: Node, faults: SpecFault[]): void =>
  forEachSchema(schema, (entries) => checkRequiredOf(entries, faults));

const checkRequiredOf = (entries: Entries, faults: SpecFault[]): void => {
  const valueOf = (keyword: string): Node | undefined => entries.get(keyword)?.value;
  const [required, properties, others] = ['required', 'properties', 'additionalProperties'].map(valueOf);
  const isClosed = others?.kind === 'scalar' && others.value === false && !entries.has('patternProperties');
  if (isClosed && required?.kind === 'list') {
    const names = properties?.kind === 'map' ? [...properties.entries.keys()] : [];
    for (const item of required.items) {
      if (item.kind !== 'scalar' || names.includes(String(item.value))) continue;
      const message = `"${item.value}" is required, but not one of the properties`;
      faults.push(
        faultAt(item.position, message, suggest(String(item.value), names, 'describe it in "properties"')),
      );
    }
  }
};

/** Compiles the schema, or reports why it cannot be: keywords that are right alone can be wrong together. */
const compile = (schema: Node, faults: SpecFault[]): ValidateFunction | null => {
  const data = nodeToData(schema) as object;
  const ajv = loadAjv();
  try {
    return ajv.compile(data);
  } catch (error) {
    const message = `the schema cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    faults.push(faultAt(schema.position, message, 'correct it'));
    return null;
  } finally {
    // schemas are read again and again while a project changes
    ajv.removeSchema(data);
  }
};

/** Reports formats that are not checked, such as misspelled ones: every text would fit. */
const checkFormats = (schema: Node, faults: SpecFault[]): void =>
  forEachSchema(schema, (entries) => {
    const value = entries.get('format')?.value;
    if (value?.kind !== 'scalar') return;
    const format = String(value.value);
    const known = Object.keys(loadAjv().formats);
    if (known.includes(format)) return;
    const remedy = suggest(format, known, 'remove it, or write a "pattern"');
    faults.push(faultAt(value.position, `"${format}" is not a format that is checked`, remedy));
  });

/** Reports defaults and examples that do not fit their schema: what a caller copies would be refused. */
const checkValues = (schema: Node, faults: SpecFault[]): void =>
  forEachSchema(schema, (entries, node) => {
    const [given, examples] = [entries.get('default')?.value, entries.get('examples')?.value];
    const values: [string, Node][] = given === undefined ? [] : [['default', given]];
    if (examples?.kind === 'list') for (const item of examples.items) values.push(['example', item]);
    const validate = values.length === 0 ? null : compile(node, faults);
    for (const [name, value] of values) {
      if (validate === null || validate(nodeToData(value))) continue;
      const [error] = validate.errors ?? [];
      const place = error?.instancePath === '' ? '' : `${error?.instancePath.slice(1)} `;
      const message = `the ${name} does not fit: ${place}${error?.message}`;
      faults.push(faultAt(value.position, message, 'correct one of them'));
    }
  });

/** Returns the node at a JSON pointer, or the last one on the way to it. */
const nodeAt = (node: Node, pointer: string): Node => {
  let found = node;
  for (const name of parsePointer(pointer)) {
    const next: Node | undefined =
      found.kind === 'list'
        ? found.items[Number(name)]
        : found.kind === 'map'
          ? found.entries.get(name)?.value
          : undefined;
    if (next === undefined) break;
    found = next;
  }
  return found;
};
