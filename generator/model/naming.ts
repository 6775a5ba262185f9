/** Derives the identifiers of database names in TypeScript, GraphQL and file names. */
import { createHash } from 'node:crypto';
import type { NamesSpec } from '../spec/types.js';
import type { CollectionNames, QueueModelNames } from './types.js';

const reservedVariables: ReadonlySet<string> = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function globalThis if implements import in instanceof interface let new null package ' +
    'private protected public return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
);

/** Globals that a class of the same name would shadow. */
const reservedTypes: ReadonlySet<string> = new Set(
  (
    'Array ArrayBuffer BigInt Boolean Buffer Date Error Function Infinity Intl Iterator JSON Map Math NaN Number ' +
    'Object Omit Partial Pick Promise Proxy Readonly Record Reflect RegExp Required Set String Symbol WeakMap WeakSet'
  ).split(' '),
);

/** Files in output folders that are not collections. */
const reservedFiles: ReadonlySet<string> = new Set([
  'errors',
  'index',
  'operations',
  'queue-models',
  'readme',
  'routes',
]);

/** Built-in types, root types, and types that every schema contains. */
const reservedGraphql: ReadonlySet<string> = new Set(
  (
    'Boolean Float ID Int Mutation Query String Subscription BigInt Date Decimal GraphQLStringOrFloat Hash JSON Void ' +
    'big_int_filter_operators boolean_filter_operators date_filter_operators hash_filter_operators ' +
    'id_filter_operators json_filter_operators number_filter_operators string_filter_operators delete_one delete_many'
  ).split(' '),
);

/**
 * Derives the names of a collection.
 * @param chosen names from the spec: `typescript` sets type, variable and file; `graphql` sets its own
 */
export const collectionNames = (
  name: string,
  chosen: Pick<NamesSpec, 'typescript' | 'graphql'>,
): CollectionNames => {
  const words = splitWords(chosen.typescript ?? name);
  const type = chosen.typescript ?? avoid(toIdentifier(pascalCase(words)), reservedTypes);
  const variable = avoid(toIdentifier(camelCase(words)), reservedVariables);
  return {
    file: avoid(shorten(words.join('-').toLowerCase(), name), reservedFiles),
    type,
    // identical in scripts without letter case
    variable: variable === type ? `${variable}_` : variable,
    graphql: chosen.graphql ?? avoid(graphqlName(name), reservedGraphql),
  };
};

/**
 * Returns the name itself where GraphQL accepts it. Otherwise spaces, dots and hyphens become `_` and any
 * other character its code point, as in `_u1f600_`; a leading digit is prefixed with `_`, and a leading `__`
 * (reserved) becomes `_u5f__`.
 */
export const graphqlName = (name: string): string => {
  const spelled = Array.from(name, graphqlCharacter).join('') || '_';
  if (/^\d/.test(spelled)) return `_${spelled}`;
  return spelled.startsWith('__') ? `_u5f${spelled}` : spelled;
};

const graphqlCharacter = (character: string): string => {
  if (/[_0-9A-Za-z]/.test(character)) return character;
  return /[ .-]/.test(character) ? '_' : `_u${codeOf(character)}_`;
};

/** Derives the names of a queue model; ids contain lower-case letters, digits, `_`, `-` and `/`. */
export const queueModelNames = (id: string): QueueModelNames => {
  return { type: toIdentifier(pascalCase(splitWords(id))), file: id.replaceAll('/', '.') };
};

/** Returns the spec file of a table: `spec/collections/works.yaml`. */
export const specFileOf = (table: string): string => {
  if (/^[\w-]+$/.test(table)) return `spec/collections/${table}.yaml`;
  return `spec/collections/${collectionNames(table, {}).file}.yaml (with collection: ${JSON.stringify(table)})`;
};

/** Returns a name as a YAML value. */
export const yamlWord = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** Members that every object has; a relation of the same name would replace them on model instances. */
const objectMembers: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'toJSON',
]);

/**
 * Returns the property of an Objection model for a relation: its own name where that is free and an
 * identifier, otherwise camel case without `_id`, with `Row` or `Rows` appended where that is in `taken`.
 */
export const relationProperty = (
  name: string,
  { many, taken }: { many: boolean; taken: ReadonlySet<string> },
): string => {
  const isFree = !taken.has(name) && !objectMembers.has(name);
  if (isFree && /^\p{ID_Start}\p{ID_Continue}*$/u.test(name)) return name;
  const stem = name.replace(/(?<=.)(_id|Id|ID)$/, '');
  const plain = toIdentifier(camelCase(splitWords(stem)));
  const isTaken = (candidate: string): boolean => taken.has(candidate) || objectMembers.has(candidate);
  let property = isTaken(plain) ? `${plain}${many ? 'Rows' : 'Row'}` : plain;
  while (isTaken(property)) property += '_';
  return property;
};

/**
 * Splits `InvoiceLine`, `invoice_line` and `Invoice Line` into invoice, line. Keeps letters of every script.
 */
const splitWords = (name: string): string[] => {
  const words = Array.from(name.normalize('NFC'), separate)
    .join('')
    .replaceAll(/([\p{Ll}\p{Nd}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(' ')
    .filter((word) => word !== '');
  if (words.length > 0) return words;
  return name === '' ? ['unnamed'] : Array.from(name, (character) => `u${codeOf(character)}`);
};

/** Replaces ASCII punctuation by a separator, and other invalid characters by their code point. */
const separate = (character: string): string => {
  if (/[^_\P{ID_Continue}]/u.test(character)) return character;
  return (character.codePointAt(0) ?? 0) < 128 ? ' ' : ` u${codeOf(character)} `;
};

const codeOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);

const pascalCase = (words: readonly string[]): string => words.map(capitalize).join('');

const camelCase = ([first = '', ...rest]: readonly string[]): string =>
  first.toLowerCase() + pascalCase(rest);

const capitalize = (word: string): string => {
  const [first = '', ...rest] = word;
  return first.toUpperCase() + rest.join('').toLowerCase();
};

const toIdentifier = (text: string): string => (/^\p{ID_Start}/u.test(text) ? text : `_${text}`);

const avoid = (name: string, reserved: ReadonlySet<string>): string =>
  reserved.has(name) ? `${name}_` : name;

/** Maximum characters of a file stem: file systems limit names to 255 bytes. */
const maxStemLength = 80;

const shorten = (stem: string, name: string): string => {
  if (stem.length <= maxStemLength) return stem;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${stem.slice(0, maxStemLength).replace(/[\uD800-\uDBFF]$/, '')}-${hash}`;
};
