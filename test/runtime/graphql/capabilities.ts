/** Lists what the OpenAPI document and the GraphQL schemas of a caller offer, in the same words. */
import { buildSchema, type GraphQLSchema } from 'graphql';
import { join } from 'node:path';
import { loadSpec } from '../../../generator/spec/load.js';
import { packageRoot } from '../../../runtime/config/package.js';
import type { TestServer } from '../server-harness.js';

export type Node = Readonly<Record<string, unknown>>;

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, Node>> & { readonly 'x-svc-collection'?: string }>
  >;
  readonly schemas: Readonly<
    Record<
      string,
      { readonly properties?: Node; readonly 'x-svc-collection'?: string; readonly 'x-svc-action'?: string }
    >
  >;
}

export const callers = ['admin', 'reader', 'editor', 'two', 'account', 'public'];

export const optionsOf = (caller: string) => (caller === 'public' ? {} : { as: caller });

export const readOpenApi = async (server: TestServer, caller: string): Promise<Described> => {
  const { body } = await server.request('GET', '/server/specs/oas', optionsOf(caller));
  const { paths, components } = body as never as {
    paths: Described['paths'];
    components: { schemas: Described['schemas'] };
  };
  return { paths, schemas: components.schemas };
};

export const readSchema = async (
  server: TestServer,
  scope: string,
  caller: string,
): Promise<GraphQLSchema> => {
  const { text } = await server.request('GET', `/server/specs/graphql/${scope}`, optionsOf(caller));
  return buildSchema(text);
};

/** Imports and exports are requests of the queue, which speaks a protocol of its own. */
const transferPaths = /\/(?:import|export)$/;

/** `create works`: what can be done with a collection. One write of many keys, by query or in batch is one capability. */
export const capabilitiesOfRest = ({ paths }: Described): readonly string[] =>
  Object.entries(paths)
    .flatMap(([path, item]) => {
      const collection = item['x-svc-collection'];
      if (collection === undefined || transferPaths.test(path)) return [];
      const isItem = path.endsWith('/{key}');
      return Object.keys(item).flatMap((method) =>
        (restWords.get(`${method}${isItem ? ' key' : ''}`) ?? []).map((word) => `${word} ${collection}`),
      );
    })
    .sort();

const restWords: ReadonlyMap<string, readonly string[]> = new Map([
  ['get', ['list', 'aggregate']],
  ['get key', ['item']],
  ['post', ['create', 'createMany', 'upsertMany']],
  ['patch', ['updateMany', 'updateBatch']],
  ['patch key', ['update']],
  ['delete', ['deleteMany']],
  ['delete key', ['delete']],
]);

const rootPatterns: readonly (readonly [RegExp, string])[] = [
  [/^create_(.+)_items$/, 'createMany'],
  [/^upsert_(.+)_items$/, 'upsertMany'],
  [/^create_(.+)_item$/, 'create'],
  [/^update_(.+)_items$/, 'updateMany'],
  [/^update_(.+)_batch$/, 'updateBatch'],
  [/^update_(.+)_item$/, 'update'],
  [/^delete_(.+)_items$/, 'deleteMany'],
  [/^delete_(.+)_item$/, 'delete'],
  [/^(.+)_by_id$/, 'item'],
  [/^(.+)_aggregated$/, 'aggregate'],
  [/^update_(.+)$/, 'updateSingleton'],
  [/^(.+)$/, 'list'],
];

export const capabilitiesOfGraphql = (
  schema: GraphQLSchema,
  prefix: string,
  others: ReadonlySet<string>,
): readonly string[] =>
  fieldsOf(schema)
    .filter((name) => !others.has(name) && name !== '_empty')
    .flatMap((name) => {
      const [pattern, word = ''] = rootPatterns.find(([each]) => each.test(name)) ?? [];
      return [`${word} ${prefix}${pattern?.exec(name)?.[1]}`];
    });

export const fieldsOf = (schema: GraphQLSchema): readonly string[] =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((type) => Object.keys(type?.getFields() ?? {}));

/** A singleton is one item: `GET` and `PATCH` of its path, and its key by the way. */
export const singletons = ['museum', 'svc_settings'];
export const asSingleton = (word: string): string[] => {
  const [action = '', collection = ''] = word.split(' ');
  if (!singletons.includes(collection)) return [word];
  if (action === 'updateMany') return [`updateSingleton ${collection}`];
  return action === 'list' ? [word] : [];
};

/** Operations by id, and their fields in the system schema. */
export const readOperationFields = async (): Promise<ReadonlyMap<string, string>> => {
  const { operations } = await loadSpec([join(packageRoot, 'spec')]);
  return new Map(
    operations.flatMap(({ id, graphql }) => {
      const name = graphql?.mutation ?? graphql?.query;
      return name === undefined ? [] : [[id, name] as const];
    }),
  );
};

/** Fields of the system that belong to no collection: operations, and those that submit to one model. */
export const readOtherFields = async (): Promise<ReadonlySet<string>> => {
  const { queueModels } = await loadSpec([join(packageRoot, 'spec')]);
  const submissions = queueModels.map(({ id }) => `requests_submit_${id.replaceAll(/\W/g, '_')}`);
  return new Set([...(await readOperationFields()).values(), ...submissions]);
};

/** Fields that give what is one's own of a collection: they need what `isMeant` is asked about, `list svc_users`. */
export const readOwnFields = async (isMeant: (needed: string) => boolean): Promise<ReadonlySet<string>> => {
  const { operations } = await loadSpec([join(packageRoot, 'spec')]);
  return new Set(
    operations.flatMap(({ graphql }) => {
      if (graphql?.own === undefined) return [];
      const { query, mutation, own } = graphql;
      const action = mutation === undefined ? 'list' : 'update';
      return isMeant(`${action} ${own}`) ? [mutation ?? query ?? ''] : [];
    }),
  );
};

export const propertiesOf = (
  { schemas }: Described,
  collection: string,
  action: string,
): readonly string[] => {
  const found = Object.values(schemas).find(
    (schema) =>
      schema['x-svc-collection'] === collection &&
      schema['x-svc-action'] === action &&
      !('x-svc-keep' in schema && action === 'read') &&
      schema.properties !== undefined,
  );
  return Object.keys(found?.properties ?? {}).sort();
};

export const namesOf = (schema: GraphQLSchema, name: string): readonly string[] => {
  const type = schema.getType(name);
  if (type === undefined || !('getFields' in type)) return [];
  return Object.keys(type.getFields())
    .filter((each) => !isFunctions(each))
    .sort();
};
/** Fields that call functions or aggregate lists, which REST names in `fields` and `deep`: see `aggregates.test.ts`. */
export const isFunctions = (name: string): boolean => /_(?:func|aggregated)$/.test(name);
