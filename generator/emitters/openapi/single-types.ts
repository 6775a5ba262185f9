/** Rewrites schemas with several types as a choice of schemas with one, which more generators of clients read. */

/** Keywords that apply to values of one type only, by that type. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  string: [
    'pattern',
    'minLength',
    'maxLength',
    'format',
    'contentEncoding',
    'contentMediaType',
    'contentSchema',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'patternProperties', 'additionalProperties', 'required', 'propertyNames'],
};

/** Keywords of numbers, which belong to each of their types. */
const numeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** Keys whose values are data and no schemas. */
const dataKeys = new Set(['default', 'enum', 'const', 'example', 'examples', 'required', 'tags']);

type Node = Readonly<Record<string, unknown>>;

/**
 * Returns a part of the document in which `type: [string, integer]` is `anyOf` a string and an integer, each with the
 * keywords of its type. A list of one type and `null` stays as it is. Parts without such a list are returned themselves.
 */
export const singleTypes = <Part>(part: Part): Part => rewrite(part) as Part;

const rewrite = (node: unknown): unknown => {
  if (Array.isArray(node)) {
    const entries = node.map(rewrite);
    return entries.every((entry, index) => entry === node[index]) ? node : entries;
  }
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(
    ([key, value]: [string, unknown]) =>
      [key, dataKeys.has(key) && !isSchema(value) ? value : rewrite(value)] as const,
  );
  const isSame = entries.every(([key, value]) => value === (node as Node)[key]);
  return split(isSame ? (node as Node) : Object.fromEntries(entries));
};

/** Returns whether the value of a key in `dataKeys` is the schema of a property with that name. */
const isSchema = (value: unknown): boolean => typeof value === 'object' && value !== null && 'type' in value;

const split = (schema: Node): Node => {
  const { type, ...rest } = schema;
  // a choice of its own, and keywords that look at several types, stay beside their types
  if (!isMixed(type) || 'anyOf' in schema || 'unevaluatedProperties' in schema) return schema;
  const moved = new Set(type.flatMap(keywordsOf));
  return {
    ...pick(rest, (key) => !moved.has(key)),
    anyOf: type.map((each) =>
      pick({ ...rest, type: each }, (key) => key === 'type' || keywordsOf(each).includes(key)),
    ),
  };
};

const pick = (schema: Node, isWanted: (key: string) => boolean): Node =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => isWanted(key)));

const keywordsOf = (type: string): readonly string[] =>
  type === 'integer' || type === 'number' ? numeric : (keywords[type] ?? []);

const isMixed = (type: unknown): type is readonly string[] =>
  Array.isArray(type) && type.filter((each) => each !== 'null').length > 1;
