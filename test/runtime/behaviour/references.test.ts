/** Keys that a payload sets on relations: a row that the caller may not read is answered as one that does not exist. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { ask } from '../graphql/library.js';
import { recordStatements } from '../harness/statements.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess, TestPermission, TestServer } from '../server-harness.js';
import { libraryMeta, librarySql, restoreSql } from './library.js';

const dialects = dialectsOf(import.meta.url);

const userKeys: Readonly<Record<TestDialect, string>> = {
  sqlite: 'varchar(36)',
  mariadb: 'char(36) character set utf8mb4 collate utf8mb4_bin',
  mysql: 'char(36) character set utf8mb4 collate utf8mb4_bin',
  postgres: 'uuid',
};

/** Folders of tenants, whose key is part of every reference; a note refers to a book without a foreign key. */
const more = (dialect: TestDialect): string => `
create table "folder" (
  "tenant" integer not null, "id" integer not null, "parent" integer,
  primary key ("tenant", "id"),
  constraint "folder_parent" foreign key ("tenant", "parent") references "folder" ("tenant", "id")
);
create table "note" ("id" {counter}, "book" integer);
create table "task" ("id" integer primary key, "after" integer,
  constraint "task_after" foreign key ("after") references "task" ("id"));
create table "claim" ("id" {counter}, "holder" ${userKeys[dialect]},
  constraint "claim_holder" foreign key ("holder") references "svc_users" ("id"));
`;
const restoreMore = `{foreignKeysOff};delete from "folder"; delete from "note"; delete from "task"; delete from "claim";
insert into "folder" values (1, 1, null), (1, 2, null), (1, 3, null), (2, 1, null), (2, 3, null);
insert into "task" ("id", "after") values (1, null), (2, null), (3, 2);`;

const full = (
  collection: string,
  permissions?: object,
  actions: readonly TestPermission['action'][] = ['create', 'read', 'update'],
): readonly TestPermission[] =>
  actions.map((action) => ({
    collection,
    action,
    fields: ['*'],
    ...(action === 'read' && permissions !== undefined && { permissions }),
  }));

const access: TestAccess = {
  policies: {
    Clerk: [
      ...full('book', { id: { _neq: 205 } }),
      ...full('author', { id: { _in: [2, 3] } }),
      ...full('book_shelf', undefined, ['create', 'read', 'update', 'delete']),
      ...full('shelf', { id: { _in: [1, 2] } }),
      ...full('folder', { _or: [{ id: { _lt: 3 } }, { tenant: { _eq: 1 } }] }),
      ...full('note'),
      ...full('task', { id: { _neq: 2 } }),
      ...full('claim'),
      ...full('svc_users', { email: { _null: true } }, ['read']),
    ],
    /** Writes books without reading their author, and sees authors without their key. */
    Blind: [
      { collection: 'book', action: 'create', fields: ['title', 'author'] },
      { collection: 'book', action: 'update', fields: ['title', 'author'] },
      { collection: 'book', action: 'read', fields: ['id', 'title'] },
      { collection: 'author', action: 'read', fields: ['id'], permissions: { id: { _eq: 3 } } },
    ],
    Nameless: [
      { collection: 'book', action: 'create', fields: ['title', 'author'] },
      { collection: 'author', action: 'read', fields: ['name'] },
    ],
    Preset: [
      { collection: 'book', action: 'create', fields: ['title'], presets: { author: 1 } },
      { collection: 'book', action: 'update', fields: ['title'], presets: { author: 1 } },
      { collection: 'author', action: 'read', fields: ['*'], permissions: { id: { _eq: 2 } } },
    ],
  },
  users: {
    clerk: { policies: ['Clerk'] },
    blind: { policies: ['Blind'] },
    nameless: { policies: ['Nameless'] },
    preset: { policies: ['Preset'] },
  },
};

const broken = (
  collection: string,
  field: string,
  value: unknown,
  place: object = { pointer: `/${field}` },
) => ({
  status: 400,
  errors: [{ code: 'INVALID_FOREIGN_KEY', collection, field, value, ...place }],
});

const book = (author: number) => ({ title: 'x', author });

const withShelf = (shelf: number) => ({ title: 'x', shelves: [{ shelf: 1 }, { shelf }] });

const createBook = (server: TestServer, author: number) =>
  ask(server, `mutation { create_book_item(data: { title: "x", author: { id: ${author} } }) { id } }`, {
    as: 'clerk',
  });

describe.each(dialects)('references on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: librarySql(dialect) + sqlFor(dialect, more(dialect)),
    meta: libraryMeta,
    access,
  });
  beforeEach(() => server().execute(restoreSql(dialect) + sqlFor(dialect, restoreMore)));

  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, ...(body !== undefined && { body }) });
  const count = async (collection: string): Promise<number> =>
    ((await send('admin', 'GET', `/items/${collection}?limit=-1`)).data as unknown[]).length;

  /** Sends a payload that names a hidden row, and one that names a missing one; the status, and both texts. */
  const sendBoth = async (
    [method, path, body]: readonly [string, string, (key: number) => unknown],
    { as = 'clerk', hidden = 1, missing = 999_999 } = {},
  ) => {
    const [first, second] = [
      await send(as, method, path, body(hidden)),
      await send(as, method, path, body(missing)),
    ];
    expect(first.text).toBe(second.text.replaceAll(String(missing), String(hidden)));
    expect(first.status).toBe(second.status);
    return { status: first.status, errors: first.errors };
  };

  it('returns the same error for a hidden and for a missing row, and stores nothing', async () => {
    const before = await count('book');
    const error = broken('book', 'author', 1);
    expect(await sendBoth(['POST', '/items/book', book])).toEqual(error);
    expect(await sendBoth(['POST', '/items/book', (key) => [book(2), book(key), book(3)]])).toEqual(
      broken('book', 'author', 1, { index: 1, pointer: '/1/author' }),
    );
    expect(await sendBoth(['PATCH', '/items/book/201', book])).toEqual(error);
    expect(
      await sendBoth(['PATCH', '/items/book', (key) => ({ keys: [201, 202], data: book(key) })]),
    ).toEqual(broken('book', 'author', 1, { pointer: '/data/author' }));
    expect(
      await sendBoth([
        'PATCH',
        '/items/book',
        (key) => [
          { id: 201, author: 3 },
          { id: 202, author: key },
        ],
      ]),
    ).toEqual(broken('book', 'author', 1, { index: 1, pointer: '/1/author' }));
    expect(await count('book')).toBe(before);
    expect((await send('admin', 'GET', '/items/book/201?fields=title,author')).data).toEqual({
      title: 'Few Words',
      author: 2,
    });
  });

  it('returns the same error if the payload has other problems', async () => {
    expect(await sendBoth(['POST', '/items/book', (author) => ({ ...book(author), isbn: 'B-1' })])).toEqual(
      broken('book', 'author', 1),
    );
    expect(await sendBoth(['PATCH', '/items/book/999998', (author) => ({ author })])).toEqual(
      broken('book', 'author', 1),
    );
  });

  it('returns the same error for rows of lists', async () => {
    expect(await sendBoth(['POST', '/items/book', withShelf], { hidden: 3 })).toEqual(
      broken('book_shelf', 'shelf', 3, { path: ['shelves'], pointer: '/shelves/1/shelf' }),
    );
    expect(
      await sendBoth(['PATCH', '/items/author/2', (shelf) => ({ books: { create: [withShelf(shelf)] } })], {
        hidden: 3,
      }),
    ).toEqual(
      broken('book_shelf', 'shelf', 3, {
        path: ['books', 'shelves'],
        pointer: '/books/create/0/shelves/1/shelf',
      }),
    );
  });

  it('reports every broken reference of a payload, each with its place', async () => {
    const shelves = [{ shelf: 1 }, { shelf: 3 }, { shelf: 999 }, { shelf: 3 }];
    const { errors } = await send('clerk', 'POST', '/items/book', [
      book(1),
      { ...book(2), shelves },
      book(3),
      book(999),
    ]);
    expect(errors.map(({ code, pointer, index }) => [code, pointer, index])).toEqual([
      ['INVALID_FOREIGN_KEY', '/0/author', 0],
      ['INVALID_FOREIGN_KEY', '/3/author', 3],
      ['INVALID_FOREIGN_KEY', '/1/shelves/1/shelf', 1],
      ['INVALID_FOREIGN_KEY', '/1/shelves/2/shelf', 1],
      ['INVALID_FOREIGN_KEY', '/1/shelves/3/shelf', 1],
    ]);
  });

  it('returns the same error in GraphQL', async () => {
    const [hidden, missing] = [await createBook(server(), 1), await createBook(server(), 999_999)];
    expect(hidden.codes).toEqual(['INVALID_FOREIGN_KEY']);
    expect(hidden.text).toBe(missing.text.replaceAll('999999', '1'));
  });

  it('stores a reference to a readable row', async () => {
    const made = await send('clerk', 'POST', '/items/book?fields=author,shelves.shelf', {
      title: 'x',
      author: 3,
      shelves: [{ shelf: 2 }],
    });
    expect(made.data).toEqual({ author: 3, shelves: [{ shelf: 2 }] });
    expect((await send('clerk', 'PATCH', '/items/book/201', { author: null })).status).toBe(200);
  });

  it('accepts a stored key again if the caller can read it', async () => {
    const same = await send('clerk', 'PATCH', '/items/book/2?fields=title,author', {
      title: 'New',
      author: 1,
    });
    expect(same.data).toEqual({ title: 'New', author: 1 });
    const several = (keys: readonly number[]) =>
      send('clerk', 'PATCH', '/items/book', { keys, data: { author: 1 } });
    expect((await several([2, 3])).status).toBe(200);
    expect((await several([2, 201])).codes).toEqual(['INVALID_FOREIGN_KEY']);
  });

  it('does not reveal a stored key that the caller cannot read', async () => {
    expect(
      await sendBoth(['PATCH', '/items/book/201', (author) => ({ author })], { as: 'blind', hidden: 2 }),
    ).toEqual(broken('book', 'author', 2));
    expect((await send('blind', 'PATCH', '/items/book/201', { author: 3 })).status).toBe(200);
  });

  it('requires read permission for the key field', async () => {
    expect(
      await sendBoth(['POST', '/items/book', (author) => ({ title: 'x', author })], { as: 'nameless' }),
    ).toEqual(broken('book', 'author', 1));
  });

  it('does not check keys of presets', async () => {
    expect((await send('preset', 'POST', '/items/book', { title: 'Set' })).status).toBe(204);
    expect((await send('preset', 'PATCH', '/items/book/201', { title: 'Set' })).status).toBe(204);
    const { data } = await send('admin', 'GET', '/items/book?fields=author&filter[title][_eq]=Set');
    expect(data).toEqual([{ author: 1 }, { author: 1 }]);
  });

  it('accepts the own user of a caller who cannot read it, and no other', async () => {
    const [own = '', other = ''] = ['clerk', 'blind'].map((name) => server().ids.users.get(name));
    const claim = (holder: string) => send('clerk', 'POST', '/items/claim?fields=holder', { holder });
    expect((await claim(own.toUpperCase())).data).toEqual({ holder: own });
    expect((await claim(other)).codes).toEqual(['INVALID_FOREIGN_KEY']);
    const { data } = await send('admin', 'POST', '/items/claim?fields=id', {});
    const change = (holder: string) =>
      send('clerk', 'PATCH', `/items/claim/${(data as { readonly id: number }).id}?fields=holder`, {
        holder,
      });
    expect((await change(other)).codes).toEqual(['INVALID_FOREIGN_KEY']);
    expect((await change(own)).data).toEqual({ holder: own });
  });

  it('checks composite keys with the stored values of the row', async () => {
    expect(
      await sendBoth(['POST', '/items/folder', (parent) => ({ tenant: 2, id: 9, parent })], { hidden: 3 }),
    ).toEqual(broken('folder', 'tenant', 2));
    expect((await send('clerk', 'POST', '/items/folder', { tenant: 1, id: 9, parent: 3 })).status).toBe(200);
    expect(await sendBoth(['PATCH', '/items/folder/2,1', (parent) => ({ parent })], { hidden: 3 })).toEqual(
      broken('folder', 'tenant', null),
    );
    expect((await send('clerk', 'PATCH', '/items/folder/1,1', { parent: 3 })).status).toBe(200);
  });

  it('stores references to rows of the same payload', async () => {
    const rows = [{ id: 10 }, { id: 11, after: 10 }];
    expect((await send('clerk', 'POST', '/items/task', rows)).status).toBe(200);
    expect(await sendBoth(['POST', '/items/task', (after) => ({ id: 12, after })], { hidden: 2 })).toEqual(
      broken('task', 'after', 2),
    );
  });

  it('finds many broken references by few statements', async () => {
    const stored = Array.from({ length: 300 }, (_, index) => ({ id: 100 + index }));
    expect((await send('clerk', 'POST', '/items/task?fields=id', stored)).status).toBe(200);
    const rows = stored.map(({ id }) => ({ id: 1_000 + id, after: id % 2 === 0 ? id : 9_000 + id }));
    const statements = await recordStatements(server().database, async () => {
      expect((await send('clerk', 'POST', '/items/task', rows)).errors).toHaveLength(150);
    });
    expect(statements.length).toBeLessThan(20);
  });

  it('reports by the foreign key only references to rows that the payload does not create', async () => {
    const rows = [{ id: 10 }, { id: 11, after: 10 }, { id: 12, after: 99 }];
    const { status, errors } = await send('admin', 'POST', '/items/task', rows);
    expect({ status, errors }).toEqual(broken('task', 'after', 99, { index: 2, pointer: '/2/after' }));
  });

  it('accepts any value if there is no foreign key', async () => {
    expect((await send('clerk', 'POST', '/items/note', { book: 205 })).status).toBe(200);
    expect((await send('clerk', 'POST', '/items/note', { book: 999_999 })).status).toBe(200);
  });

  it('returns the same error for a hidden and for a missing entry of a list', async () => {
    expect(
      await sendBoth(['PATCH', '/items/author/2', (id) => ({ books: { update: [{ id, title: 'x' }] } })], {
        hidden: 205,
        as: 'blind',
      }),
    ).toMatchObject({
      status: 403,
    });
    expect(
      await sendBoth(['PATCH', '/items/book/201', (key) => ({ shelves: [`201,${key}`] })], { hidden: 2 }),
    ).toMatchObject({ status: 403 });
  });
});
