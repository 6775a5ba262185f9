/**
 * Derives unique stems of operation ids and component names: type names in the characters that OpenAPI
 * allows.
 */
import type { Collection, Model } from './types.js';

const schemaSuffixes = ['', 'Create', 'Update', 'Filter', 'Query', 'WriteQuery'];
const operationPrefixes = [
  'list',
  'search',
  'read',
  'create',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
  'import',
  'export',
];

/** Stem of component names and operation ids, by collection name. */
type Stems = ReadonlyMap<string, string>;

/** Components that every document contains. */
export const reservedComponents: ReadonlySet<string> = new Set(
  (
    'StringOperators KeyOperators IntegerOperators NumberOperators DateOperators BooleanOperators NullOperators JsonOperators PathOperators ' +
    'ConcealedOperators GlobalQuery NestedQuery QueryDeep QueryAlias QueryAggregate QueryHaving ListMeta WriteMeta QueueSubmission QueueStatus QueueEvent QueueCancellation ' +
    'QueueCancellationRefused QueueRequestNotFound QueueError'
  ).split(' '),
);

/** Returns the stem of each collection by name. Where two collide, the longer name is numbered. */
export const nameStems = ({ collections, operations, queueModels }: Model): Stems => {
  const modelComponents = queueModels.flatMap(({ names: { type } }) => [`${type}Input`, `${type}Output`]);
  const usedNames = new Set([...reservedComponents, ...modelComponents, ...operations.map(({ id }) => id)]);
  const shortFirst = collections.toSorted((a, b) => a.names.type.length - b.names.type.length);
  return new Map(
    shortFirst.map((collection) => [collection.name, claimStem(collection, usedNames)] as const),
  );
};

const claimStem = (collection: Collection, usedNames: Set<string>): string => {
  const preferred = toAscii(collection.names.type);
  let stem = preferred;
  for (let count = 2; namesOf(stem).some((name) => usedNames.has(name)); count += 1)
    stem = `${preferred}${count}`;
  for (const name of namesOf(stem)) usedNames.add(name);
  return stem;
};

const namesOf = (stem: string): string[] => [
  ...schemaSuffixes.map((suffix) => stem + suffix),
  ...operationPrefixes.map((prefix) => prefix + stem),
];

/** Component names are `[A-Za-z0-9._-]+` (OpenAPI 3.1, Components Object); others become their code point. */
const toAscii = (name: string): string =>
  name.replace(/[^A-Za-z0-9_]/gu, (letter) => `_x${letter.codePointAt(0)?.toString(16)}_`);
