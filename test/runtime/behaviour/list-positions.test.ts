/** Positions of rows in lists with a `sort_field`, and rows of lists with keys that the client chooses. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess, TestMeta } from '../server-harness.js';

const dialects = dialectsOf(import.meta.url);

const tables = `
create table "mix" ("id" {counter}, "name" varchar(20) not null);
create table "song" ("id" {counter}, "title" varchar(20) not null);
create table "track" (
  "id" {counter},
  "mix" integer,
  "song" integer,
  "note" varchar(20),
  "position" smallint,
  "edits" integer not null default 0,
  constraint "track_mix" foreign key ("mix") references "mix" ("id"),
  constraint "track_song" foreign key ("song") references "song" ("id")
);
create table "label" (
  "code" varchar(8) not null primary key,
  "text" varchar(20) not null,
  "mix" integer,
  "position" bigint,
  constraint "label_mix" foreign key ("mix") references "mix" ("id")
);
`;

const rows = `
insert into "mix" ("id", "name") values (1, 'One'), (2, 'Two');
insert into "song" ("id", "title") values (1, 'Alpha'), (2, 'Beta');
insert into "track" ("id", "mix", "song", "position") values (11, 1, 1, 1), (12, 1, 2, 4), (13, 1, 1, null), (21, 2, 1, 1);
insert into "label" ("code", "text", "mix", "position") values ('a', 'A', 1, 1), ('z', 'Z', 2, 1);
`;

const restore = (dialect: TestDialect): string =>
  sqlFor(
    dialect,
    ['label', 'track', 'song', 'mix'].map((table) => `delete from "${table}";`).join('') + rows,
  );

const meta: TestMeta = {
  relations: [
    {
      many_collection: 'track',
      many_field: 'mix',
      one_collection: 'mix',
      one_field: 'tracks',
      junction_field: 'song',
      sort_field: 'position',
    },
    {
      many_collection: 'label',
      many_field: 'mix',
      one_collection: 'mix',
      one_field: 'labels',
      sort_field: 'position',
    },
  ],
};

const access: TestAccess = {
  policies: {
    Reading: ['mix', 'track', 'label', 'song'].map((collection) => ({
      collection,
      action: 'read' as const,
      fields: ['*'],
    })),
    Lists: [{ collection: 'mix', action: 'update', fields: ['tracks', 'labels'] }],
    /** Adds and takes tracks, but does not order them. */
    Adder: [
      { collection: 'track', action: 'create', fields: ['mix', 'note'] },
      { collection: 'track', action: 'update', fields: ['mix'] },
    ],
    /** Renames labels of the first mix. */
    Renamer: [{ collection: 'label', action: 'update', fields: ['text', 'mix', 'position'] }],
  },
  users: {
    adder: { policies: ['Reading', 'Lists', 'Adder'] },
    renamer: { policies: ['Reading', 'Lists', 'Renamer'] },
  },
};

describe.each(dialects)('positions in lists on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlFor(dialect, tables + rows), meta, access });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, ...(body !== undefined && { body }) });
  const patch = (as: string, body: unknown) => send(as, 'PATCH', '/items/mix/1?fields=id', body);
  const tracks = async (mix = 1): Promise<unknown> => {
    const { data } = await send(
      'admin',
      'GET',
      `/items/track?filter[mix][_eq]=${mix}&sort=position,id&limit=-1`,
    );
    return (data as Readonly<Record<string, unknown>>[])
      .filter(({ position }) => position !== null)
      .map(({ id, note, position }) => [note ?? id, position]);
  };
  const labels = async (mix = 1): Promise<unknown> => {
    const { data } = await send('admin', 'GET', `/items/label?filter[mix][_eq]=${mix}&sort=position`);
    return (data as Readonly<Record<string, unknown>>[]).map(({ code, text, position }) => [
      code,
      text,
      position,
    ]);
  };

  beforeEach(() => server().execute(restore(dialect)));

  it('puts new rows of a list of changes after the last one', async () => {
    await patch('admin', { tracks: { create: [{ note: 'x' }, { note: 'y' }] } });
    expect(await tracks()).toEqual([
      [11, 1],
      [12, 4],
      ['x', 5],
      ['y', 6],
    ]);
  });

  it('begins with 1 where the list is empty', async () => {
    const { data } = await send('admin', 'POST', '/items/mix?fields=id,tracks.note,tracks.position', {
      name: 'New',
      tracks: { create: [{ note: 'x' }, { note: 'y' }] },
    });
    expect(data).toMatchObject({
      tracks: [
        { note: 'x', position: 1 },
        { note: 'y', position: 2 },
      ],
    });
  });

  it('keeps a position that the payload gives', async () => {
    await patch('admin', { tracks: { create: [{ note: 'x', position: 40 }, { note: 'y' }] } });
    expect(await tracks()).toEqual([
      [11, 1],
      [12, 4],
      ['y', 6],
      ['x', 40],
    ]);
  });

  it('makes the order of a complete list the positions: of keys, new rows and changed rows', async () => {
    const { status } = await patch('admin', {
      tracks: [{ note: 'x' }, 13, { id: 11, note: 'changed' }, { song: 2, note: 'y' }, 21],
    });
    expect(status).toBe(200);
    expect(await tracks()).toEqual([
      ['x', 1],
      [13, 2],
      ['changed', 3],
      ['y', 4],
      [21, 5],
    ]);
    expect(await tracks(2)).toEqual([]);
  });

  it('gives 64-bit positions', async () => {
    await patch('admin', { labels: [{ code: 'b', text: 'B' }, 'a'] });
    expect(await labels()).toEqual([
      ['b', 'B', '1'],
      ['a', 'A', '2'],
    ]);
  });

  it('orders no rows for a caller without the permission, but gives new rows a position', async () => {
    const { status } = await patch('adder', { tracks: [13, { note: 'x' }, 12, 11] });
    expect(status).toBe(200);
    expect(await tracks()).toEqual([
      [11, 1],
      ['x', 2],
      [12, 4],
    ]);
  });

  it('creates the row of a key that no row has, where clients choose keys', async () => {
    const { status } = await patch('admin', {
      labels: [{ code: 'new', text: 'New' }, { code: 'a', text: 'Changed' }, { code: 'z' }],
    });
    expect(status).toBe(200);
    expect(await labels()).toEqual([
      ['new', 'New', '1'],
      ['a', 'Changed', '2'],
      ['z', 'Z', '3'],
    ]);
    expect(await labels(2)).toEqual([]);
  });

  it('changes a row that the same list creates before', async () => {
    await patch('admin', {
      labels: [
        { code: 'n', text: 'N' },
        { code: 'n', text: 'N2' },
      ],
    });
    expect(await labels()).toEqual([['n', 'N2', '2']]);
  });

  it.each([
    ['a bare key', { labels: ['absent'] }],
    ['a key that the database counts', { tracks: [{ id: 900, note: 'x' }] }],
    ['a change', { labels: { update: [{ code: 'absent', text: 'X' }] } }],
  ])('creates no row for %s', async (_, body) => {
    const { status, codes } = await patch('admin', body);
    expect([status, codes]).toEqual([403, ['FORBIDDEN']]);
    expect(await labels()).toEqual([['a', 'A', '1']]);
  });

  it('reports what a row with a chosen key lacks', async () => {
    const { status, codes } = await patch('admin', { labels: [{ code: 'lacking' }] });
    expect([status, codes]).toEqual([400, ['FAILED_VALIDATION']]);
  });

  it('returns the same error to a caller who cannot create rows as for a row that cannot be used', async () => {
    const { codes } = await patch('renamer', { labels: ['a', { code: 'absent', text: 'X' }] });
    expect(codes).toEqual(['FORBIDDEN']);
    expect(await labels()).toEqual([['a', 'A', '1']]);
  });
});
