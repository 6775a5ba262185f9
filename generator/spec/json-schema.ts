/** Reads JSON Schemas (2020-12) of objects: resolves references, and checks them before anything uses them. */
import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../model/types.js';
import { checkPatterns, holdsData, holdsSchemasByName } from './expressions.js';
import { faultAt, suggest } from './faults.js';
import { entriesOf, type Read } from './read.js';
import { resolveReferences } from './references.js';
import type { SpecFault } from './types.js';
import { nodeToData, type Node } from './yaml.js';

/** Reads an object schema: inputs and outputs must be objects, so that errors can refer to fields. */
export const objectSchema: Read<JsonSchema> = (node, faults) => {
  const resolved = readObject(node, faults);
  if (resolved === null) return {};
  const before = faults.length;
  checkKeywords(resolved, faults);
  checkSchema(resolved, faults);
  if (faults.length === before) checkExamples(resolved, faults);
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
  const library = createRequire(import.meta.url)('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 };
  ajv = new library.Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  return ajv;
};

/** Reports keywords that JSON Schema does not have; those that begin with `x-` are for others. */
const checkKeywords = (schema: Node, faults: SpecFault[]): void => {
  if (schema.kind === 'list') schema.items.forEach((item) => checkKeywords(item, faults));
  if (schema.kind !== 'map') return;
  const { keywords } = loadAjv().RULES;
  for (const [keyword, { position, value }] of schema.entries) {
    if (!keyword.startsWith('x-') && !Object.hasOwn(keywords, keyword)) {
      const remedy = suggest(keyword, Object.keys(keywords), 'remove it, or begin it with "x-"');
      faults.push(faultAt(position, `JSON Schema has no keyword "${keyword}"`, remedy));
    } else if (holdsSchemasByName(keyword)) {
      if (value.kind === 'map') for (const each of value.entries.values()) checkKeywords(each.value, faults);
    } else if (!holdsData(keyword)) checkKeywords(value, faults);
  }
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

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

const isTypeError = ({ instancePath }: ErrorObject): boolean => /\/type(\/\d+)?$/.test(instancePath);

const schemaErrorToText = (error: ErrorObject): string => {
  const keyword = error.instancePath.slice(error.instancePath.lastIndexOf('/') + 1);
  return isTypeError(error) ? 'not a type of JSON Schema' : `"${keyword}" ${error.message}`;
};

const remedyOf = (error: ErrorObject): string =>
  isTypeError(error) ? `expected ${types.join(', ')}` : 'see json-schema.org for what the keyword takes';

/** Reports examples that do not fit the schema. */
const checkExamples = (schema: Node, faults: SpecFault[]): void => {
  const examples = schema.kind === 'map' ? schema.entries.get('examples')?.value : undefined;
  if (examples?.kind !== 'list') return;
  const data = nodeToData(schema) as object;
  const ajv = loadAjv();
  const validate = ajv.compile(data);
  // schemas are read again and again while a project changes
  ajv.removeSchema(data);
  for (const example of examples.items) {
    if (validate(nodeToData(example))) continue;
    const [error] = validate.errors ?? [];
    const place = error?.instancePath === '' ? '' : `${error?.instancePath.slice(1)} `;
    faults.push(
      faultAt(example.position, `the example does not fit: ${place}${error?.message}`, 'correct one of them'),
    );
  }
};

/** Returns the node at a JSON pointer, or the last one on the way to it. */
const nodeAt = (node: Node, pointer: string): Node => {
  let found = node;
  for (const segment of pointer.split('/').slice(1)) {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
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
