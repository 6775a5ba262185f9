/** Fields with a meaning, and values in every spelling. */
import { describe, expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settings, type TestMeta } from '../server-harness.js';

const exclaimed: Readonly<Record<TestDialect, string>> = {
  sqlite: '"text" || \'!\'',
  mariadb: 'concat("text", \'!\')',
  mysql: 'concat("text", \'!\')',
  postgres: '"text" || \'!\'',
};

const specials = (dialect: TestDialect): string =>
  sqlFor(
    dialect,
    `
create table "note" (
  "id" {uuid} primary key, "text" varchar(100) not null, "by" {uuid}, "at" {instant} null, "changed_by" {uuid}, "changed_at" {instant} null,
  "slug" varchar(20), "locked" varchar(20), "pass" varchar(255), "tags" varchar(60), "data" json, "flag" boolean,
  "twice" varchar(210) generated always as (${exclaimed[dialect]}) stored
);
create table "kinds" (
  "id" integer primary key, "word" varchar(20), "small" smallint, "big" bigint, "ratio" double precision, "price" decimal(20,6),
  "flag" boolean, "day" date, "clock" {clock}, "moment" {dateTime}, "instant" {instant} null, "code" {uuid}, "data" json, "bytes" {bytes}
);
create table "office" ("id" {counter}, "open" varchar(20) default 'shown', "secret" varchar(20) default 'concealed', "pass" varchar(100) default 'hashed', "part" varchar(20) default 'partial');
create table "settings" ("id" {counter}, "title" varchar(40) not null default 'Untitled', "size" integer default 3, "ratio" decimal(6,2) default 1.5);
`,
  );

const specialsMeta: TestMeta = {
  collections: { settings: { singleton: true }, office: { singleton: true } },
  fields: {
    office: { secret: { special: ['conceal'] }, pass: { special: ['hash'] } },
    // a uuid also where the database has no such type
    kinds: { code: { special: ['uuid'] } },
    note: {
      id: { special: ['uuid'] },
      by: { special: ['user-created'] },
      at: { special: ['date-created'] },
      changed_by: { special: ['user-updated'] },
      changed_at: { special: ['date-updated'] },
      slug: {
        validation: { _and: [{ slug: { _regex: '^[a-z-]+$' } }] },
        validation_message: 'small letters and dashes only',
      },
      locked: { readonly: true },
      pass: { special: ['hash', 'conceal'] },
      tags: { special: ['cast-csv'] },
    },
  },
};

describe.each(settings)('fields with a meaning on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: specials(setting.dialect),
    meta: specialsMeta,
    access: {
      policies: {
        Visitor: [
          {
            collection: 'office',
            action: 'read',
            fields: ['*'],
            permissions: { open: { _eq: 'real' } },
          },
          { collection: 'office', action: 'read', fields: ['open'], permissions: { open: { _eq: 'half' } } },
        ],
        Writer: (['create', 'read', 'update'] as const).map((action) => ({
          collection: 'note',
          action,
          fields: ['*'],
        })),
      },
      users: { visitor: { policies: ['Visitor'] }, writer: { policies: ['Writer'] } },
    },
  });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, ...(body === undefined ? {} : { body }) });
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

  it('fills in keys, users and times', async () => {
    const writer = server().ids.users.get('writer');
    const made = await send('writer', 'POST', '/items/note?fields=id,by,at,changed_by,changed_at,twice', {
      text: 'a',
    });
    const created = made.data as Readonly<Record<string, string>>;
    expect(created).toEqual({
      id: expect.stringMatching(uuid),
      by: writer,
      at: expect.stringMatching(/Z$/),
      changed_by: null,
      changed_at: null,
      twice: 'a!',
    });
    const { data } = await send(
      'admin',
      'PATCH',
      `/items/note/${created.id}?fields=by,at,changed_by,changed_at,twice`,
      { text: 'b' },
    );
    expect(data).toEqual({
      by: writer,
      at: created.at,
      changed_by: expect.stringMatching(uuid),
      changed_at: expect.stringMatching(/Z$/),
      twice: 'b!',
    });
  });

  it('prefers values of the client on create', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const { data } = await send('admin', 'POST', '/items/note?fields=id,at', {
      id: id.toUpperCase(),
      text: 'a',
      at: '2001-01-01T00:00:00Z',
    });
    expect(data).toEqual({ id, at: '2001-01-01T00:00:00Z' });
  });

  it('stores a hash as argon2id and never returns it', async () => {
    const { data } = await send('admin', 'POST', '/items/note?fields=id,pass', {
      text: 'a',
      pass: 'open sesame',
    });
    const { id, pass } = data as { readonly id: string; readonly pass: string };
    expect(pass).toBe('**********');
    const [row] = await server().database.query('select pass from note where id = ?', [id]);
    expect(row?.pass).toMatch(/^\$argon2id\$/);
  });

  it('rejects values by the validation of a field with its message', async () => {
    const { status, errors, text } = await send('writer', 'POST', '/items/note', { text: 'a', slug: 'NO!' });
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [
        { code: 'FAILED_VALIDATION', collection: 'note', field: 'slug', type: 'regex', invalid: 'NO!' },
      ],
    });
    expect(text).toContain('small letters and dashes only');
    expect((await send('writer', 'POST', '/items/note?fields=slug', { text: 'a', slug: null })).data).toEqual(
      { slug: null },
    );
  });

  it('permits only administrators to write read-only fields, and no one to write computed fields', async () => {
    expect((await send('writer', 'POST', '/items/note', { text: 'a', locked: 'x' })).codes).toEqual([
      'FORBIDDEN',
    ]);
    expect(
      (await send('admin', 'POST', '/items/note?fields=locked', { text: 'a', locked: 'x' })).data,
    ).toEqual({ locked: 'x' });
    expect((await send('admin', 'POST', '/items/note', { text: 'a', twice: 'x' })).codes).toEqual([
      'INVALID_PAYLOAD',
    ]);
  });

  it('accepts values in several formats and returns one', async () => {
    const { data } = await send('admin', 'POST', '/items/kinds', {
      id: '1',
      word: 'w',
      small: '-3',
      big: '9007199254740993',
      ratio: '1e2',
      price: 7,
      flag: 'true',
      day: '2024-02-29T10:00:00Z',
      clock: '07:08',
      moment: '2024-02-29',
      instant: '2024-02-29T01:00:00+02:00',
      code: '11111111-AAAA-4111-8111-111111111111',
      data: '{"a":[1,null]}',
      bytes: 'AQID',
    });
    expect(data).toEqual({
      id: 1,
      word: 'w',
      small: -3,
      big: '9007199254740993',
      ratio: 100,
      price: '7.000000',
      flag: true,
      day: '2024-02-29',
      clock: '07:08:00',
      moment: '2024-02-29T00:00:00',
      instant: '2024-02-28T23:00:00Z',
      code: '11111111-aaaa-4111-8111-111111111111',
      data: { a: [1, null] },
      bytes: 'AQID',
    });
    expect((await send('admin', 'GET', '/items/kinds/1')).data).toEqual(data);
  });

  it('accepts every value as it was read', async () => {
    const row = {
      id: 2,
      word: 'ünï "quoted" \\ 日本',
      small: 32767,
      big: '-9223372036854775808',
      ratio: 0.1,
      price: '-12.345678',
      flag: false,
      day: '0999-12-31',
      clock: '23:59:59',
      moment: '1000-01-01T00:00:00',
      instant: '2038-01-19T03:14:07Z',
      code: '00000000-0000-0000-0000-000000000000',
      data: ['list', { deep: true }, null, 1.5],
      bytes: '/+8=',
    };
    expect((await send('admin', 'POST', '/items/kinds', row)).data).toEqual(row);
    expect((await send('admin', 'PATCH', '/items/kinds/2', row)).data).toEqual(row);
  });

  it('keeps the structure of lists of texts and JSON values', async () => {
    const { data } = await send('admin', 'POST', '/items/note?fields=tags,data', {
      text: 'a',
      tags: ['x', 'y'],
      data: 'null',
    });
    expect(data).toEqual({ tags: ['x', 'y'], data: null });
    expect(
      (await send('admin', 'POST', '/items/note?fields=tags,data', { text: 'a', tags: '', data: '"t"' }))
        .data,
    ).toEqual({ tags: [], data: 't' });
    expect((await send('admin', 'POST', '/items/note', { text: 'a', tags: ['a,b'] })).codes).toEqual([
      'FAILED_VALIDATION',
    ]);
  });

  it('returns a singleton as one object, with defaults until it is saved', async () => {
    const empty = { id: null, title: 'Untitled', size: 3, ratio: '1.50' };
    expect((await send('admin', 'GET', '/items/settings')).data).toEqual(empty);
    expect((await send('admin', 'SEARCH', '/items/settings', { query: { fields: ['title'] } })).data).toEqual(
      { title: 'Untitled' },
    );
    const { data } = await send('admin', 'PATCH', '/items/settings?fields=title,size', { title: 'Ours' });
    expect(data).toEqual({ title: 'Ours', size: 3 });
    expect((await send('admin', 'PATCH', '/items/settings?fields=title,size', { size: 4 })).data).toEqual({
      title: 'Ours',
      size: 4,
    });
    expect((await send('admin', 'GET', '/items/settings?fields=title,size')).data).toEqual({
      title: 'Ours',
      size: 4,
    });
    expect((await send('admin', 'POST', '/items/settings', {})).codes).toEqual(['ROUTE_NOT_FOUND']);
    expect((await send('admin', 'PATCH', '/items/settings/1', {})).codes).toEqual(['ROUTE_NOT_FOUND']);
  });

  it('does not reveal hidden values in defaults', async () => {
    const get = async (as: string, query = '') => (await send(as, 'GET', `/items/office${query}`)).data;
    const all = { id: null, open: 'shown', secret: null, pass: null, part: 'partial' };
    expect(await get('admin')).toEqual(all);
    expect(await get('visitor')).toEqual({ ...all, part: null });
    await send('admin', 'PATCH', '/items/office', { open: 'closed' });
    const nothing = { id: null, open: null, secret: null, pass: null, part: null };
    expect(await get('visitor')).toEqual(nothing);
    const asked = { as: 'visitor', body: { query: '{ office { open part } }' } };
    const { data } = await server().request('POST', '/graphql', asked);
    expect(data).toEqual({ office: { open: null, part: null } });
    expect(await get('admin', '?filter[open][_eq]=other&fields=open')).toEqual({ open: 'shown' });
    await send('admin', 'PATCH', '/items/office', { open: 'half' });
    expect(await get('visitor', '?fields=open,part')).toEqual({ open: 'half', part: null });
    await send('admin', 'PATCH', '/items/office', { open: 'real' });
    expect(await get('visitor', '?fields=open,part')).toEqual({ open: 'real', part: 'partial' });
  });
});
