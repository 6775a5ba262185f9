import { describe, expect, it } from 'vitest';
import { emitOpenApi, openApiDocument } from '../../../generator/emitters/openapi/index.js';
import type { Model } from '../../../generator/model/types.js';
import { albums, collection, counter, kinds, model, named, oddNames } from '../models.js';

const methods = ['get', 'post', 'patch', 'delete', 'x-svc-search'];

/** Path to the methods it is served with. */
const served = (of: Model): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(openApiDocument(of).paths ?? {}).map(([path, item]) => [
      path,
      methods.filter((method) => method in item),
    ]),
  );

describe('the OpenAPI emitter', () => {
  it.each([
    ['albums', albums()],
    ['kinds', kinds()],
  ])('writes the document of %s', async (name, of) => {
    const [file] = emitOpenApi(of);
    expect(file?.path).toBe('openapi.json');
    await expect(file?.content).toMatchFileSnapshot(`expected/${name}.json`);
  });

  it('writes the same bytes every time', () => {
    expect(emitOpenApi(kinds())).toEqual(emitOpenApi(kinds()));
  });

  it('describes lists and items of a collection, and the operations of the spec', () => {
    expect(served(albums())).toEqual({
      '/items/Album': ['get', 'post', 'patch', 'delete', 'x-svc-search'],
      '/items/Album/{key}': ['get', 'patch', 'delete'],
      '/items/Album/import': ['post'],
      '/items/Album/export': ['post'],
      '/items/Artist': ['get', 'post', 'patch', 'delete', 'x-svc-search'],
      '/items/Artist/{key}': ['get', 'patch', 'delete'],
      '/items/Artist/import': ['post'],
      '/items/Artist/export': ['post'],
      '/users': ['get', 'post', 'patch', 'delete', 'x-svc-search'],
      '/users/{key}': ['get', 'patch', 'delete'],
      '/server/ping': ['get'],
    });
  });

  it('describes only lists for views and keyless tables, an object for singletons, and nothing without a path', () => {
    expect(served(kinds())).toEqual({
      '/items/everything': ['get', 'post', 'patch', 'delete', 'x-svc-search'],
      '/items/everything/{key}': ['get', 'patch', 'delete'],
      '/items/everything/import': ['post'],
      '/items/everything/export': ['post'],
      '/items/pairs': ['get', 'post', 'patch', 'delete', 'x-svc-search'],
      '/items/pairs/{key}': ['get', 'patch', 'delete'],
      '/items/pairs/import': ['post'],
      '/items/pairs/export': ['post'],
      '/items/settings': ['get', 'patch'],
      '/items/sums': ['get', 'x-svc-search'],
      '/items/sums/export': ['post'],
      '/items/log': ['get', 'x-svc-search'],
      '/items/log/export': ['post'],
      '/server/ping': ['get'],
    });
  });

  it('escapes names to one path segment', () => {
    const paths = Object.keys(served(named(oddNames)));
    expect(paths).toContain('/items/a%2Fb/{key}');
    expect(paths).toContain('/items/x%7By%7D%3F%23');
    expect(paths.every((path) => /^\/[^/]+\/[^/]+(\/(\{key\}|import|export))?$/.test(path))).toBe(true);
  });

  it('writes a composite key into a path as its parts, each escaped by itself', () => {
    const [parameter] = openApiDocument(kinds()).paths?.['/items/pairs/{key}']?.parameters ?? [];
    expect(parameter).toMatchObject({
      description: 'The values of `left`, `right`, joined by commas.',
      schema: {
        type: 'array',
        prefixItems: [{ type: 'integer' }, { type: 'string', maxLength: 10 }],
        minItems: 2,
        maxItems: 2,
      },
    });
  });

  it('gives every operation a unique id that is valid in a URL', () => {
    const items = Object.values(openApiDocument(named(oddNames)).paths ?? {}) as Record<
      string,
      { operationId: string }
    >[];
    const ids = items.flatMap((item) => methods.flatMap((method) => item[method]?.operationId ?? []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[A-Za-z0-9_]+$/.test(id))).toEqual([]);
  });

  it('renames the longer of two names with colliding components', () => {
    const names = Object.keys(openApiDocument(named([])).components?.schemas ?? {});
    expect(names).toEqual(expect.arrayContaining(['User', 'UserCreate', 'UserCreate2', 'UserCreate2Create']));
    expect(names).toEqual(expect.arrayContaining(['StringOperators2', 'ManyUser2']));
  });

  it('keeps columns named like members of Object', () => {
    const text = emitOpenApi(named(oddNames))[0]?.content ?? '';
    const schema = JSON.parse(text).components.schemas.Order as { properties: object };
    expect(Object.keys(schema.properties)).toEqual(['id', ...oddNames, 'valueOf']);
  });

  it('lists each possible status of an operation once', () => {
    const of = albums();
    const limit = { status: 429, message: 'Too many requests', family: 'server', details: {} };
    const errors = [...of.errors, { code: 'REQUESTS_EXCEEDED', ...limit }];
    const { paths } = openApiDocument({ ...of, errors });
    expect(Object.keys(paths?.['/items/Album']?.post?.responses ?? {})).toEqual([
      '200',
      '204',
      '400',
      '401',
      '403',
      '413',
      '415',
      '429',
      '431',
      '500',
      '503',
    ]);
    expect(Object.keys(paths?.['/items/Album/{key}']?.get?.responses ?? {})).toEqual([
      '200',
      '304',
      '400',
      '401',
      '403',
      '429',
      '431',
      '500',
      '503',
    ]);
    expect(Object.keys(paths?.['/server/ping']?.get?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '429',
      '431',
    ]);
  });

  it('requires a token for operations that are not public', () => {
    const of = albums();
    const operations = of.operations.map((operation) => ({ ...operation, access: 'admin' as const }));
    const ping = openApiDocument({ ...of, operations }).paths?.['/server/ping']?.get;
    expect(ping?.security).toEqual([{ bearer: [] }, { accessToken: [] }]);
    expect(openApiDocument(of).security).toEqual([{}, { bearer: [] }, { accessToken: [] }]);
  });

  it('has no unused component', () => {
    const text =
      emitOpenApi(model([collection('settings', [counter('id')], { singleton: true })]))[0]?.content ?? '';
    const { components } = JSON.parse(text);
    expect(Object.keys(components.parameters)).toEqual([
      'FieldsParameter',
      'DeepParameter',
      'AliasParameter',
      'TimezoneParameter',
      'ExportParameter',
      'DryRunParameter',
      'IfMatchParameter',
      'IfNoneMatchParameter',
    ]);
    expect(Object.keys(components.schemas)).toEqual([
      'Settings',
      'SettingsUpdate',
      'QueryDeep',
      'QueryAlias',
      'NestedQuery',
    ]);
  });

  it('escapes comments of the database', () => {
    const artist = openApiDocument(albums()).components?.schemas?.['Artist'];
    expect(artist).toMatchObject({ description: 'Who makes &lt;albums>' });
  });
});
