/** Reads `spec/collections/<name>.yaml`. */
import { faultAt } from './faults.js';
import { filter } from './filter.js';
import { collectionMetaKeys, fieldMetaKeys, type MetaKind } from './meta-keys.js';
import {
  anything,
  entriesOf,
  flag,
  listOf,
  mapOf,
  nullable,
  oneOf,
  openRecord,
  optional,
  plainValue,
  record,
  required,
  text,
  textLike,
  wholeNumber,
  type Read,
} from './read.js';
import type { CollectionSpec, ColumnSpec, NamesSpec, RelationSpec, SpecFault } from './types.js';
import { positionIn, type Node } from './yaml.js';

const words: Read<readonly string[]> = listOf(text);

const readOfKind: Readonly<Record<MetaKind, Read<unknown>>> = {
  flag,
  text: nullable(text),
  number: nullable(wholeNumber),
  words: nullable(words),
  filter: nullable(filter),
  accountability: nullable(oneOf(['all', 'activity'])),
  data: anything,
};

const metaOf = (keys: ReadonlyMap<string, MetaKind>): Read<Readonly<Record<string, unknown>>> =>
  openRecord(new Map([...keys].map(([key, kind]) => [key, readOfKind[kind]])));

const collectionMeta = metaOf(collectionMetaKeys);
const fieldMeta = metaOf(fieldMetaKeys);

const column: Read<ColumnSpec> = (node, faults) => {
  const { nullable, ...read } = columnKeys(node, faults);
  return { ...read, nullable: nullable ?? read.key !== true };
};

const columnKeys = record<Omit<ColumnSpec, 'nullable'> & { nullable?: boolean }>({
  type: required(
    oneOf(['uuid', 'string', 'text', 'integer', 'bigInteger', 'boolean', 'json', 'csv', 'timestamp']),
  ),
  key: optional(flag),
  autoIncrement: optional(flag),
  length: optional(wholeNumber),
  nullable: optional(flag),
  default: optional(plainValue),
  unique: optional(flag),
  index: optional(flag),
  binary: optional(flag),
  references: optional(
    record<NonNullable<ColumnSpec['references']>>({
      table: required(text),
      column: required(text),
      onDelete: required(oneOf(['cascade', 'set null', 'restrict'])),
    }),
  ),
});

const relation = record<RelationSpec>({
  field: required(text),
  one_collection: optional<string | null>(nullable(text)),
  one_field: optional<string | null>(nullable(text)),
  one_collection_field: optional<string | null>(nullable(text)),
  one_allowed_collections: optional<readonly string[] | null>(nullable(words)),
  junction_field: optional<string | null>(nullable(text)),
  sort_field: optional<string | null>(nullable(text)),
  one_deselect_action: optional(oneOf(['nullify', 'delete'])),
});

const relations: Read<readonly RelationSpec[]> = (node, faults) => {
  const list = listOf(relation)(node, faults);
  for (const [index, { field }] of list.entries()) {
    if (field === '' || list.findIndex((other) => other.field === field) === index) continue;
    const position = node.kind === 'list' ? node.items[index]?.position : undefined;
    const message = `the relation of "${field}" is described twice`;
    faults.push(faultAt(position ?? node.position, message, 'write its keys in one entry'));
  }
  return list;
};

const typescriptName = textLike(
  /^\p{ID_Start}\p{ID_Continue}*$/u,
  'a name in TypeScript',
  'use letters and digits, as in "OrderLine"',
);
const graphqlName = textLike(
  /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/,
  'a name in GraphQL',
  'use letters, digits and _, not starting with a digit or __',
);

const names = record<NamesSpec>({
  typescript: optional(typescriptName),
  graphql: optional(graphqlName),
  fields: optional<NamesSpec['fields']>(
    mapOf(({ value }, _, faults) => graphqlName(value, faults)),
    new Map(),
  ),
});

type CollectionFile = Omit<CollectionSpec, 'source' | 'positionOf' | 'collection'> & { collection?: string };

const collectionFile = record<CollectionFile>({
  collection: optional(text),
  path: optional<string | null>(nullable(text), null),
  readonly: optional(flag, false),
  access: optional(flag, false),
  internal: optional(flag, false),
  columns: optional<CollectionSpec['columns']>(
    mapOf(({ value }, _, faults) => column(value, faults)),
    null,
  ),
  uniques: optional<CollectionSpec['uniques']>(listOf(words), []),
  indexes: optional<CollectionSpec['indexes']>(listOf(words), []),
  meta: optional(collectionMeta, {}),
  fields: optional<CollectionSpec['fields']>(
    mapOf(({ value }, _, faults) => fieldMeta(value, faults)),
    new Map(),
  ),
  relations: optional<CollectionSpec['relations']>(relations, []),
  names: optional<NamesSpec>(names, { fields: new Map() }),
});

/** Reads one merged file. The collection is that of its key `collection`, or of its file name. */
export const readCollection = (node: Node, source: string, faults: SpecFault[]): CollectionSpec => {
  const file = collectionFile(node, faults);
  if (file.internal) refuseCollectionKeys(node, faults);
  const positionOf = (...path: readonly string[]) => positionIn(node, path);
  return { ...file, collection: collectionOf(node, source), source, positionOf };
};

/** Keys of an internal table, which describe its columns and purpose. */
const internalKeys: ReadonlySet<string> = new Set([
  'internal',
  'collection',
  'columns',
  'uniques',
  'indexes',
  'meta',
]);

const refuseCollectionKeys = (node: Node, faults: SpecFault[]): void => {
  const entries = entriesOf(node, []);
  for (const [key, { position }] of entries) {
    if (internalKeys.has(key)) continue;
    faults.push(faultAt(position, `"${key}" is for collections`, `remove "${key}", or "internal"`));
  }
  if (entries.has('columns')) return;
  faults.push(faultAt(node.position, 'an internal table has no columns', 'declare its "columns"'));
};

/** Returns the table that a file describes: its key `collection`, or its file name. */
export const collectionOf = (node: Node, source: string): string => {
  const named = node.kind === 'map' ? node.entries.get('collection')?.value : undefined;
  const stem = source.replace(/^.*\//, '').replace(/\.yaml$/, '');
  return named?.kind === 'scalar' && typeof named.value === 'string' ? named.value : stem;
};

const ownKeys: ReadonlySet<string> = new Set([
  'path',
  'readonly',
  'access',
  'internal',
  'columns',
  'uniques',
  'indexes',
]);

/**
 * Rejects keys that only system tables have: a team's file describes existing tables and does not create
 * them.
 */
export const refuseOwnKeys = (node: Node, faults: SpecFault[]): void => {
  for (const [key, { position }] of entriesOf(node, [])) {
    if (!ownKeys.has(key)) continue;
    const message = `"${key}" is for the tables of svc itself`;
    const remedy =
      key === 'columns' ? 'change the table in the database; keep its meta here' : `remove "${key}"`;
    faults.push(faultAt(position, message, remedy));
  }
};
