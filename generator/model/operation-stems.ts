/** Stems of operation ids and component names: type names in the letters OpenAPI allows, each used once. */
import type { Collection, Model } from './types.js';

const schemaSuffixes = ['', 'Create', 'Update', 'Filter', 'Query'];
const operationPrefixes = [
  'list',
  'search',
  'read',
  'create',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
];

/** Stem of components and operation ids by collection name. */
type Stems = ReadonlyMap<string, string>;

/** Components that every document contains. */
export const reservedComponents: ReadonlySet<string> = new Set(
  (
    'StringOperators KeyOperators IntegerOperators NumberOperators DateOperators BooleanOperators NullOperators ' +
    'ConcealedOperators GlobalQuery NestedQuery ListMeta QueueSubmission QueueStatus QueueCancellation QueueError'
  ).split(' '),
);

/** Returns the stem of each collection by name. Of two that collide the longer name yields. */
export const nameStems = ({ collections, operations, queueModels }: Model): Stems => {
  const ofModels = queueModels.flatMap(({ names: { type } }) => [`${type}Input`, `${type}Output`]);
  const taken = new Set([...reservedComponents, ...ofModels, ...operations.map(({ id }) => id)]);
  const shortFirst = collections.toSorted((a, b) => a.names.type.length - b.names.type.length);
  return new Map(shortFirst.map((collection) => [collection.name, claimStem(collection, taken)] as const));
};

const claimStem = (collection: Collection, taken: Set<string>): string => {
  const wanted = toAscii(collection.names.type);
  let stem = wanted;
  for (let count = 2; namesOf(stem).some((name) => taken.has(name)); count += 1) stem = `${wanted}${count}`;
  for (const name of namesOf(stem)) taken.add(name);
  return stem;
};

const namesOf = (stem: string): string[] => [
  ...schemaSuffixes.map((suffix) => stem + suffix),
  ...operationPrefixes.map((prefix) => prefix + stem),
];

/** Component names are `[A-Za-z0-9._-]+` (OpenAPI 3.1, Components Object); others become their code point. */
const toAscii = (name: string): string =>
  name.replace(/[^A-Za-z0-9_]/gu, (letter) => `_x${letter.codePointAt(0)?.toString(16)}_`);
