/** Names of components and operations: the model's type names, in the letters OpenAPI allows, each used once. */
import type { Collection, Model } from '../../model/types.js';

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

/** Collection name to the stem that its components and operation ids are made of. */
type Stems = ReadonlyMap<string, string>;

/** `reserved`: component names that are taken already. Of two that collide the longer name yields. */
export const nameStems = (model: Model, reserved: Iterable<string>): Stems => {
  const taken = new Set([...reserved, ...model.operations.map((operation) => operation.id)]);
  const shortFirst = model.collections.toSorted((a, b) => a.names.type.length - b.names.type.length);
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
