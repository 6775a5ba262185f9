import { describe, expect, it } from 'vitest';
import type { Catalog, Table } from '../../../generator/introspection/catalog.js';
import { buildModel } from '../../../generator/model/build.js';
import type { Relation } from '../../../generator/model/types.js';
import { catalog, counter, integer, key, ownSpec, specWith, string, table } from '../catalogs.js';

type Row = Record<string, unknown>;

const build = (
  tables: readonly Table[],
  relations: readonly Row[] = [],
  files: Record<string, string> = {},
) => buildModel({ catalog: catalog(tables, { relations }), spec: specWith(files) });

const relationsOf = ({ model }: ReturnType<typeof build>, name: string): readonly Relation[] =>
  model.collections.find((collection) => collection.name === name)?.relations ?? [];

const show = (relation: Relation): string => {
  if (relation.kind === 'manyToAny') return `${relation.name}: any of ${relation.targets.join(' ')}`;
  const keys = `${relation.fields.join('+')} = ${relation.targetFields.join('+')}`;
  return `${relation.name}: ${relation.kind === 'manyToOne' ? 'one' : 'many'} ${relation.target} (${keys})`;
};

const shown = (built: ReturnType<typeof build>, name: string): string[] => relationsOf(built, name).map(show);

const faultsOf = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
};

const artists = table('Artist', { ArtistId: counter(), Name: string() });
const albums = table(
  'Album',
  { AlbumId: counter(), ArtistId: integer() },
  { foreignKeys: [key(['ArtistId'], 'Artist', ['ArtistId'])] },
);

describe('a foreign key', () => {
  it('gives many-to-one under the name of its column, and the list under the name of its table', () => {
    const built = build([artists, albums]);
    expect(shown(built, 'Album')).toEqual(['ArtistId: one Artist (ArtistId = ArtistId)']);
    expect(shown(built, 'Artist')).toEqual(['Album: many Album (ArtistId = ArtistId)']);
    expect(relationsOf(built, 'Album')[0]).toMatchObject({
      modelName: 'artist',
      meta: false,
      graphql: 'ArtistId',
    });
    expect(relationsOf(built, 'Artist')[0]).toMatchObject({
      modelName: 'album',
      meta: false,
      junctionField: null,
      sortField: null,
      deselect: 'nullify',
      written: true,
    });
  });

  it('to the own table gives both sides there', () => {
    const employees = table(
      'Employee',
      { EmployeeId: counter(), ReportsTo: integer({ nullable: true }) },
      { foreignKeys: [key(['ReportsTo'], 'Employee', ['EmployeeId'])] },
    );
    expect(shown(build([employees]), 'Employee')).toEqual([
      'Employee: many Employee (EmployeeId = ReportsTo)',
      'ReportsTo: one Employee (ReportsTo = EmployeeId)',
    ]);
  });

  it('to a table that is excluded gives nothing', () => {
    expect(shown(build([albums]), 'Album')).toEqual([]);
  });

  it('between system and other tables works like any', () => {
    const notes = table(
      'notes',
      { id: counter(), author: string(36) },
      { foreignKeys: [key(['author'], 'svc_users')] },
    );
    const built = build([notes]);
    expect(shown(built, 'notes')).toEqual(['author: one svc_users (author = id)']);
    expect(shown(built, 'svc_users')).toContain('notes: many notes (id = author)');
  });

  it('gives a list that is written with its owner where its items have keys and no rules of their own', () => {
    const byAuthor = { foreignKeys: [key(['author'], 'svc_users')] };
    const notes = table('notes', { id: counter(), author: string(36) }, byAuthor);
    const visits = table('visits', { author: string(36) }, { ...byAuthor, primaryKey: null });
    const lists = relationsOf(build([notes, visits]), 'svc_users').filter(
      (relation) => relation.kind === 'oneToMany',
    );
    const written = new Map(lists.map(({ target, written }) => [target, written]));
    expect(written.get('notes')).toBe(true);
    for (const target of ['visits', 'svc_sessions', 'svc_access']) expect(written.get(target)).toBe(false);
  });

  it('that its target does not satisfy is remarked', () => {
    const broken = table(
      'broken',
      { id: counter(), x: integer(), y: integer() },
      {
        broken: [
          { columns: ['x'], table: 'nowhere', references: ['id'], fault: 'missing' },
          { columns: ['x'], table: 'broken', references: [], fault: 'keyless' },
          { columns: ['x', 'y'], table: 'Artist', references: ['Name', 'ArtistId'], fault: 'ambiguous' },
        ],
      },
    );
    expect(build([artists, broken]).warnings).toEqual([
      'broken.x: it refers to nowhere.id, which does not exist; SQLite refuses writes to broken',
      'broken.x: it refers to broken, which has no such primary key; SQLite refuses writes to broken',
      'broken.x, y: it refers to Artist.Name, ArtistId, which is not unique; SQLite refuses writes to broken and Artist',
    ]);
  });

  it('that is written twice counts once', () => {
    const twice = {
      ...albums,
      foreignKeys: [...albums.foreignKeys, { ...key(['ArtistId'], 'Artist', ['ArtistId']), name: 'again' }],
    };
    expect(shown(build([artists, twice]), 'Artist')).toEqual(['Album: many Album (ArtistId = ArtistId)']);
  });

  it('beside another one to the same table makes both lists say by which column', () => {
    const flights = table(
      'flights',
      { id: counter(), origin: integer(), target: integer() },
      { foreignKeys: [key(['origin'], 'airports'), key(['target'], 'airports')] },
    );
    expect(shown(build([table('airports', { id: counter() }), flights]), 'airports')).toEqual([
      'flights_by_origin: many flights (id = origin)',
      'flights_by_target: many flights (id = target)',
    ]);
  });

  it('of several columns is named after the table it points at', () => {
    const orders = table(
      'orders',
      { shop: integer(), number: integer() },
      { primaryKey: ['shop', 'number'] },
    );
    const lines = table(
      'lines',
      { id: counter(), shop: integer(), order: integer() },
      { foreignKeys: [key(['shop', 'order'], 'orders', ['shop', 'number'])] },
    );
    const built = build([orders, lines]);
    expect(shown(built, 'lines')).toEqual(['orders: one orders (shop+order = shop+number)']);
    expect(shown(built, 'orders')).toEqual(['lines: many lines (shop+number = shop+order)']);
  });

  it('of several columns says by which where the table name is taken', () => {
    const orders = table(
      'orders',
      { shop: integer(), number: integer() },
      { primaryKey: ['shop', 'number'] },
    );
    const twice = ['first', 'second'].map((order) => key(['shop', order], 'orders', ['shop', 'number']));
    const lines = table(
      'lines',
      { id: counter(), shop: integer(), first: integer(), second: integer() },
      { foreignKeys: twice },
    );
    const built = build([orders, lines]);
    expect(shown(built, 'lines')).toEqual([
      'orders_by_shop_first: one orders (shop+first = shop+number)',
      'orders_by_shop_second: one orders (shop+second = shop+number)',
    ]);
    expect(shown(built, 'orders')).toEqual([
      'lines_by_shop_first: many lines (shop+number = shop+first)',
      'lines_by_shop_second: many lines (shop+number = shop+second)',
    ]);
  });

  it('of several columns to the own table gives both sides there', () => {
    const folders = table(
      'folders',
      { tenant_id: integer(), id: integer(), parent: integer({ nullable: true }) },
      {
        primaryKey: ['tenant_id', 'id'],
        foreignKeys: [
          key(['tenant_id'], 'tenants'),
          key(['tenant_id', 'parent'], 'folders', ['tenant_id', 'id']),
        ],
      },
    );
    const built = build([table('tenants', { id: counter() }), folders]);
    expect(shown(built, 'folders')).toEqual([
      'folders: one folders (tenant_id+parent = tenant_id+id)',
      'folders_by_tenant_id_parent: many folders (tenant_id+id = tenant_id+parent)',
      'tenant_id: one tenants (tenant_id = id)',
    ]);
    expect(shown(built, 'tenants')).toEqual(['folders: many folders (id = tenant_id)']);
  });

  it('of several columns to the own table says which side is the list where both say by which columns', () => {
    const columns = {
      a: integer(),
      b: integer(),
      pa: integer(),
      pb: integer(),
      qa: integer(),
      qb: integer(),
    };
    const twice = table('twice', columns, {
      primaryKey: ['a', 'b'],
      foreignKeys: ['p', 'q'].map((way) => key([`${way}a`, `${way}b`], 'twice', ['a', 'b'])),
    });
    expect(shown(build([twice]), 'twice')).toEqual([
      'twice_by_pa_pb: one twice (pa+pb = a+b)',
      'twice_by_pa_pb_list: many twice (a+b = pa+pb)',
      'twice_by_qa_qb: one twice (qa+qb = a+b)',
      'twice_by_qa_qb_list: many twice (a+b = qa+qb)',
    ]);
  });

  it('of several columns leaves its name to itself where the other table points back', () => {
    const shops = table(
      'shops',
      { country: integer(), number: integer(), best: integer() },
      { primaryKey: ['country', 'number'], foreignKeys: [key(['best'], 'clerks')] },
    );
    const clerks = table(
      'clerks',
      { id: counter(), country: integer(), shop: integer() },
      { foreignKeys: [key(['country', 'shop'], 'shops', ['country', 'number'])] },
    );
    expect(shown(build([shops, clerks]), 'clerks')).toEqual([
      'shops: one shops (country+shop = country+number)',
      'shops_by_best: many shops (id = best)',
    ]);
  });

  it('that shares its one column with an earlier one is named after its table', () => {
    const cars = table('cars', { id: counter() });
    const keepers = table(
      'keepers',
      { id: counter(), thing: integer() },
      { foreignKeys: [key(['thing'], 'Artist', ['ArtistId'], 'b'), key(['thing'], 'cars', ['id'], 'a')] },
    );
    expect(shown(build([artists, cars, keepers]), 'keepers')).toEqual([
      'Artist: one Artist (thing = ArtistId)',
      'thing: one cars (thing = id)',
    ]);
  });
});

const side = (field: string, one: string, other: string) => ({
  many_collection: 'works_themes',
  many_field: field,
  one_field: one,
  junction_field: other,
});

describe('meta', () => {
  const works = table(
    'works',
    { id: counter(), artist: integer(), owner: string(36), position: integer() },
    {
      foreignKeys: [key(['artist'], 'Artist', ['ArtistId'])],
    },
  );
  const link = { many_collection: 'works', many_field: 'artist' };

  it('names the list, which is then part of all fields, and says how it is kept', () => {
    const built = build(
      [artists, works],
      [{ ...link, one_field: 'pieces', sort_field: 'position', one_deselect_action: 'delete' }],
    );
    expect(relationsOf(built, 'Artist')).toEqual([
      expect.objectContaining({ name: 'pieces', meta: true, sortField: 'position', deselect: 'delete' }),
    ]);
    expect(relationsOf(built, 'works')[0]).toMatchObject({
      name: 'artist',
      modelName: 'artistRow',
      meta: true,
    });
  });

  it('relates columns without a foreign key', () => {
    const built = build(
      [works],
      [{ many_collection: 'works', many_field: 'owner', one_collection: 'svc_users' }],
    );
    expect(shown(built, 'works')).toEqual(['owner: one svc_users (owner = id)']);
    expect(relationsOf(built, 'svc_users').find(({ name }) => name === 'works')).toMatchObject({
      meta: false,
    });
  });

  it('makes many-to-many of a junction', () => {
    const themes = table('themes', { id: counter() });
    const junction = table(
      'works_themes',
      { id: counter(), work: integer(), theme: integer() },
      { foreignKeys: [key(['work'], 'works'), key(['theme'], 'themes')] },
    );
    const built = build(
      [artists, works, themes, junction],
      [side('work', 'themes', 'theme'), side('theme', 'works', 'work')],
    );
    expect(relationsOf(built, 'works').find(({ name }) => name === 'themes')).toMatchObject({
      kind: 'oneToMany',
      target: 'works_themes',
      junctionField: 'theme',
    });
    expect(relationsOf(built, 'themes')[0]).toMatchObject({ name: 'works', junctionField: 'work' });
  });

  it('makes many-to-any of a key and the collection it belongs to', () => {
    const blocks = table('blocks', {
      id: counter(),
      album: integer(),
      item: string(64),
      collection: string(64),
    });
    const built = build(
      [artists, albums, blocks],
      [
        {
          many_collection: 'blocks',
          many_field: 'album',
          one_collection: 'Album',
          one_field: 'blocks',
          junction_field: 'item',
        },
        {
          many_collection: 'blocks',
          many_field: 'item',
          one_collection_field: 'collection',
          one_allowed_collections: 'Artist, Album,nowhere',
          junction_field: 'album',
        },
      ],
    );
    expect(shown(built, 'blocks')).toEqual([
      'album: one Album (album = AlbumId)',
      'item: any of Artist Album',
    ]);
    expect(relationsOf(built, 'blocks')[1]).toMatchObject({
      field: 'item',
      collectionField: 'collection',
      modelName: 'itemRow',
    });
    expect(relationsOf(built, 'Album').find(({ name }) => name === 'blocks')).toMatchObject({
      junctionField: 'item',
    });
    expect(built.warnings).toEqual([
      'svc_relations, blocks.item: "nowhere" is not a table; name a table of this database',
    ]);
  });

  it('of the database that leads nowhere is remarked and left aside', () => {
    const built = build(
      [artists, works],
      [
        { ...link, sort_field: 'positoin', junction_field: 'other', one_collection: 'Album' },
        { many_collection: 'works', many_field: 'ownr', one_collection: 'svc_users' },
        { many_collection: 'works', many_field: 'position' },
        { many_collection: 'works', many_field: 'owner', one_collection: 'svc_user' },
      ],
    );
    expect(shown(built, 'works')).toEqual(['artist: one Artist (artist = ArtistId)']);
    expect(built.warnings).toMatchInlineSnapshot(`
      [
        "svc_relations, works.artist: works.artist points at "Artist" by its foreign key, not at "Album"; write Artist or nothing",
        "svc_relations, works.ownr: "works" has no column "ownr"; did you mean "owner"?",
        "svc_relations, works.position: the relation of "position" says no target, and no foreign key of the column leads to a collection; add one_collection, or one_collection_field and one_allowed_collections",
        "svc_relations, works.owner: "svc_user" is not a table; did you mean "svc_users"?",
        "svc_relations, works.artist: "works" has no relation "other" that could be the junction_field; name a relation of "works"",
        "svc_relations, works.artist: "works" has no column "positoin" that could be the sort_field; did you mean "position"?",
      ]
    `);
  });

  it('of a file that leads nowhere is a fault at its place', () => {
    const file =
      'relations:\n  - { field: artist, sort_field: positoin }\n  - { field: owner, one_collection: svc_user }\n';
    expect(faultsOf(() => build([artists, works], [], { 'collections/works.yaml': file })))
      .toMatchInlineSnapshot(`
      [
        "spec/collections/works.yaml:2:22: "works" has no column "positoin" that could be the sort_field; did you mean "position"?",
        "spec/collections/works.yaml:3:21: "svc_user" is not a table; did you mean "svc_users"?",
      ]
    `);
  });
});

describe('names that would be one', () => {
  const country = table('country', { id: counter(), city: string() });
  const city = table(
    'city',
    { id: counter(), country: integer() },
    { foreignKeys: [key(['country'], 'country')] },
  );

  it('are a fault that says which key to set', () => {
    expect(faultsOf(() => build([country, city]))).toMatchInlineSnapshot(`
      [
        "table country: the list of city.country would be called "city" in "country", like its column "city"; give it another name in spec/collections/city.yaml: relations: [{ field: country, one_field: … }]",
      ]
    `);
  });

  it('are a fault where they are a column, of a key of several columns too', () => {
    const pairs = table(
      'pairs',
      { a: integer(), b: integer(), pairs: integer(), pb: integer() },
      { primaryKey: ['a', 'b'], foreignKeys: [key(['pairs', 'pb'], 'pairs', ['a', 'b'])] },
    );
    expect(faultsOf(() => build([pairs]))).toMatchInlineSnapshot(`
      [
        "table pairs: the list of pairs.pairs_by_pairs_pb would be called "pairs" in "pairs", like its column "pairs"; give it another name in spec/collections/pairs.yaml: relations: [{ field: pairs_by_pairs_pb, one_field: … }]",
      ]
    `);
  });

  it('are told apart by that key', () => {
    const files = { 'collections/city.yaml': 'relations: [{ field: country, one_field: cities }]' };
    expect(shown(build([country, city], [], files), 'country')).toEqual(['cities: many city (id = country)']);
  });

  it('give way to a name that meta chose', () => {
    const users = table(
      'users',
      { id: counter(), role: string(36) },
      { foreignKeys: [key(['role'], 'svc_roles')] },
    );
    expect(faultsOf(() => build([users]))).toMatchInlineSnapshot(`
      [
        "table svc_roles: the list of users.role would be called "users" in "svc_roles", like the list of svc_users.role; give it another name in spec/collections/users.yaml: relations: [{ field: role, one_field: … }]",
      ]
    `);
  });

  it('never meet in Objection', () => {
    const tables = [
      table('authors', { id: counter() }),
      table(
        'books',
        { id: counter(), author: integer(), author_id: integer() },
        { foreignKeys: [key(['author'], 'authors'), key(['author_id'], 'authors')] },
      ),
    ];
    expect(relationsOf(build(tables), 'books').map(({ modelName }) => modelName)).toEqual([
      'authorRow',
      'authorRow_',
    ]);
  });
});

const allRelations = (from: Catalog) =>
  buildModel({ catalog: from, spec: ownSpec }).model.collections.map(({ relations }) => relations);

describe('the system collections', () => {
  it('know their lists', () => {
    const { model } = buildModel({ catalog: catalog([]), spec: ownSpec });
    const lists = model.collections.flatMap(({ name, relations }) =>
      relations.filter(({ kind }) => kind === 'oneToMany').map((relation) => `${name}.${show(relation)}`),
    );
    expect(lists).toEqual([
      'svc_dashboards.panels: many svc_panels (id = dashboard)',
      'svc_deliveries.attempts: many svc_delivery_attempts (id = delivery)',
      'svc_policies.access: many svc_access (id = policy)',
      'svc_policies.permissions: many svc_permissions (id = policy)',
      'svc_roles.children: many svc_roles (id = parent)',
      'svc_roles.policies: many svc_access (id = role)',
      'svc_roles.users: many svc_users (id = role)',
      'svc_users.keys: many svc_keys (id = account)',
      'svc_users.policies: many svc_access (id = user)',
      'svc_users.sessions: many svc_sessions (id = user)',
      'svc_users.svc_activity: many svc_activity (id = user)',
      'svc_users.svc_dashboards: many svc_dashboards (id = user_created)',
      'svc_users.svc_panels: many svc_panels (id = user_created)',
    ]);
  });

  it('are related as the spec says where the database has no foreign keys', () => {
    const full = catalog([]);
    const tables = full.tables.map((candidate) => ({ ...candidate, foreignKeys: [] }));
    expect(allRelations({ ...full, tables })).toEqual(allRelations(full));
  });
});
