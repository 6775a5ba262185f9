/** Constraint violations are reported by code, collection, field and value, and nothing is stored. */
import { beforeEach, describe, expect, it } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';
import { closedAccess, libraryMeta, librarySql, restoreSql } from './library.js';

const settings = settingsOf(import.meta.url);

/** Beside the library: checks and keys of several columns. */
const more = `
create table "gauge" (
  "id" {counter}, "level" integer check ("level" < 100), "name" varchar(10) not null default 'gauge', "low" integer, "high" integer,
  "size" {tiny}, "money" decimal(6,2),
  constraint "gauge_order" check ("low" <= "high")
);
create table "seat" ("row" integer not null, "place" varchar(4) not null, "taken" boolean, primary key ("row", "place"));
create table "ticket" (
  "id" {counter}, "seat_row" integer, "seat_place" varchar(4), "country" char(2),
  constraint "ticket_seat" foreign key ("seat_row", "seat_place") references "seat" ("row", "place"),
  constraint "ticket_country" foreign key ("country") references "country" ("code")
);
create table "hall" ("id" {counter}, "name" varchar(20), "code" varchar(10), constraint "hall_code" unique ("code"));
create table "show" ("id" {counter}, "hall" varchar(10), constraint "show_hall" foreign key ("hall") references "hall" ("code"));
insert into "hall" ("id", "code") values (1, 'a');
insert into "show" ("hall") values ('a');
create table "tenant" ("id" integer primary key);
create table "folder" (
  "tenant" integer not null, "id" integer not null, "parent" integer,
  primary key ("tenant", "id"),
  constraint "folder_tenant" foreign key ("tenant") references "tenant" ("id"),
  constraint "folder_parent" foreign key ("tenant", "parent") references "folder" ("tenant", "id")
);
insert into "tenant" values (1), (2);
insert into "folder" values (1, 1, null), (2, 1, null);
insert into "folder" values (1, 2, 1), (1, 3, 1), (2, 2, 1);
insert into "seat" values (1, 'a', false), (1, 'b', false), (2, 'a', true);
`;

const restoreMore = `delete from "ticket"; delete from "gauge"; insert into "gauge" ("id", "level", "low", "high") values (1, 5, 1, 2);`;

/** The place of a field of the only item, or of that with an index. */
const at = (field: string, index?: number) =>
  index === undefined ? { pointer: `/${field}` } : { index, pointer: `/${index}/${field}` };

const isbn = (value: string, place: object = at('isbn')) => ({
  code: 'RECORD_NOT_UNIQUE',
  collection: 'book',
  field: 'isbn',
  value,
  primaryKey: false,
  ...place,
});

const withIsbns = (values: readonly string[]) => values.map((value) => ({ title: 'x', isbn: value }));

const dangling = (
  field: string,
  value: unknown,
  { collection = 'book', place = at(field) as object } = {},
) => ({
  code: 'INVALID_FOREIGN_KEY',
  collection,
  field,
  value,
  ...place,
});

describe.each(settings)('constraints on $dialect through $listener', (setting) => {
  const { dialect } = setting;
  const server = useServer({
    ...setting,
    sql: librarySql(dialect) + sqlFor(dialect, more),
    meta: libraryMeta,
    access: closedAccess,
  });
  beforeEach(() => server().execute(sqlFor(dialect, restoreMore) + restoreSql(dialect)));

  const send = (method: string, path: string, body?: unknown) =>
    server().request(method, path, { as: 'admin', ...(body === undefined ? {} : { body }) });
  const count = async (collection: string): Promise<unknown> => {
    const { body } = await send('GET', `/items/${collection}?meta=total_count&limit=0`);
    return (body as { readonly meta: { readonly total_count: number } }).meta.total_count;
  };
  /** Sends what is to be refused; the one error, after making sure that nothing was stored. */
  const refusal = async (method: string, path: string, body?: unknown) => {
    const collection = path.split('/')[2] ?? '';
    const before = await count(collection);
    const { status, errors, text } = await send(method, path, body);
    expect({ status, count: errors.length, text }).toEqual({ status: 400, count: 1, text });
    expect(await count(collection)).toBe(before);
    return errors[0];
  };

  describe('a unique constraint', () => {
    it('rejects a stored value on create and update', async () => {
      expect(await refusal('POST', '/items/book', { title: 'x', isbn: 'B-1' })).toEqual(isbn('B-1'));
      expect(await refusal('PATCH', '/items/book/202', { isbn: 'B-1' })).toEqual(isbn('B-1'));
    });

    it('reports every existing or repeated value of a list', async () => {
      const { errors } = await send('POST', '/items/book', withIsbns(['N-1', 'B-2', 'N-2', 'N-1', 'B-2']));
      expect(errors.map(({ value, index }) => [index, value])).toEqual([
        [1, 'B-2'],
        [3, 'N-1'],
        [4, 'B-2'],
      ]);
      expect(await refusal('POST', '/items/book', withIsbns(['N-1', 'N-2', 'B-2', 'N-3']))).toEqual(
        isbn('B-2', at('isbn', 2)),
      );
    });

    it('rejects an update of several items', async () => {
      expect(await refusal('PATCH', '/items/book', { keys: [203, 205], data: { isbn: 'N-9' } })).toEqual(
        isbn('N-9', { pointer: '/data/isbn' }),
      );
      const each = [
        { id: 203, isbn: 'N-9' },
        { id: 205, isbn: 'D-1' },
      ];
      expect(await refusal('PATCH', '/items/book', each)).toEqual(isbn('D-1', at('isbn', 1)));
      expect((await send('GET', '/items/book/203?fields=isbn')).data).toEqual({ isbn: null });
    });

    it('over several columns is reported with the first of them that was sent', async () => {
      const error = {
        code: 'RECORD_NOT_UNIQUE',
        collection: 'shelf',
        field: 'room',
        value: 'north',
        primaryKey: false,
      };
      expect(await refusal('POST', '/items/shelf', { room: 'north', number: 2 })).toEqual({
        ...error,
        ...at('room'),
      });
      const list = [
        { room: 'east', number: 1 },
        { room: 'south', number: 1 },
      ];
      expect(await refusal('POST', '/items/shelf', list)).toEqual({
        ...error,
        value: 'south',
        ...at('room', 1),
      });
      expect(await refusal('PATCH', '/items/shelf/2', { number: 1 })).toEqual({
        ...error,
        field: 'number',
        value: 1,
        ...at('number'),
      });
    });

    it('of a primary key, of one or several columns, is reported as such', async () => {
      const error = {
        code: 'RECORD_NOT_UNIQUE',
        collection: 'country',
        field: 'code',
        value: 'de',
        primaryKey: true,
      };
      expect(await refusal('POST', '/items/country', { code: 'de', name: 'x' })).toEqual({
        ...error,
        ...at('code'),
      });
      expect(await refusal('POST', '/items/shelf', { id: 3, room: 'x', number: 1 })).toEqual({
        ...error,
        collection: 'shelf',
        field: 'id',
        value: 3,
        ...at('id'),
      });
      const seat = { row: 1, place: 'b' };
      expect(await refusal('POST', '/items/seat', [{ row: 9, place: 'z' }, seat])).toEqual({
        ...error,
        collection: 'seat',
        field: 'row',
        value: 1,
        ...at('row', 1),
      });
    });
  });

  describe('a reference', () => {
    it('to an item that does not exist is rejected', async () => {
      expect(await refusal('POST', '/items/book', { title: 'x', author: 99 })).toEqual(
        dangling('author', 99),
      );
      expect(await refusal('PATCH', '/items/book/201', { author: 99 })).toEqual(dangling('author', 99));
      expect(await refusal('PATCH', '/items/book', { keys: [201, 202], data: { author: 98 } })).toEqual(
        dangling('author', 98, { place: { pointer: '/data/author' } }),
      );
      expect(await refusal('POST', '/items/author', { name: 'x', country: 'zz' })).toEqual(
        dangling('country', 'zz', { collection: 'author' }),
      );
    });

    it('in a list is rejected with every value that has no target', async () => {
      const list = [1, null, 97, 2, 96, 97].map((author) => ({ title: 'x', author }));
      expect((await send('POST', '/items/book', list)).errors).toEqual([
        dangling('author', 97, { place: at('author', 2) }),
        dangling('author', 96, { place: at('author', 4) }),
        dangling('author', 97, { place: at('author', 5) }),
      ]);
    });

    it('of several columns is reported by the constraint that fails', async () => {
      const seat = { seat_row: 7, seat_place: 'a' };
      expect(await refusal('POST', '/items/ticket', { ...seat, country: 'de' })).toEqual(
        dangling('seat_row', 7, { collection: 'ticket' }),
      );
      expect(await refusal('POST', '/items/ticket', { seat_row: 1, seat_place: 'a', country: 'zz' })).toEqual(
        dangling('country', 'zz', { collection: 'ticket' }),
      );
      expect((await send('POST', '/items/ticket?fields=seat_row', { seat_row: 7 })).data).toEqual({
        seat_row: 7,
      });
    });

    it('of several columns within one table is read in both directions', async () => {
      const fields = 'folder.id,folder_by_tenant_parent.id';
      const { data } = await send('GET', `/items/folder?fields=${fields}&sort=tenant,id`);
      expect(data).toEqual([
        { folder: null, folder_by_tenant_parent: [{ id: 2 }, { id: 3 }] },
        { folder: { id: 1 }, folder_by_tenant_parent: [] },
        { folder: { id: 1 }, folder_by_tenant_parent: [] },
        { folder: null, folder_by_tenant_parent: [{ id: 2 }] },
        { folder: { id: 1 }, folder_by_tenant_parent: [] },
      ]);
      expect(await refusal('DELETE', '/items/folder/2,1')).toMatchObject({ code: 'INVALID_FOREIGN_KEY' });
    });

    it('prevents the deletion of its item', async () => {
      expect(await refusal('DELETE', '/items/book/201')).toEqual(dangling('id', 201, { place: {} }));
      expect(await refusal('DELETE', '/items/book', [204, 202])).toMatchObject({
        code: 'INVALID_FOREIGN_KEY',
        collection: 'book',
        field: 'id',
      });
    });

    it('prevents a change of the referenced value', async () => {
      const sent = { name: 'x', code: 'b' };
      expect(await refusal('PATCH', '/items/hall/1', sent)).toEqual(
        dangling('code', 'b', { collection: 'hall' }),
      );
      expect(await refusal('PATCH', '/items/hall/1', { code: null })).toEqual(
        dangling('code', null, { collection: 'hall' }),
      );
      expect(await refusal('DELETE', '/items/hall/1')).toEqual(
        dangling('id', 1, { collection: 'hall', place: {} }),
      );
    });

    it('is set to null or deleted as the database defines', async () => {
      expect((await send('DELETE', '/items/author/4')).status).toBe(204);
      expect((await send('GET', '/items/book/204?fields=author')).data).toEqual({ author: null });
      expect((await send('DELETE', '/items/shelf/1')).status).toBe(204);
      expect((await send('GET', '/items/book_shelf?filter[shelf][_eq]=1')).data).toEqual([]);
    });
  });

  describe('a value', () => {
    it('that is required is rejected when missing or null', async () => {
      const validation = { code: 'FAILED_VALIDATION', collection: 'book', field: 'title', path: [] };
      expect(await refusal('POST', '/items/book', { year: 1 })).toMatchObject({
        ...validation,
        type: 'required',
      });
      expect(await refusal('POST', '/items/book', { title: null })).toMatchObject({
        ...validation,
        type: 'nnull',
      });
      expect(await refusal('PATCH', '/items/book/201', { title: null })).toMatchObject({
        ...validation,
        type: 'nnull',
      });
      expect(await refusal('PATCH', '/items/gauge/1', { name: null })).toMatchObject({
        ...validation,
        collection: 'gauge',
        field: 'name',
      });
    });

    it('that is too long is rejected, counted in characters', async () => {
      const long = 'x'.repeat(21);
      const error = { code: 'VALUE_TOO_LONG', collection: 'book', field: 'isbn', value: long, ...at('isbn') };
      expect(await refusal('POST', '/items/book', { title: 'x', isbn: long })).toEqual(error);
      expect(await refusal('PATCH', '/items/book/201', { isbn: long })).toEqual(error);
      expect((await send('PATCH', '/items/book/201?fields=isbn', { isbn: 'ä'.repeat(20) })).data).toEqual({
        isbn: 'ä'.repeat(20),
      });
    });

    it.each([
      ['book', 'year', 40_000],
      ['book', 'year', -40_000],
      ['book', 'stock', dialect === 'sqlite' ? 2 ** 53 : 3_000_000_000],
      ['book', 'price', '123456789.00'],
      ['gauge', 'size', 32_768],
      ['gauge', 'money', 10_000],
    ])('of %s.%s that is out of range is rejected: %s', async (collection, field, value) => {
      const row = { title: 'x', [field]: value };
      const { title: _title, ...rest } = row;
      const error = { code: 'VALUE_OUT_OF_RANGE', collection, field, value, ...at(field) };
      expect(await refusal('POST', `/items/${collection}`, collection === 'book' ? row : rest)).toEqual(
        error,
      );
    });

    it.each([
      ['author', 'two'],
      ['year', 1.5],
      ['year', true],
      ['year', ''],
      ['price', 'dear'],
      ['lent', 'perhaps'],
      ['title', 5],
      ['title', ['x']],
      ['title', { a: 1 }],
      ['note', false],
    ])(
      'of %s with a wrong type is rejected with field, value and expected type: %j',
      async (field, value) => {
        const error = await refusal('PATCH', '/items/book/201', { [field]: value });
        expect(error).toMatchObject({
          code: 'FAILED_VALIDATION',
          collection: 'book',
          field,
          type: 'type',
          invalid: value,
        });
        expect(error?.expected).toEqual(expect.any(String));
      },
    );

    it.each(['2023-02-30', 'soon', '1950', 5])('%s is rejected as a date', async (born) => {
      expect(await refusal('PATCH', '/items/author/1', { born })).toMatchObject({
        field: 'born',
        type: 'type',
        invalid: born,
      });
    });

    it('that a check of the database rejects is reported with its field where the check has one', async () => {
      const error = {
        code: 'FAILED_VALIDATION',
        collection: 'book',
        field: 'stock',
        path: [],
        type: 'check',
      };
      const seen = await refusal('PATCH', '/items/book/201', { stock: -1 });
      expect(seen).toMatchObject({ code: 'FAILED_VALIDATION', collection: 'book', type: 'check' });
      expect([error.field, null]).toContain(seen?.field);
      expect(await refusal('PATCH', '/items/gauge/1', { level: 100 })).toMatchObject({
        code: 'FAILED_VALIDATION',
        collection: 'gauge',
        field: 'level',
        type: 'check',
        invalid: 100,
      });
      expect(await refusal('POST', '/items/gauge', { low: 2, high: 1 })).toMatchObject({
        collection: 'gauge',
        type: 'check',
      });
    });
  });

  it('stores no row of a list whose last row fails', async () => {
    const rows = Array.from({ length: 1_500 }, (_, index) => ({
      title: `Half ${index}`,
      isbn: `H-${index}`,
    }));
    await refusal('POST', '/items/book', [...rows, { title: 'last', isbn: 'B-1', stock: -1 }]);
    expect((await send('GET', '/items/book?filter[title][_starts_with]=Half')).data).toEqual([]);
  });

  it('no response contains the message of the database', async () => {
    const answers = await Promise.all([
      send('POST', '/items/book', { title: 'x', isbn: 'B-1' }),
      send('POST', '/items/book', { title: 'x', author: 99 }),
      send('PATCH', '/items/gauge/1', { level: 100 }),
      send('DELETE', '/items/book/201'),
    ]);
    for (const { text } of answers)
      expect(text).not.toMatch(/sql|constraint|duplicate entry|insert into|book_isbn|errno|at \w+ \(/i);
  });
});
