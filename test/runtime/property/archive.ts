/** The archive on one database: generated, bound to Objection, filled, and served by the real pipeline. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Model, ModelClass } from 'objection';
import { emit } from '../../../generator/emitters/index.js';
import { introspect } from '../../../generator/introspection/index.js';
import { buildModel } from '../../../generator/model/build.js';
import {
  createRegistry,
  type Collection,
  type CollectionDeclaration,
  type Registry,
  type ToMany,
  type ToOne,
} from '../../../contract/collection.js';
import type { Database } from '../../../runtime/databases/contract.js';
import { bindModels } from '../../../runtime/items/models.js';
import { packageRoot } from '../../../runtime/config/package.js';
import { catalogReader, createTestDatabase, type TestDialect } from '../../databases.js';
import { ownSpecWith, ownTables } from '../../generator/own-spec.js';
import { sqlFor } from '../harness/sql.js';
import { loadCollation, type Collation } from './collation.js';
import { makeRows, type Row, type Rows } from './rows.js';

/** Configuration of the archive: files of a spec. */
export const archiveFiles = {
  'collections/person.yaml': 'relations:\n  - { field: mentor, one_field: pupils }\n',
  'collections/letter.yaml': [
    'fields:',
    '  tags: { special: [cast-csv] }',
    '  secret: { special: [conceal] }',
    '  code: { special: [uuid] }',
    'relations:',
    '  - { field: author, one_field: letters }',
    '  - { field: recipient, one_field: received }',
    '  - { field: reply_to, one_field: replies, sort_field: pages }',
    '',
  ].join('\n'),
  'collections/topic.yaml':
    'meta: { sort_field: position }\nfields:\n  id: { special: [uuid] }\nrelations:\n  - { field: parent, one_field: children, sort_field: position }\n',
  'collections/pin.yaml': [
    'relations:',
    '  - { field: holder, one_field: pins }',
    '  - { field: item, one_collection_field: kind, one_allowed_collections: [letter, topic, place] }',
    '',
  ].join('\n'),
  'collections/letter_topic.yaml': [
    'relations:',
    '  - { field: letter, one_field: topics, junction_field: topic, sort_field: ranking }',
    '  - { field: topic, one_field: letters, junction_field: letter }',
    '',
  ].join('\n'),
};
const spec = ownSpecWith(archiveFiles);

export interface Archive {
  readonly dialect: TestDialect;
  readonly database: Database;
  readonly registry: Registry;
  /** Everything that is stored, as Objection reads it. */
  readonly rows: Rows;
  /** Inserted rows. */
  readonly made: Rows;
  readonly models: ReadonlyMap<string, ModelClass<Model>>;
  readonly collation: Collation;
  close(): Promise<void>;
}

const schemas = {
  sqlite: 'schema.sqlite.sql',
  mariadb: 'schema.mysql.sql',
  mysql: 'schema.mysql.sql',
  postgres: 'schema.postgres.sql',
};

export const readArchiveSchema = async (dialect: TestDialect): Promise<string> =>
  sqlFor(dialect, await readFile(join(import.meta.dirname, schemas[dialect]), 'utf8'));

export const openArchive = async (dialect: TestDialect): Promise<Archive> =>
  fillArchive(dialect, await createTestDatabase(dialect, { sql: await readArchiveSchema(dialect) }));

interface ArchivePlace {
  readonly database: Database;
  readonly url: string;
  drop(): Promise<void>;
}

/** Opens the archive on a database that has its tables, and inserts its rows. */
export const fillArchive = async (dialect: TestDialect, place: ArchivePlace): Promise<Archive> => {
  const declarations = await generateModules(place.database);
  const bound = await bindModels(declarations, { url: place.url });
  const models = new Map(declarations.map(({ name, model }) => [name, model as ModelClass<Model>]));
  const registry = createRegistry(declarations);
  const made = makeRows(dialect);
  for (const [name, rows] of made) await insertRows(models.get(name), rows);
  return {
    dialect,
    database: place.database,
    registry,
    rows: await readRows(models),
    made,
    models,
    collation: await loadCollation(place.database),
    async close() {
      await bound.close();
      await place.drop();
    },
  };
};

/** Generated modules with their models, imported from a folder that is gone afterwards. */
const generateModules = async (database: Database): Promise<readonly CollectionDeclaration[]> => {
  const catalog = await introspect(catalogReader(database), {});
  const own = new Set(ownTables.map(({ name }) => name));
  const tables = [...catalog.tables.filter(({ name }) => !own.has(name)), ...ownTables].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const { model } = buildModel({ catalog: { ...catalog, tables }, spec });
  const files = emit(model).filter(({ path }) => path.startsWith('server/'));
  const parent = join(packageRoot, '.cache');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'archive-'));
  try {
    for (const { path, content } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const { collections } = (await import(join(folder, 'server/index.ts'))) as {
      readonly collections: readonly CollectionDeclaration[];
    };
    return collections.filter(({ system }) => system !== true);
  } finally {
    await rm(folder, { recursive: true });
  }
};

const insertRows = async (model: ModelClass<Model> | undefined, rows: readonly Row[]): Promise<void> => {
  if (model === undefined) throw new Error('rows of a table that is not there');
  await model.transaction(async (transaction) => {
    for (const row of rows) await model.query(transaction).insert(row);
  });
};

const readRows = async (models: Archive['models']): Promise<Rows> => {
  const entries: [string, readonly Row[]][] = [];
  for (const [name, model] of models) {
    const rows = await model.query();
    entries.push([name, rows.map((row) => row.toJSON() as Row)]);
  }
  return new Map(entries);
};

/** Related rows found by Objection, in the order of `rows`. */
export const fetchLinked = async (
  { models, rows }: Archive,
  collection: Collection,
  { target, fields, references, kind }: ToOne | ToMany,
): Promise<readonly unknown[]> => {
  const model = models.get(collection.name) as ModelClass<Model>;
  const [own, other] = kind === 'manyToOne' ? [fields, references] : [references, fields];
  const found = Object.values(model.getRelations()).find(
    ({ relatedModelClass, ownerProp, relatedProp }) =>
      relatedModelClass.tableName === target &&
      isSame(ownerProp.cols, own) &&
      isSame(relatedProp.cols, other),
  );
  if (found === undefined) throw new Error(`${collection.name} has no mapping to ${target}`);
  const fetched = await model.query().withGraphFetched(found.name);
  const links = new Map(
    fetched.map((each) => each.toJSON() as Row).map((row) => [keyOf(row, collection), row[found.name]]),
  );
  return (rows.get(collection.name) ?? []).map((row) => links.get(keyOf(row, collection)));
};

const keyOf = (row: Row, { key }: Collection): string => JSON.stringify(key.map(({ name }) => row[name]));

const isSame = (left: readonly string[], right: readonly string[]): boolean => left.join() === right.join();
