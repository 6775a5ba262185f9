/** REST and GraphQL offer the same: what the two documents of each caller describe is compared, then what both answer. */
import { getNamedType, isObjectType, isUnionType, type GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleDialects } from '../../databases.js';
import { startMuseum } from '../recorded/museum.js';
import type { TestServer } from '../server-harness.js';
import {
  asSingleton,
  callers,
  capabilitiesOfGraphql,
  capabilitiesOfRest,
  fieldsOf,
  isFunctions,
  namesOf,
  optionsOf,
  propertiesOf,
  readOpenApi,
  readOperationFields,
  readOtherFields,
  readOwnFields,
  readSchema,
  singletons,
  type Node,
} from './capabilities.js';
import { ask } from './library.js';

/** Operations without a GraphQL field: logins at a provider, which redirect to pages, those of the schema, and files. */
const restOnly: ReadonlySet<string> = new Set([
  'authLoginCallback',
  'authLoginProvider',
  'authLoginRedirect',
  'schemaApplies',
  'schemaApply',
  'schemaApplyStatus',
  'schemaDiff',
  'schemaReload',
  'schemaSnapshot',
  'serverSdk',
  'utilsExport',
  'utilsImport',
]);

/** Models of the queue speak a protocol of their own. */
const wirePaths = /^\/(queue\/(?!limits$)|run\/)/;

const keyOf = (type: GraphQLObjectType) =>
  Object.values(type.getFields()).find((each) => getNamedType(each.type).name === 'ID');

/** The keys of what a many-to-any relation leads to. */
const targetsOf = (name: string, types: readonly GraphQLObjectType[]) => ({
  rest: types.map((type) => `${name}:${type.name}.${keyOf(type)?.name}`).join(','),
  graphql: `${name} { ${types.map((type) => `... on ${type.name} { ${keyOf(type)?.name} }`).join(' ')} }`,
});
/** `item__works` of an input is `item:works` in REST. */
const toRestName = (name: string): string => name.replace('__', ':');

/** Columns, and the key of what a relation leads to. */
const plainSelection = (
  type: GraphQLObjectType,
): readonly { readonly rest: string; readonly graphql: string }[] =>
  Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (isUnionType(inner)) return [targetsOf(field.name, inner.getTypes())];
    if (isFunctions(field.name)) return [];
    if (!isObjectType(inner)) return [{ rest: field.name, graphql: field.name }];
    const key = keyOf(inner);
    if (key === undefined) return [];
    return [{ rest: `${field.name}.${key.name}`, graphql: `${field.name} { ${key.name} }` }];
  });

/** Keys are texts in GraphQL. */
const sayKeys = (value: unknown, graphql: unknown): unknown => {
  if (Array.isArray(value) && Array.isArray(graphql))
    return value.map((each, index) => sayKeys(each, graphql[index]));
  if (typeof value === 'object' && value !== null && typeof graphql === 'object' && graphql !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, sayKeys(each, (graphql as Node)[key])]),
    );
  }
  return typeof value === 'number' && typeof graphql === 'string' ? String(value) : value;
};

/** REST and GraphQL in the same words: method, path, body; document; as whom. */
const refusals: readonly [string, string, [string, string, unknown?], string][] = [
  ['a missing item', 'admin', ['GET', '/items/works/777'], '{ works_by_id(id: 777) { id } }'],
  ['a key of a wrong form', 'admin', ['GET', '/items/works/one'], '{ works_by_id(id: "one") { id } }'],
  ['an unknown sort', 'admin', ['GET', '/items/works?sort=colour'], '{ works(sort: ["colour"]) { id } }'],
  ['a concealed sort', 'admin', ['GET', '/items/artists?sort=phone'], '{ artists(sort: ["phone"]) { id } }'],
  ['a forbidden sort', 'reader', ['GET', '/items/works?sort=price'], '{ works(sort: ["price"]) { id } }'],
  ['a negative limit', 'admin', ['GET', '/items/works?limit=-2'], '{ works(limit: -2) { id } }'],
  [
    'one bound of two',
    'admin',
    ['GET', '/items/works?filter[year][_between]=1'],
    '{ works(filter: { year: { _between: [1] } }) { id } }',
  ],
  [
    'a filter of a wrong type',
    'admin',
    ['GET', '/items/works?filter[year][_eq]=old'],
    '{ works(filter: { year: { _eq: "old" } }) { id } }',
  ],
  [
    'a list of nothing',
    'admin',
    ['GET', '/items/works?filter={"year":{"_in":[]}}'],
    '{ works(filter: { year: { _in: [] } }) { id } }',
  ],
  [
    'nothing to be kept out',
    'admin',
    ['GET', '/items/works?filter={"year":{"_nin":[]}}'],
    '{ works(filter: { year: { _nin: [] } }) { id } }',
  ],
  ['an unknown count', 'admin', ['GET', '/items/works?meta=rows'], '{ works(meta: ["rows"]) { id } }'],
  [
    'a used value',
    'admin',
    ['POST', '/items/themes', { name: 'Night' }],
    'mutation { create_themes_item(data: { name: "Night" }) { id } }',
  ],
  [
    'a rule of a field',
    'admin',
    ['POST', '/items/artists', { name: 'A', slug: 'No Slug' }],
    'mutation { create_artists_item(data: { name: "A", slug: "No Slug" }) { id } }',
  ],
  [
    'null where there must be a value',
    'admin',
    ['PATCH', '/items/works/1', { title: null }],
    'mutation { update_works_item(id: 1, data: { title: null }) { id } }',
  ],
  [
    'a date of a wrong form',
    'admin',
    ['PATCH', '/items/works/1', { acquired: 'soon' }],
    'mutation { update_works_item(id: 1, data: { acquired: "soon" }) { id } }',
  ],
  [
    'a key that leads nowhere',
    'admin',
    ['PATCH', '/items/works/1', { artist: 777 }],
    'mutation { update_works_item(id: 1, data: { artist: { id: 777 } }) { id } }',
  ],
  [
    'a rule of a permission',
    'editor',
    ['POST', '/items/works', { title: 'Old', year: 3 }],
    'mutation { create_works_item(data: { title: "Old", year: 3 }) { id } }',
  ],
  [
    'a row of somebody else',
    'editor',
    ['PATCH', '/items/works/3', { title: 'x' }],
    'mutation { update_works_item(id: 3, data: { title: "x" }) { id } }',
  ],
  [
    'several rows, one of them missing',
    'admin',
    ['DELETE', '/items/visits', { keys: [1, 777] }],
    'mutation { delete_visits_items(ids: [1, 777]) { ids } }',
  ],
];

describe.each(sampleDialects(import.meta.url))('on %s', (dialect) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startMuseum(dialect);
  });
  afterAll(() => server.close());

  describe.each(callers)('%s', (caller) => {
    it('has the operations of REST on the same collections', async () => {
      const described = await readOpenApi(server, caller);
      const items = await readSchema(server, 'items', caller);
      const system = await readSchema(server, 'system', caller);
      const graphql = [
        ...capabilitiesOfGraphql(items, '', new Set()),
        ...capabilitiesOfGraphql(system, 'svc_', await readOtherFields()),
      ];
      const rest = capabilitiesOfRest(described).flatMap(asSingleton);
      const byKey = new Set(singletons.flatMap((name) => [`item ${name}`, `delete ${name}`]));
      expect(graphql.filter((word) => !byKey.has(word)).sort()).toEqual(rest.sort());
    });

    it('has the same further operations', async () => {
      const known = await readOperationFields();
      const described = await readOpenApi(server, caller);
      const ids = Object.entries(described.paths).flatMap(([path, item]) =>
        item['x-svc-collection'] === undefined && !wirePaths.test(path)
          ? Object.values(item).map((operation) => String((operation as Node).operationId))
          : [],
      );
      const names = new Set(known.values());
      const fields = fieldsOf(await readSchema(server, 'system', caller)).filter((name) => names.has(name));
      const capabilities = new Set(capabilitiesOfRest(described));
      const unreachable = await readOwnFields((needed) => !capabilities.has(needed));
      const wanted = ids
        .filter((id) => !restOnly.has(id))
        .map((id) => known.get(id) ?? `nothing for ${id}`)
        .filter((name) => !unreachable.has(name));
      expect(wanted.toSorted()).toEqual(fields.toSorted());
    });

    it('has the same fields for reading and writing', async () => {
      const described = await readOpenApi(server, caller);
      const items = await readSchema(server, 'items', caller);
      const collections = Object.values(described.paths).flatMap((item) => item['x-svc-collection'] ?? []);
      for (const collection of new Set(collections.filter((name) => !name.startsWith('svc_')))) {
        expect([collection, namesOf(items, collection)]).toEqual([
          collection,
          propertiesOf(described, collection, 'read'),
        ]);
        for (const action of ['create', 'update']) {
          const wanted = propertiesOf(described, collection, action);
          const isKept = (name: string): boolean => action === 'create' || wanted.includes(name);
          // REST takes the changes of a list by the name of the list
          const found = namesOf(items, `${action}_${collection}_input`)
            .filter((name) => !name.endsWith('_changes'))
            .map(toRestName)
            .filter(isKept);
          // a key in a list of updates says which item is meant
          const missing = wanted.filter((name) => !found.includes(name) && !keys.has(name));
          expect([collection, action, missing]).toEqual([collection, action, []]);
          expect(found.filter((name) => !wanted.includes(name))).toEqual([]);
        }
      }
    });

    it('reads the same rows', async () => {
      const items = await readSchema(server, 'items', caller);
      for (const field of Object.values(items.getQueryType()?.getFields() ?? {})) {
        const type = getNamedType(field.type);
        if (!isObjectType(type) || /_(?:by_id|aggregated)$/.test(field.name)) continue;
        if (singletons.includes(field.name)) continue;
        const selection = plainSelection(type);
        const document = `{ ${field.name}(limit: -1, meta: ["*"]) { ${selection.map(({ graphql }) => graphql).join(' ')} } }`;
        const limit = caller === 'public' ? '' : '&limit=-1';
        const rest = await server.request(
          'GET',
          `/items/${field.name}?fields=${selection.map(({ rest: name }) => name).join()}&meta=*${limit}`,
          optionsOf(caller),
        );
        const found = await ask(server, document, { as: caller });
        expect([field.name, found.status, rest.status]).toEqual([field.name, 200, 200]);
        const rows = (found.data as Node)[field.name];
        expect(rows).toEqual(sayKeys(rest.data, rows));
        const { extensions } = found.body as { extensions: { meta: Node } };
        expect(extensions.meta[field.name]).toEqual((rest.body as Node).meta);
      }
    });
  });

  it.each(refusals)(
    '%s is rejected with the same error',
    async (_, caller, [method, path, body], document) => {
      const rest = await server.request(method, path, { as: caller, ...(body !== undefined && { body }) });
      const graphql = await ask(server, document, { as: caller });
      expect(graphql.status).toBe(200);
      expect(graphql.codes.length).toBeGreaterThan(0);
      // a list of keys is the argument `ids`
      const text = JSON.stringify(rest.errors).replaceAll('"pointer":"/keys/', '"pointer":"/ids/');
      expect(graphql.errors).toEqual(JSON.parse(text));
    },
  );

  it('a list accepts new items of callers who can create but not update', async () => {
    const { data } = await ask(
      server,
      'mutation { create_themes_item(data: { name: "Weather", children: [{ name: "Rain" }] }) { name children { name } } }',
      { as: 'editor' },
    );
    expect(data).toEqual({ create_themes_item: { name: 'Weather', children: [{ name: 'Rain' }] } });
  });

  it('rejects keys together with a query', async () => {
    const body = { keys: [1], query: {}, data: {} };
    const rest = await server.request('PATCH', '/items/works', { as: 'admin', body });
    const graphql = await ask(
      server,
      'mutation { update_works_items(ids: [1], filter: {}, data: {}) { id } }',
    );
    expect(graphql.codes).toEqual(rest.codes);
  });

  it.each(['filter: {}', 'filter: { _and: [] }', 'search: "a"', 'page: 1'])(
    'rejects a write by a query without a condition: %s',
    async (query) => {
      for (const field of [
        `update_works_items(${query}, data: {}) { id }`,
        `delete_works_items(${query}) { ids }`,
      ]) {
        expect((await ask(server, `mutation { ${field} }`)).codes).toEqual(['INVALID_PAYLOAD']);
      }
    },
  );
});

const keys = new Set(['id', 'code', 'inventory_no']);
