import { describe, expect, it } from 'vitest';
import { counter, integer, key, string, table } from '../catalogs.js';
import { artists, build, faultsOf, relationsOf, shown } from './relations.js';

describe('a foreign key', () => {
  it('beside another one to the same table adds the column to both list names', () => {
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

  it('of several columns adds them to the name if the table name is taken', () => {
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

  it('of several columns to the own table distinguishes the list from the key if both name their columns', () => {
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

describe('keys to one table', () => {
  const orders = table('orders', { shop: integer(), number: integer() }, { primaryKey: ['shop', 'number'] });
  const both = key(['shop', 'order'], 'orders', ['shop', 'number']);
  const lines = { id: counter(), shop: integer(), order: integer(), best: integer(), depot: integer() };

  it('leave its name to the one of several columns if the others have one column each', () => {
    const keys = [key(['best'], 'orders', ['number']), both];
    expect(shown(build([orders, table('lines', lines, { foreignKeys: keys })]), 'lines')).toEqual([
      'best: one orders (best = number)',
      'orders: one orders (shop+order = shop+number)',
    ]);
  });

  it('do not change the name of one of several columns to another table', () => {
    const depots = table(
      'depots',
      { shop: integer(), number: integer() },
      { primaryKey: ['shop', 'number'] },
    );
    const keys = [key(['shop', 'depot'], 'depots', ['shop', 'number']), both];
    expect(shown(build([depots, orders, table('lines', lines, { foreignKeys: keys })]), 'lines')).toEqual([
      'depots: one depots (shop+depot = shop+number)',
      'orders: one orders (shop+order = shop+number)',
    ]);
  });
});

describe('names that would be one', () => {
  const country = table('country', { id: counter(), city: string() });
  const city = table(
    'city',
    { id: counter(), country: integer() },
    { foreignKeys: [key(['country'], 'country')] },
  );

  it('are a fault that names the key to set', () => {
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

  it('are distinguished by that key', () => {
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

  it('are a fault where the column is a key itself', () => {
    const back = table(
      'country',
      { id: counter(), city: integer() },
      { foreignKeys: [key(['city'], 'city')] },
    );
    expect(faultsOf(() => build([back, city])).map((fault) => fault.split(';')[0])).toEqual([
      'table city: the list of country.city would be called "country" in "city", like its column "country"',
      'table country: the list of city.country would be called "city" in "country", like its column "city"',
    ]);
  });

  it('give way to a chosen one, whichever table comes first', () => {
    const toArtist = { foreignKeys: [key(['artist'], 'Artist', ['ArtistId'])] };
    const [first, last] = ['aaa', 'zzz'].map((name) =>
      table(name, { id: counter(), artist: integer() }, toArtist),
    ) as [ReturnType<typeof table>, ReturnType<typeof table>];
    const chosen = { many_collection: 'zzz', many_field: 'artist', one_field: 'aaa' };
    expect(faultsOf(() => build([artists, first, last], [chosen]))).toEqual([
      'table Artist: the list of aaa.artist would be called "aaa" in "Artist", like the list of zzz.artist;' +
        ' give it another name in spec/collections/aaa.yaml: relations: [{ field: artist, one_field: … }]',
    ]);
  });

  it('are a fault with its position where a file chose the name', () => {
    const files = { 'collections/city.yaml': 'relations:\n  - { field: country, one_field: city }\n' };
    expect(faultsOf(() => build([country, city], [], files))).toEqual([
      expect.stringMatching(
        /^spec\/collections\/city\.yaml:2:23: the list of city\.country would be called "city"/,
      ),
    ]);
  });

  it('are distinguished in Objection from the members of objects', () => {
    const odd = table(
      'constructor',
      { id: counter(), artist: integer() },
      { foreignKeys: [key(['artist'], 'Artist', ['ArtistId'])] },
    );
    expect(relationsOf(build([artists, odd]), 'Artist').map(({ property }) => property)).toEqual([
      'constructorRows',
    ]);
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
    expect(relationsOf(build(tables), 'books').map(({ property }) => property)).toEqual([
      'authorRow',
      'authorRow_',
    ]);
  });
});
