import { describe, expect, it } from 'vitest';
import type { Catalog, Meta, Table } from '../../../generator/introspection/catalog.js';
import { assembleModel, buildModel } from '../../../generator/model/build.js';
import { ModelError } from '../../../generator/model/findings.js';
import { validateSpec } from '../../../generator/spec/validate.js';
import { parseYaml, type Node } from '../../../generator/spec/yaml.js';
import {
  catalog,
  counter,
  integer,
  key,
  ofType,
  smallSpec,
  specWith,
  string,
  systemTables,
  table,
} from '../catalogs.js';

const artists = table('Artist', { ArtistId: counter(), Name: string(120, { nullable: true }) });
const albums = table(
  'Album',
  { AlbumId: counter(), Title: string(160), ArtistId: integer() },
  { foreignKeys: [key(['ArtistId'], 'Artist', ['ArtistId'])], comment: 'Records' },
);

const build = (tables: readonly Table[], files: Record<string, string> = {}, meta: Partial<Meta> = {}) =>
  buildModel({ catalog: catalog(tables, meta), spec: specWith(files) });

/** A file with one operation. */
const describing = (id: string, path: string): string =>
  `tag: Shop\noperations:\n  ${id}: { summary: x, method: post, path: ${path}, access: user, ` +
  'responses: { 204: { description: Done } } }\n';

const nodeOf = (text: string): Node => {
  const node = parseYaml(text, 'shop.yaml', []);
  if (node === null) throw new Error('this is no YAML');
  return node;
};

const collectionOf = ({ model }: ReturnType<typeof build>, name: string) =>
  model.collections.find((collection) => collection.name === name);

const faultsOf = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ModelError) return error.message.split('\n');
    throw error;
  }
  return [];
};

describe('the model', () => {
  it('warns only of operations that svc does not serve', () => {
    const files = [
      { own: true, text: describing('serverPing', '/server/ping') },
      { own: false, text: 'operations: { serverPing: { summary: Say that it is there } }' },
      { own: false, text: describing('shopPay', '/shop/pay') },
    ];
    const { operations } = validateSpec(
      files.map(({ own, text }) => ({ path: 'operations/shop.yaml', own, node: nodeOf(text) })),
      [],
    );
    const { warnings } = buildModel({ catalog: catalog([artists]), spec: { ...smallSpec, operations } });
    expect(warnings).toEqual([
      'the operation "shopPay" is only described: svc answers POST /shop/pay with 404; your own application has to serve it',
    ]);
  });

  it('contains every table as a collection with its path, sorted by name', () => {
    const { model } = build([albums, artists, table('a b/c', { id: counter() })]);
    expect(model.collections.map(({ name, path, system }) => [name, path, system])).toEqual([
      ['Album', '/items/Album', false],
      ['Artist', '/items/Artist', false],
      ['a b/c', '/items/a%20b%2Fc', false],
      ['svc_access', '/access', true],
      ['svc_permissions', '/permissions', true],
      ['svc_policies', '/policies', true],
      ['svc_roles', '/roles', true],
      ['svc_sessions', null, true],
      ['svc_users', '/users', true],
    ]);
  });

  it('omits internal tables and contains the columns of every system table', () => {
    const { model } = build([albums]);
    expect(model.catalog.tables.map(({ name }) => name)).toContain('svc_attempts');
    expect(model.collections.map(({ name }) => name)).not.toContain('svc_attempts');
    expect(model.systemTables.find(({ name }) => name === 'svc_attempts')).toEqual({
      name: 'svc_attempts',
      rowName: 'SvcAttemptsRow',
      columns: [
        { name: 'id', type: 'string', nullable: false, optional: false },
        { name: 'count', type: 'number', nullable: false, optional: false },
        { name: 'until', type: 'number', nullable: false, optional: false },
      ],
    });
  });

  it('combines table and meta of a collection', () => {
    const view = table('totals', { sum: integer() }, { kind: 'view', primaryKey: null });
    const built = build([albums, artists, view], {
      'collections/Artist.yaml': 'meta: { note: Who plays, singleton: true, sort_field: Name }',
    });
    expect(collectionOf(built, 'Album')).toMatchObject({
      note: 'Records',
      singleton: false,
      sortField: null,
      key: ['AlbumId'],
    });
    expect(collectionOf(built, 'Artist')).toMatchObject({
      note: 'Who plays',
      singleton: true,
      sortField: 'Name',
    });
    expect(collectionOf(built, 'totals')).toMatchObject({ kind: 'view', key: [] });
  });

  it('lists unique constraints, without indexes that are unique for some rows only', () => {
    const codes = table(
      'codes',
      { id: counter(), code: string(), name: string() },
      {
        uniques: [
          { name: 'codes_code', columns: ['code'] },
          { name: 'codes_code_again', columns: ['code'] },
          { name: 'codes_both', columns: ['code', 'name'] },
        ],
        indexes: [
          { name: 'codes_partial', columns: ['name'], unique: true },
          { name: 'codes_lower', columns: [{ expression: 'lower(code)' }], unique: true },
          { name: 'codes_name', columns: ['name'], unique: false },
        ],
      },
    );
    expect(collectionOf(build([codes]), 'codes')?.uniques).toEqual([
      { name: 'codes_both', fields: ['code', 'name'] },
      { name: 'codes_code', fields: ['code'] },
      { name: 'codes_code_again', fields: ['code'] },
    ]);
  });

  it('does not depend on the order of tables and meta', () => {
    const forwards = catalog([albums, artists]);
    const backwards: Catalog = { ...forwards, tables: forwards.tables.toReversed() };
    const hashes = [forwards, backwards].map((from) => {
      const { collections } = buildModel({ catalog: from, spec: smallSpec }).model;
      return collections.map(({ hash }) => hash);
    });
    expect(hashes[0]).toEqual(hashes[1]);
  });

  it('accepts tables and columns named like members of Object', () => {
    const odd = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const tables = odd.map((name) =>
      table(
        name,
        Object.fromEntries([['id', counter()], ...odd.map((column) => [column, string()] as const)]),
      ),
    );
    const { model } = build(tables);
    for (const name of odd) {
      const collection = model.collections.find((candidate) => candidate.name === name);
      expect(collection?.fields.map((field) => field.name)).toEqual(['id', ...odd]);
    }
  });
});

const hashesOf = (tables: readonly Table[]): ReadonlyMap<string, string> =>
  new Map(build(tables).model.collections.map(({ name, hash }) => [name, hash]));

describe('the hash of a collection', () => {
  const before = hashesOf([albums, artists]);

  it('does not change with other collections', () => {
    const after = hashesOf([
      albums,
      { ...artists, columns: [...artists.columns, { name: 'born', ...integer() }] },
    ]);
    expect(after.get('Artist')).not.toBe(before.get('Artist'));
    expect(after.get('Album')).toBe(before.get('Album'));
    expect(after.get('svc_users')).toBe(before.get('svc_users'));
  });

  it('changes with the key type of a referenced collection', () => {
    const bigKey = { name: 'ArtistId', ...ofType({ kind: 'integer', bits: 64, signed: true }) };
    const after = hashesOf([albums, { ...artists, columns: [bigKey, ...artists.columns.slice(1)] }]);
    expect(after.get('Album')).not.toBe(before.get('Album'));
  });
});

const without = (...names: string[]): Catalog => {
  const full = catalog([artists]);
  return { ...full, tables: full.tables.filter(({ name }) => !names.includes(name)) };
};

describe('system tables', () => {
  it('that are all missing are reported with the command that creates them', () => {
    const bare = without(...systemTables.map(({ name }) => name));
    expect(faultsOf(() => buildModel({ catalog: bare, spec: smallSpec }))).toEqual([
      'database: it has no system tables; run "svc bootstrap"',
    ]);
  });

  it('of an older version are reported with what is missing', () => {
    const older = without('svc_sessions');
    const tables = older.tables.map((candidate) =>
      candidate.name === 'svc_users'
        ? {
            ...candidate,
            columns: candidate.columns.filter(({ name }) => name !== 'token' && name !== 'role'),
          }
        : candidate,
    );
    expect(faultsOf(() => buildModel({ catalog: { ...older, tables }, spec: smallSpec }))).toEqual([
      'database: missing system tables: svc_sessions; run "svc bootstrap"',
      'table svc_users: it lacks role and token; run "svc bootstrap"',
    ]);
  });

  it('that are not declared are omitted', () => {
    const built = build([table('svc_own', { id: counter() })]);
    expect(collectionOf(built, 'svc_own')).toBeUndefined();
    expect(built.warnings).toEqual([
      'svc_own: names that start with "svc_" are reserved; the table is left out',
    ]);
  });
});

describe('file and database', () => {
  const rows = {
    collections: [{ collection: 'Artist', note: 'From the database', hidden: false }],
    fields: [{ collection: 'Artist', field: 'Name', special: 'cast-csv,conceal', note: 'Same' }],
  };

  it('are merged by key: the file takes precedence, and differences are reported', () => {
    const file = 'meta: { note: From the file }\nfields:\n  Name: { note: Same, special: [conceal] }\n';
    const built = build([artists], { 'collections/Artist.yaml': file }, rows);
    expect(collectionOf(built, 'Artist')?.note).toBe('From the file');
    expect(collectionOf(built, 'Artist')?.fields[1]).toMatchObject({
      type: 'string',
      conceal: true,
      note: 'Same',
    });
    expect(built.warnings).toEqual([
      'spec/collections/Artist.yaml:1:9: Artist: "note" is "From the file" here and "From the database" in the ' +
        'database (svc_collections, Artist); the file wins',
      'spec/collections/Artist.yaml:3:23: Artist.Name: "special" is ["conceal"] here and "cast-csv,conceal" in the ' +
        'database (svc_fields, Artist.Name); the file wins',
    ]);
  });

  it('are not reported if they are equal', () => {
    const file = 'fields:\n  Name: { special: [cast-csv, conceal] }\n';
    expect(build([artists], { 'collections/Artist.yaml': file }, rows).warnings).toEqual([]);
  });

  it('report a misspelled meta key and keep it', () => {
    const file = 'meta: { singelton: true, preview_url: x }\nfields: { Name: { reqired: true } }\n';
    expect(build([artists], { 'collections/Artist.yaml': file }).warnings).toEqual([
      'spec/collections/Artist.yaml:1:9: Artist: "singelton" is kept but does nothing; did you mean "singleton"?',
      'spec/collections/Artist.yaml:2:19: Artist.Name: "reqired" is kept but does nothing; did you mean "required"?',
    ]);
  });
});

describe('a name in meta', () => {
  it('must exist if it is in a file', () => {
    const faults = faultsOf(() =>
      build([albums, artists], {
        'collections/Artists.yaml': 'meta: { hidden: true }',
        'collections/Album.yaml': [
          'meta: { sort_field: Titel, archive_field: gone }',
          'fields:',
          '  Titel: { note: x }',
          '  Title: { validation: { _and: [{ Tite: { _nnull: true } }] } }',
          'names: { fields: { titel: heading } }',
        ].join('\n'),
      }),
    );
    expect(faults).toMatchInlineSnapshot(`
      [
        "spec/collections/Album.yaml:1:9: "Album" has no column "Titel" that could be the sort_field; did you mean "Title"?",
        "spec/collections/Album.yaml:1:28: "Album" has no column "gone" that could be the archive_field; name one of its columns",
        "spec/collections/Album.yaml:3:3: "Album" has no column or relation "Titel"; did you mean "Title"?",
        "spec/collections/Album.yaml:4:12: "Album" has no column "Tite" to validate; did you mean "Title"?",
        "spec/collections/Album.yaml:5:20: "Album" has no field or relation "titel"; did you mean "Title"?",
        "spec/collections/Artists.yaml:1:1: there is no table "Artists", or it is excluded; did you mean "Artist"?",
      ]
    `);
  });

  it('is reported if it is in the database', () => {
    const built = build(
      [albums, artists],
      {},
      {
        collections: [
          { collection: 'gone', note: 'x' },
          { collection: 'a folder', note: 'x' },
          { collection: 'Album', sort_field: 'Titel' },
        ],
        fields: [
          { collection: 'Album', field: 'Titel' },
          { collection: 'Album', field: 'divider', special: 'alias,no-data' },
          { collection: 'Artist', field: 'Album', special: 'o2m' },
          { collection: 'gone', field: 'x' },
        ],
        relations: [{ many_collection: 'gone', many_field: 'x' }],
      },
    );
    expect(built.warnings).toMatchInlineSnapshot(`
      [
        "svc_collections, gone: there is no table "gone", or it is excluded; name a table of this database",
        "svc_collections, Album: "Album" has no column "Titel" that could be the sort_field; did you mean "Title"?",
        "svc_fields, Album.Titel: "Album" has no column or relation "Titel"; did you mean "Title"?",
      ]
    `);
  });
});

describe('names', () => {
  it('that result in the same type, file or GraphQL name are reported in pairs', () => {
    const names = ['order line', 'order_line', 'OrderLine', 'orderline'];
    const tables = names.map((name) => table(name, { id: counter(), 'a b': string(), a_b: string() }));
    expect(faultsOf(() => build(tables))).toMatchInlineSnapshot(`
      [
        "table OrderLine: "a b" and "a_b" would both be "a_b" in GraphQL; choose a name in spec/collections/OrderLine.yaml: names: { fields: { a_b: … } }",
        "table order line: "OrderLine" and "order line" would both be "OrderLine" in TypeScript; choose a name in spec/collections/order-line.yaml (with collection: "order line"): names: { typescript: … }",
        "table order line: "a b" and "a_b" would both be "a_b" in GraphQL; choose a name in spec/collections/order-line.yaml (with collection: "order line"): names: { fields: { a_b: … } }",
        "table order_line: "OrderLine" and "order_line" would both be "OrderLine" in TypeScript; choose a name in spec/collections/order_line.yaml: names: { typescript: … }",
        "table order_line: "order line" and "order_line" would both be "order_line" in GraphQL; choose a name in spec/collections/order_line.yaml: names: { graphql: … }",
        "table order_line: "a b" and "a_b" would both be "a_b" in GraphQL; choose a name in spec/collections/order_line.yaml: names: { fields: { a_b: … } }",
        "table orderline: "a b" and "a_b" would both be "a_b" in GraphQL; choose a name in spec/collections/orderline.yaml: names: { fields: { a_b: … } }",
      ]
    `);
  });

  it('of columns that mean "every column" in queries are rejected', () => {
    const columns = { id: counter(), '*': string(), '*.a': string(), '*a': string() };
    expect(faultsOf(() => build([table('stars', columns)]))).toEqual([
      'table stars: a column cannot be served as "*": "*" stands for every column; rename the column, or leave the table out with TABLES_EXCLUDE',
      'table stars: a column cannot be served as "*.a": "*" stands for every column; rename the column, or leave the table out with TABLES_EXCLUDE',
    ]);
  });

  it('are chosen by the spec', () => {
    const tables = ['order line', 'order_line'].map((name) =>
      table(name, { id: counter(), 'a b': string(), a_b: string() }),
    );
    const choice = 'names: { typescript: OrderRow, graphql: order_row, fields: { a b: spaced } }';
    const other = 'names: { fields: { a_b: other } }';
    const built = build(tables, {
      'collections/order_line.yaml': choice,
      'collections/lines.yaml': `collection: order line\n${other}`,
    });
    expect(collectionOf(built, 'order_line')?.names).toEqual({
      file: 'order-row',
      type: 'OrderRow',
      variable: 'orderRow',
      graphql: 'order_row',
    });
    expect(collectionOf(built, 'order line')?.fields.map(({ graphql }) => graphql)).toEqual([
      'id',
      'a_b',
      'other',
    ]);
  });
});

describe('a model of an older catalog', () => {
  it('omits what does not fit instead of failing', () => {
    const spec = specWith({ 'collections/Track.yaml': 'fields: { Name: { note: x } }' });
    const { model, faults } = assembleModel({ catalog: catalog([artists]), spec });
    expect(faults).toHaveLength(1);
    expect(model.collections.some(({ name }) => name === 'Artist')).toBe(true);
  });
});
