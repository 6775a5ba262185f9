import { validate } from '@readme/openapi-parser';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { describe, expect, it } from 'vitest';
import { emitOpenApi } from '../../generator/emitters/openapi/index.js';
import type { Model, Operation } from '../../generator/model/types.js';
import { createPolicyIndex, type AccessRows } from '../../runtime/access/policies.js';
import { createRegistry, defineCollection, manyToOne } from '../../contract/collection.js';
import { integer, string } from '../../contract/fields.js';
import { visibilityOf, type Visibility } from '../../runtime/access/visibility.js';
import { restrictOpenApi } from '../../runtime/operations/openapi-view.js';
import { albums, collection, counter, field, kinds, model, named, oddNames } from '../generator/models.js';

type Permitted = Readonly<Record<string, readonly string[] | '*'>>;

/** `{ 'read Album': ['Title'] }` */
const callerWith = (permitted: Permitted, level: Visibility['level'] = 'user'): Visibility => ({
  level,
  visibleNames(collection, action) {
    const fields = permitted[`${action} ${collection}`];
    return fields === undefined ? null : fields === '*' ? '*' : new Set(fields);
  },
  conditionalNames: () => new Set(),
  presetNames: () => new Set(),
});

const documentOf = (model: Model): OpenAPIObject => JSON.parse(emitOpenApi(model)[0]?.content ?? '');

interface Narrowed {
  readonly document: OpenAPIObject;
  readonly text: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly schemas: Readonly<
    Record<string, { properties: Record<string, object>; required?: string[]; examples?: object[] }>
  >;
}

const narrow = (model: Model, visible: Visibility): Narrowed => {
  const document = restrictOpenApi(documentOf(model), visible);
  const { paths, components } = document as never as {
    paths: Narrowed['paths'];
    components: { schemas: Narrowed['schemas'] };
  };
  return { document, text: JSON.stringify(document), paths, schemas: components.schemas };
};

const propertiesOf = ({ schemas }: Narrowed, name: string) => Object.keys(schemas[name]?.properties ?? {});

describe('the document of a caller', () => {
  it('has permitted methods, and paths with at least one', () => {
    const { paths } = narrow(albums(), callerWith({ 'read Album': '*', 'delete Artist': '*' }));
    const methods = Object.entries(paths).map(([path, item]) => [
      path,
      Object.keys(item).filter((key) => !['parameters', 'x-svc-collection', 'x-svc-action'].includes(key)),
    ]);
    expect(Object.fromEntries(methods)).toEqual({
      '/items/Album': ['x-svc-search', 'get'],
      '/items/Album/{key}': ['get'],
      '/items/Album/export': ['post'],
      '/items/Artist': ['delete'],
      '/items/Artist/{key}': ['delete'],
      '/server/ping': ['get'],
    });
  });

  it('does not contain a collection without permissions', () => {
    const { text, document } = narrow(albums(), callerWith({ 'read Album': '*', 'create Album': '*' }));
    expect(text).not.toMatch(/Artist"|ArtistFilter|\/Artist|svc_users|SvcUsers/);
    expect(document.tags?.map((tag) => tag.name)).toEqual(['Album', 'Server']);
  });

  it('shows permitted fields only: in rows, examples, payloads and filters', () => {
    const narrowed = narrow(
      albums(),
      callerWith({
        'read Album': ['Title', 'ArtistId'],
        'create Album': ['Title'],
        'update Album': ['Price'],
      }),
    );
    expect(propertiesOf(narrowed, 'Album')).toEqual(['Title', 'ArtistId']);
    expect(narrowed.schemas['Album']?.examples).toEqual([{ Title: 'example', ArtistId: 1 }]);
    expect(propertiesOf(narrowed, 'AlbumFilter')).toEqual(['Title', 'ArtistId', '_and', '_or']);
    expect(propertiesOf(narrowed, 'AlbumCreate')).toEqual(['Title']);
    expect(narrowed.schemas['AlbumCreate']?.required).toEqual(['Title']);
    expect(propertiesOf(narrowed, 'AlbumUpdate')).toEqual(['AlbumId', 'Price']);
    expect(narrowed.text).not.toContain('Released');
  });

  it('keeps the key of a to-one relation and drops a to-many relation if the target is not readable', () => {
    const toOne = narrow(albums(), callerWith({ 'read Album': '*' })).schemas;
    expect(toOne['Album']?.properties['ArtistId']).toMatchObject({ type: ['integer', 'null'] });
    expect(toOne['AlbumFilter']?.properties['ArtistId']).toEqual({
      $ref: '#/components/schemas/IntegerOperators',
    });
    const toMany = narrow(albums(), callerWith({ 'read Artist': '*' }));
    expect(propertiesOf(toMany, 'Artist')).toEqual(['ArtistId', 'Name']);
    expect(propertiesOf(toMany, 'ArtistFilter')).toEqual(['ArtistId', 'Name', '_and', '_or']);
  });

  it('describes writes without items, and without a query, for callers without read permission', () => {
    const { paths, text } = narrow(
      albums(),
      callerWith({ 'create Album': '*', 'update Album': '*', 'delete Album': '*' }),
    );
    const { post, patch } = paths['/items/Album'] as Record<string, { responses: Record<string, object> }>;
    // with "on_conflict", which still tells what happened
    expect(post?.responses['200']).toMatchObject({
      content: { 'application/json': { schema: { properties: { data: { type: 'null' } } } } },
    });
    expect(Object.keys(patch?.responses ?? {})).not.toContain('200');
    expect(text).not.toMatch(/AlbumQuery|AlbumFilter|"query":/);
  });

  it('has fields that only administrators write only for them', () => {
    const permitted = { 'read svc_users': '*', 'create svc_users': '*', 'update svc_users': '*' } as const;
    const user = narrow(albums(), callerWith(permitted));
    expect(propertiesOf(user, 'SvcUsersUpdate')).toEqual(['id', 'email', 'token', 'date_created']);
    expect(propertiesOf(user, 'SvcUsers')).toContain('status');
  });

  it('makes a field nullable if its permission applies to some rows only', () => {
    const caller = callerWith({ 'read Artist': '*', 'read Album': '*', 'create Album': '*' });
    const { schemas } = narrow(albums(), {
      ...caller,
      conditionalNames: () => new Set(['Title', 'Released', 'albums']),
    });
    expect(schemas['Album']?.properties['Title']).toMatchObject({ type: ['string', 'null'] });
    expect(schemas['Album']?.properties['Released']).toMatchObject({ type: ['string', 'null'] });
    expect(schemas['Artist']?.properties['albums']).toMatchObject({ type: ['array', 'null'] });
    expect(schemas['AlbumCreate']?.properties['Title']).toMatchObject({ type: 'string' });
  });

  it('names the collections of a many-to-any relation whose items the caller may read or change', () => {
    const relation = {
      kind: 'manyToAny',
      name: 'item',
      graphql: 'item',
      property: 'item',
      meta: true,
      field: 'item',
      collectionField: 'kind',
      targets: ['heading', 'note', 'vault'],
    } as const;
    const blocks = model([
      collection('block', [counter('id'), field('kind', 'string'), field('item', 'string')], {
        relations: [relation],
      }),
      ...relation.targets.map((name) => collection(name, [counter('id'), field('text', 'string')])),
    ]);
    const permitted = { 'create block': '*', 'read heading': '*', 'update note': '*' } as const;
    const narrowed = narrow(blocks, callerWith(permitted));
    expect(propertiesOf(narrowed, 'BlockCreate')).toEqual([
      'id',
      'kind',
      'item',
      'item:heading',
      'item:note',
    ]);
    expect(narrowed.text).not.toContain('vault');
  });

  it('is the whole document for administrators', () => {
    const document = documentOf(albums());
    expect(restrictOpenApi(document, callerWith({}, 'admin'))).toBe(document);
  });

  it('has operations for users and administrators only for them', () => {
    const model = albums();
    const operations = (['public', 'user', 'admin'] as const).flatMap((access) =>
      model.operations.map((ping): Operation => ({ ...ping, id: access, path: `/${access}`, access })),
    );
    const pathsOf = (level: Visibility['level']) =>
      Object.keys(narrow({ ...model, collections: [], operations }, callerWith({}, level)).paths);
    expect(pathsOf('public')).toEqual(['/public']);
    expect(pathsOf('user')).toEqual(['/public', '/user']);
    expect(pathsOf('admin')).toEqual(['/public', '/user', '/admin']);
  });

  it('does not modify the source document', () => {
    const document = documentOf(kinds());
    const before = JSON.stringify(document);
    restrictOpenApi(document, callerWith({ 'read everything': ['id'], 'update pairs': ['weight'] }));
    expect(JSON.stringify(document)).toBe(before);
  });

  it.each([
    ['nothing', {}],
    ['reading a part', { 'read Album': ['Title'], 'read Artist': ['Name', 'albums'] }],
    ['writing without reading', { 'create Album': ['Title'], 'update Artist': [], 'delete Album': '*' }],
  ] as const)('is valid and has no unresolved reference for %s', async (_, permitted) => {
    const { document, text } = narrow(albums(), callerWith(permitted));
    const refs = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]));
    const components = (['schemas', 'responses', 'parameters'] as const).flatMap((kind) =>
      Object.keys(document.components?.[kind] ?? {}).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...refs].sort()).toEqual(components.sort());
    expect(await validate(structuredClone(document) as never)).toMatchObject({ valid: true });
  });

  it('handles names that are special in JavaScript', () => {
    const narrowed = narrow(
      named(oddNames),
      callerWith({ 'read __proto__': ['id', '__proto__', 'constructor'] }),
    );
    expect(propertiesOf(narrowed, 'Proto')).toEqual(['id', 'constructor', '__proto__']);
    expect(Object.keys(narrowed.paths)).toEqual([
      '/items/__proto__',
      '/items/__proto__/{key}',
      '/items/__proto__/export',
      '/server/ping',
    ]);
  });
});

describe('the permissions of a principal', () => {
  const registry = createRegistry([
    defineCollection({
      name: 'Album',
      path: '/items/Album',
      key: ['AlbumId'],
      fields: { AlbumId: integer({ auto: true }), Title: string(), ArtistId: integer() },
      relations: { ArtistId: manyToOne('Artist', ['ArtistId'], ['ArtistId']) },
    }),
  ]);
  const permission = { policy: 'p', permissions: null, validation: null, presets: null };
  const rows: AccessRows = {
    version: '1',
    roles: [],
    policies: [
      { id: 'p', admin: false },
      { id: 'a', admin: true },
    ],
    access: [
      { policy: 'p', role: null, user: null },
      { policy: 'a', role: null, user: 'u' },
    ],
    permissions: [
      { ...permission, collection: 'Album', action: 'read', fields: ['Title'] },
      {
        ...permission,
        collection: 'Album',
        action: 'read',
        fields: ['ArtistId'],
        permissions: { AlbumId: { _eq: 1 } },
      },
      { ...permission, collection: 'Album', action: 'update', fields: ['*'] },
    ],
  };
  const book = createPolicyIndex(rows);
  const visible = (id: string | null): Visibility => {
    const user = id === null ? null : { id, role: null, status: 'active', columns: {} };
    return visibilityOf({ user, policies: book.policiesOf(user) }, registry);
  };

  it('follow from the grants of the policies', () => {
    const nobody = visible(null);
    expect(nobody.level).toBe('public');
    expect(nobody.visibleNames('Album', 'read')).toEqual(new Set(['Title', 'ArtistId']));
    expect(nobody.conditionalNames('Album')).toEqual(new Set(['ArtistId']));
    expect(nobody.visibleNames('Album', 'update')).toBe('*');
    expect(nobody.visibleNames('Album', 'delete')).toBeNull();
    expect(nobody.visibleNames('Artist', 'read')).toBeNull();
  });

  it('are unlimited for administrators', () => {
    expect(visible('u').level).toBe('admin');
    expect(visible('u').visibleNames('Album', 'delete')).toBe('*');
    expect(visible('v').level).toBe('user');
  });
});
