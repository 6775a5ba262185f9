/** Objects in place of the key of a many-to-one relation: created, changed and assigned before the row itself. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess, TestMeta } from '../server-harness.js';

const dialects = dialectsOf(import.meta.url);

const tables = `
create table "land" ("code" varchar(4) not null primary key, "name" varchar(20) not null);
create table "painter" (
  "id" {counter},
  "name" varchar(20) not null,
  "land" varchar(4),
  "rank" integer,
  constraint "painter_land" foreign key ("land") references "land" ("code")
);
create table "piece" (
  "id" {counter},
  "title" varchar(20) not null,
  "painter" integer,
  constraint "piece_painter" foreign key ("painter") references "painter" ("id")
);
create table "theme" (
  "id" {counter},
  "name" varchar(20) not null,
  "parent" integer,
  constraint "theme_parent" foreign key ("parent") references "theme" ("id")
);
create table "piece_theme" (
  "id" {counter},
  "piece" integer,
  "theme" integer,
  "weight" integer,
  constraint "piece_theme_piece" foreign key ("piece") references "piece" ("id"),
  constraint "piece_theme_theme" foreign key ("theme") references "theme" ("id")
);
`;

const rows = `
insert into "land" ("code", "name") values ('de', 'Germany'), ('pl', 'Poland');
insert into "painter" ("id", "name", "land", "rank") values (1, 'Anna', 'de', 1), (2, 'Bob', 'pl', 1), (3, 'Hidden', 'de', 1);
insert into "piece" ("id", "title", "painter") values (1, 'One', 1), (2, 'Two', null);
insert into "theme" ("id", "name") values (1, 'Sea'), (2, 'Sky');
insert into "piece_theme" ("id", "piece", "theme", "weight") values (1, 1, 1, 5);
`;

const names = ['piece_theme', 'theme', 'piece', 'painter', 'land'];

const restore = (dialect: TestDialect): string =>
  sqlFor(
    dialect,
    `update "theme" set "parent" = null;${names.map((name) => `delete from "${name}";`).join('')}${rows}`,
  );

const meta: TestMeta = {
  relations: [
    { many_collection: 'piece', many_field: 'painter', one_collection: 'painter', one_field: 'pieces' },
    {
      many_collection: 'piece_theme',
      many_field: 'piece',
      one_collection: 'piece',
      one_field: 'themes',
      junction_field: 'theme',
    },
    { many_collection: 'theme', many_field: 'parent', one_collection: 'theme', one_field: 'children' },
  ],
};

const access: TestAccess = {
  policies: {
    Pieces: [
      { collection: 'piece', action: 'create', fields: ['title', 'painter'] },
      { collection: 'piece', action: 'update', fields: ['title', 'painter'] },
      { collection: 'piece', action: 'read', fields: ['*'] },
      { collection: 'painter', action: 'read', fields: ['*'], permissions: { name: { _neq: 'Hidden' } } },
    ],
    /** Makes painters without rank, and renames those of Germany. */
    Painters: [
      {
        collection: 'painter',
        action: 'create',
        fields: ['name', 'land'],
        validation: { name: { _neq: 'bad' } },
        presets: { rank: 7 },
      },
      { collection: 'painter', action: 'update', fields: ['name'], permissions: { land: { _eq: 'de' } } },
    ],
    /** Assigns only the first painter. */
    First: [
      { collection: 'piece', action: 'update', fields: ['painter'], validation: { painter: { _eq: 1 } } },
      {
        collection: 'piece',
        action: 'create',
        fields: ['title', 'painter'],
        validation: { painter: { _eq: 1 } },
      },
      { collection: 'painter', action: 'create', fields: ['*'] },
      { collection: 'painter', action: 'update', fields: ['*'] },
      { collection: 'painter', action: 'read', fields: ['*'] },
      { collection: 'piece', action: 'read', fields: ['*'] },
    ],
    Lands: [
      { collection: 'land', action: 'create', fields: ['*'] },
      { collection: 'land', action: 'read', fields: ['*'] },
    ],
    /** Renames lands, but not to "bad", which a new land may be called. */
    Names: [
      { collection: 'painter', action: 'update', fields: ['name', 'land'] },
      { collection: 'land', action: 'update', fields: ['name'], validation: { name: { _neq: 'bad' } } },
    ],
  },
  users: {
    editor: { policies: ['Pieces', 'Painters'] },
    clerk: { policies: ['Pieces'] },
    first: { policies: ['First'] },
    traveller: { policies: ['Pieces', 'Painters', 'Lands'] },
    settler: { policies: ['Pieces', 'Painters', 'Lands', 'Names'] },
  },
};

describe.each(dialects)('objects in place of keys on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlFor(dialect, tables + rows), meta, access });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, ...(body !== undefined && { body }) });
  const all = async (): Promise<unknown> =>
    Promise.all(
      names.map(
        async (name) =>
          (
            await send(
              'admin',
              'GET',
              `/items/${name}?sort=id&limit=-1`.replace('land?sort=id', 'land?sort=code'),
            )
          ).data,
      ),
    );
  const patch = (as: string, body: unknown, fields = 'painter.name,painter.land,painter.rank') =>
    send(as, 'PATCH', `/items/piece/1?fields=${fields}`, body);

  beforeEach(() => server().execute(restore(dialect)));

  it('an object without key is created, with a row and with a change, over several levels', async () => {
    const made = await send('admin', 'POST', '/items/piece?fields=title,painter.name,painter.land.name', {
      title: 'New',
      painter: { name: 'Cora', land: { code: 'fr', name: 'France' } },
    });
    expect(made.data).toEqual({ title: 'New', painter: { name: 'Cora', land: { name: 'France' } } });
    const { data } = await patch('admin', { painter: { name: 'Dan', land: 'de' } });
    expect(data).toEqual({ painter: { name: 'Dan', land: 'de', rank: null } });
  });

  it('an object with a key changes that row, and assigns it', async () => {
    const { data } = await patch('admin', { painter: { id: 2, rank: 9 } });
    expect(data).toEqual({ painter: { name: 'Bob', land: 'pl', rank: 9 } });
  });

  it('a key, an object with only a key, and null assign without a write', async () => {
    expect((await patch('admin', { painter: 2 }, 'painter')).data).toEqual({ painter: 2 });
    expect((await patch('admin', { painter: { id: 1 } }, 'painter')).data).toEqual({ painter: 1 });
    expect((await patch('admin', { painter: null }, 'painter')).data).toEqual({ painter: null });
  });

  it('an unknown key is created where clients choose keys, and refused where the database counts them', async () => {
    const made = await send('admin', 'PATCH', '/items/painter/1?fields=land.name', {
      land: { code: 'it', name: 'Italy' },
    });
    expect(made.data).toEqual({ land: { name: 'Italy' } });
    const before = await all();
    for (const painter of [
      { id: 900, name: 'X' },
      { id: 'x', name: 'X' },
    ])
      expect((await patch('admin', { painter })).codes).toEqual(['FORBIDDEN']);
    // nothing but a key is that key
    expect((await patch('admin', { painter: { id: 900 } })).codes).toEqual(['INVALID_FOREIGN_KEY']);
    expect(await all()).toEqual(before);
  });

  it('the first of two rows creates an unknown key, the second changes it', async () => {
    const { data } = await send('admin', 'POST', '/items/painter?fields=name,land.name', [
      { name: 'A', land: { code: 'it', name: 'Italy' } },
      { name: 'B', land: { code: 'it', name: 'Italia' } },
    ]);
    expect(data).toEqual([
      { name: 'A', land: { name: 'Italia' } },
      { name: 'B', land: { name: 'Italia' } },
    ]);
  });

  it('a change of several rows creates one row for all of them', async () => {
    await send('admin', 'PATCH', '/items/piece', { keys: [1, 2], data: { painter: { name: 'Both' } } });
    const { data } = await send('admin', 'GET', '/items/painter?filter[name][_eq]=Both&fields=pieces.id');
    expect(data).toEqual([{ pieces: [{ id: 1 }, { id: 2 }] }]);
  });

  it('a junction takes new, changed and assigned rows, beside its own fields', async () => {
    const { data } = await send(
      'admin',
      'PATCH',
      '/items/piece/1?fields=themes.weight,themes.theme.name&deep[themes][_sort]=theme.name',
      {
        themes: [
          { id: 1, weight: 6, theme: { id: 1, name: 'Ocean' } },
          { theme: 2 },
          { theme: { name: 'Wood' }, weight: 1 },
        ],
      },
    );
    expect(data).toEqual({
      themes: [
        { weight: 6, theme: { name: 'Ocean' } },
        { weight: null, theme: { name: 'Sky' } },
        { weight: 1, theme: { name: 'Wood' } },
      ],
    });
    const changed = await send(
      'admin',
      'PATCH',
      '/items/piece/1?fields=themes.theme.name&deep[themes][_sort]=theme.name',
      {
        themes: { create: [{ theme: { name: 'Fire' } }], update: [{ id: 1, theme: { name: 'Ash' } }] },
      },
    );
    expect(changed.data).toEqual({
      themes: ['Ash', 'Fire', 'Sky', 'Wood'].map((name) => ({ theme: { name } })),
    });
  });

  it('writes a parent with its own lists first, so that the row itself decides whose it is', async () => {
    const { data } = await patch('admin', { painter: { id: 1, pieces: [2] } }, 'painter.pieces.id');
    expect(data).toEqual({ painter: { pieces: [{ id: 1 }, { id: 2 }] } });
  });

  it('a row can be its own parent, and a cycle is stored as given', async () => {
    const own = await send('admin', 'PATCH', '/items/theme/1?fields=name,parent.id', {
      name: 'A',
      parent: { id: 1, name: 'B' },
    });
    expect(own.data).toEqual({ name: 'A', parent: { id: 1 } });
    const cycle = await send('admin', 'PATCH', '/items/theme/1?fields=parent.parent.id', {
      parent: { id: 2, parent: { id: 1 } },
    });
    expect(cycle.data).toEqual({ parent: { parent: { id: 1 } } });
  });

  it('applies presets and validation of the caller at each level', async () => {
    const made = await patch('editor', { painter: { name: 'Eve' } });
    expect(made.data).toEqual({ painter: { name: 'Eve', land: null, rank: 7 } });
    const { codes, errors } = await patch('editor', { painter: { name: 'bad' } });
    expect(codes).toEqual(['FAILED_VALIDATION']);
    expect(errors[0]).toMatchObject({ collection: 'painter', field: 'name', path: ['painter'] });
  });

  it.each<[string, string, unknown]>([
    ['create one', 'clerk', { name: 'X' }],
    ['create one with that field', 'editor', { name: 'X', rank: 1 }],
    ['change one', 'clerk', { id: 1, name: 'X' }],
    ['change that row', 'editor', { id: 2, name: 'X' }],
    ['change that field', 'editor', { id: 1, rank: 5 }],
    ['read that row, with a change', 'editor', { id: 3, name: 'X' }],
    ['create one further away', 'editor', { name: 'X', land: { code: 'xx', name: 'X' } }],
    ['read a row further away', 'editor', { name: 'X', land: { code: 'de' } }],
  ])('a caller who may not %s is refused, and nothing is stored', async (_, as, painter) => {
    const before = await all();
    const { status, codes } = await patch(as, { title: 'Changed', painter });
    expect({ status, codes }).toEqual({ status: 403, codes: ['FORBIDDEN'] });
    expect(await all()).toEqual(before);
  });

  it('an object with only the key of a hidden row gets the response of the key itself', async () => {
    const before = await all();
    const [bare, object] = [
      await patch('editor', { painter: 3 }),
      await patch('editor', { painter: { id: 3 } }),
    ];
    expect({ status: object.status, errors: object.errors }).toEqual({ status: 400, errors: bare.errors });
    expect(object.codes).toEqual(['INVALID_FOREIGN_KEY']);
    expect(await all()).toEqual(before);
  });

  it('a row that may be created, but not changed, is refused like one that does not exist', async () => {
    const land = { code: 'de', name: 'Changed' };
    const { codes, errors } = await patch('traveller', { painter: { name: 'X', land } });
    expect(codes).toEqual(['FORBIDDEN']);
    expect(JSON.stringify(errors)).toContain('the item of \\"land\\" does not exist or may not be used');
  });

  it('validates the row with the key of the new parent', async () => {
    const before = await all();
    for (const painter of [{ name: 'New' }, { id: 2, name: 'Changed' }]) {
      expect((await patch('first', { painter })).codes).toEqual(['FAILED_VALIDATION']);
      const made = await send('first', 'POST', '/items/piece', { title: 'X', painter });
      expect(made.codes).toEqual(['FAILED_VALIDATION']);
    }
    expect(await all()).toEqual(before);
    expect((await patch('first', { painter: { id: 1, name: 'Ann' } })).status).toBe(200);
  });

  it('reports every problem of every level at once', async () => {
    const before = await all();
    const { errors } = await send('admin', 'POST', '/items/piece', {
      titel: 'X',
      painter: { rank: 'high', land: { code: 'xx' }, pieces: [{ title: 'x'.repeat(30) }] },
    });
    expect(errors.map(({ code, path }) => [code, path ?? []])).toEqual(
      expect.arrayContaining([
        ['INVALID_PAYLOAD', []],
        ['FAILED_VALIDATION', []],
        ['FAILED_VALIDATION', ['painter']],
        ['VALUE_TOO_LONG', ['painter', 'pieces']],
      ]),
    );
    expect(await all()).toEqual(before);
  });

  it.each([
    ['a stored row', 'de'],
    ['a new row', 'xx'],
  ])('reports the problems of %s whose key the client chose, with those of the row', async (_, code) => {
    const before = await all();
    const land = { code, name: 'x'.repeat(30) };
    const { status, errors } = await send('admin', 'PATCH', '/items/painter/1', { rank: 'high', land });
    expect(status).toBe(400);
    expect(errors.map(({ code: problem, field, pointer }) => [problem, field, pointer])).toEqual([
      ['FAILED_VALIDATION', 'rank', '/rank'],
      ['VALUE_TOO_LONG', 'name', '/land/name'],
    ]);
    // what only a new row would lack is not a problem of both
    const unnamed = await send('admin', 'PATCH', '/items/painter/1', { land: { code, title: 'X' } });
    expect(unnamed.codes).toEqual(['INVALID_PAYLOAD']);
    expect(await all()).toEqual(before);
  });

  it.each([
    ['its problem, which a new one does not have', 'settler', 400, ['FAILED_VALIDATION']],
    ['the response of a missing row where it may not be changed', 'traveller', 403, ['FORBIDDEN']],
  ])('a change of a stored row whose key the client chose gets %s', async (_, as, status, codes) => {
    const before = await all();
    const land = { code: 'de', name: 'bad' };
    expect(await patch(as, { painter: { name: 'X', land } })).toMatchObject({ status, codes });
    expect(await all()).toEqual(before);
    const made = await patch(as, { painter: { name: 'X', land: { ...land, code: 'xx' } } });
    expect(made.status).toBe(200);
  });

  it('stores nothing where the row itself fails', async () => {
    const before = await all();
    const { errors } = await send('admin', 'POST', '/items/piece_theme', {
      theme: { name: 'Lost' },
      piece: 900,
    });
    expect(errors).toMatchObject([{ code: 'INVALID_FOREIGN_KEY', field: 'piece', pointer: '/piece' }]);
    expect(await all()).toEqual(before);
  });

  it('rejects payloads that cross too many relations', async () => {
    const nested = (depth: number): unknown => ({
      name: 'T',
      ...(depth > 0 && { parent: nested(depth - 1) }),
    });
    expect((await send('admin', 'POST', '/items/theme', nested(10))).status).toBe(200);
    expect((await send('admin', 'POST', '/items/theme', nested(11))).codes).toEqual(['INVALID_PAYLOAD']);
  });
});
