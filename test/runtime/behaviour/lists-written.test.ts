/** Lists that are written through their owner: every row under its own grant, in one transaction. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess, TestMeta } from '../server-harness.js';
import { libraryMeta, librarySql, restoreSql } from './library.js';

const dialects = dialectsOf(import.meta.url);

const access: TestAccess = {
  policies: {
    Reader: [
      { collection: 'author', action: 'read', fields: ['*'] },
      { collection: 'book', action: 'read', fields: ['*'], permissions: { title: { _neq: 'Last Words' } } },
    ],
    /** Changes authors and their books, but never moves a book. */
    Editor: [
      { collection: 'author', action: 'update', fields: ['name', 'books'] },
      { collection: 'author', action: 'create', fields: ['name', 'books'] },
      { collection: 'book', action: 'update', fields: ['title'] },
      {
        collection: 'book',
        action: 'create',
        fields: ['title', 'stock'],
        validation: { stock: { _lte: 10 } },
      },
    ],
    /** Makes books for authors, with the rule that says whose. */
    Writer: [
      { collection: 'author', action: 'update', fields: ['books'] },
      {
        collection: 'book',
        action: 'create',
        fields: ['title', 'author'],
        validation: { author: { _eq: 2 } },
      },
      { collection: 'book', action: 'update', fields: ['author'], permissions: { stock: { _gt: 0 } } },
    ],
  },
  users: {
    editor: { policies: ['Reader', 'Editor'] },
    writer: { policies: ['Reader', 'Writer'] },
    blind: { policies: ['Writer'] },
  },
};

const at = (field: string) => ({
  collection: 'book',
  path: ['books'],
  field,
  pointer: `/books/create/1/${field}`,
});

describe.each(dialects)('lists through their owner on %s', (dialect) => {
  const server = useServer({ dialect, sql: librarySql(dialect), meta: libraryMeta, access });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, ...(body !== undefined && { body }) });
  const books = async (): Promise<unknown> =>
    (await send('admin', 'GET', '/items/book?fields=id,title,author&filter[id][_gt]=200&sort=id')).data;

  beforeEach(() => server().execute(restoreSql(dialect)));

  it('adds new rows, keeps listed rows and detaches others', async () => {
    const { data } = await send('admin', 'PATCH', '/items/author/2?fields=books.title', {
      books: [201, { title: 'New Words' }, { id: 202, title: 'Fewest Words' }],
    });
    expect(data).toEqual({
      books: [{ title: 'Few Words' }, { title: 'Fewest Words' }, { title: 'New Words' }],
    });
    expect((await send('admin', 'GET', '/items/book/203?fields=author')).data).toEqual({ author: null });
  });

  it('creates an owner and nested rows together or not at all', async () => {
    const made = await send('admin', 'POST', '/items/author?fields=name,books.title,books.review.stars', {
      name: 'Emil',
      books: [{ title: 'One', review: [{ stars: 3 }] }, { title: 'Two' }],
    });
    expect(made.data).toEqual({
      name: 'Emil',
      books: [
        { title: 'One', review: [{ stars: 3 }] },
        { title: 'Two', review: [] },
      ],
    });
    const failed = await send('admin', 'POST', '/items/author', {
      name: 'Frida',
      books: [{ title: 'Three' }, { title: 'Four', isbn: 'B-1' }],
    });
    expect(failed.errors).toEqual([
      expect.objectContaining({ code: 'RECORD_NOT_UNIQUE', collection: 'book', field: 'isbn', value: 'B-1' }),
    ]);
    expect((await send('admin', 'GET', '/items/author?filter[name][_eq]=Frida')).data).toEqual([]);
    expect((await send('admin', 'GET', '/items/book?filter[title][_eq]=Three')).data).toEqual([]);
  });

  it('reports all problems with their paths before writing', async () => {
    const { status, errors } = await send('admin', 'POST', '/items/author', {
      name: null,
      books: [{ title: 'x', stock: 'many' }, { review: [{ words: 'y' }] }],
    });
    expect(status).toBe(400);
    expect(errors.map(({ field, path, type }) => [field, path, type])).toEqual([
      ['name', [], 'nnull'],
      ['stock', ['books'], 'type'],
      ['title', ['books'], 'required'],
      ['stars', ['books', 'review'], 'required'],
    ]);
  });

  it.each([
    ['a text', 'all'],
    ['an unknown part', { add: [] }],
    ['a part that is no list', { create: {} }],
    ['an update without key', { update: [{ title: 'x' }] }],
    ['nothing of it', {}],
  ])('%s is not a list', async (_, value) => {
    const { status, codes } = await send('admin', 'PATCH', '/items/author/2', { books: value });
    expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
  });

  it.each([
    [
      {
        create: [],
        update: [
          { id: 201, title: 'x' },
          { id: 999, title: 'y' },
        ],
      },
      ['/books/update/1'],
    ],
    [[201, { title: 'new' }, 999, 998], ['/books/2']],
    [{ delete: [999, 201, 998] }, ['/books/delete/0', '/books/delete/2']],
  ])('names the place of a row that does not exist: %j', async (list, pointers) => {
    const { status, errors } = await send('admin', 'PATCH', '/items/author/2', { books: list });
    expect(status).toBe(403);
    expect(errors).toEqual(
      pointers.map((pointer) => expect.objectContaining({ code: 'FORBIDDEN', path: ['books'], pointer })),
    );
  });

  it('answers alike for a missing row and for a hidden one', async () => {
    await server().execute("update book set title = 'Last Words', stock = 0 where id = 204");
    const [hidden, missing] = await Promise.all(
      [204, 999].map((id) => send('writer', 'PATCH', '/items/author/2', { books: [{ id, author: 2 }] })),
    );
    expect(hidden?.codes).toEqual(['FORBIDDEN']);
    expect(hidden?.text).toBe(missing?.text);
  });

  it('deletes rows with composite keys that are removed from the list', async () => {
    const { data } = await send('admin', 'PATCH', '/items/book/201?fields=shelves.shelf,shelves.position', {
      shelves: ['201,3', { shelf: 2, position: 9 }],
    });
    expect(data).toEqual({
      shelves: [
        { shelf: 3, position: 1 },
        { shelf: 2, position: 9 },
      ],
    });
    expect((await send('admin', 'PATCH', '/items/book/202', { shelves: ['201,3'] })).codes).toEqual([
      'FORBIDDEN',
    ]);
  });

  it('deletes rows that require an owner only explicitly', async () => {
    const refused = await send('admin', 'PATCH', '/items/book/201', { review: [1] });
    expect(refused.errors).toEqual([
      expect.objectContaining({ code: 'FAILED_VALIDATION', field: 'book', path: ['review'], type: 'nnull' }),
    ]);
    const { data } = await send('admin', 'PATCH', '/items/book/201?fields=review', {
      review: { delete: [2] },
    });
    expect(data).toEqual({ review: [1] });
    expect((await send('admin', 'GET', '/items/review/2')).codes).toEqual(['FORBIDDEN']);
  });

  it('reports list and index of a nested row with a problem', async () => {
    const create = [
      { title: 'fine' },
      { title: 'x', isbn: 'far too long to be an isbn', stock: 1e30, year: 'x' },
    ];
    const { status, errors } = await send('admin', 'PATCH', '/items/author/2', { books: { create } });
    expect(status).toBe(400);
    expect(errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...at('isbn'), code: 'VALUE_TOO_LONG' }),
        expect.objectContaining({ ...at('stock'), code: 'VALUE_OUT_OF_RANGE' }),
        expect.objectContaining({ ...at('year'), code: 'FAILED_VALIDATION' }),
      ]),
    );
    expect(errors).toHaveLength(3);
  });

  it('requires the permission of every row', async () => {
    const before = await books();
    for (const list of [
      [201, 202, { title: 'x' }],
      { create: [{ title: 'x', stock: 1 }] },
      { update: [{ id: 201, stock: 1 }] },
      { update: [{ id: 204, title: 'taken' }] },
      { delete: [201] },
      [201],
    ]) {
      const { status, codes } = await send('editor', 'PATCH', '/items/author/2', { books: list });
      expect({ list, status, codes }).toEqual({ list, status: 403, codes: ['FORBIDDEN'] });
    }
    expect(await books()).toEqual(before);
    const update = { books: { update: [{ id: 201, title: 'Renamed' }] } };
    expect((await send('editor', 'PATCH', '/items/author/2?fields=name', update)).status).toBe(200);
    expect((await send('admin', 'GET', '/items/book/201?fields=title')).data).toEqual({ title: 'Renamed' });
  });

  it('applies rules on the owner to new rows whose owner has a generated key', async () => {
    expect(
      (await send('writer', 'PATCH', '/items/author/2?fields=id', { books: { create: [{ title: 'x' }] } }))
        .status,
    ).toBe(200);
    const { errors } = await send('writer', 'PATCH', '/items/author/4', {
      books: { create: [{ title: 'x' }] },
    });
    expect(errors).toEqual([
      expect.objectContaining({ code: 'FAILED_VALIDATION', field: 'author', path: ['books'] }),
    ]);
  });

  it('rejects rows with another owner', async () => {
    const { codes } = await send('writer', 'PATCH', '/items/author/4', {
      books: { create: [{ title: 'x', author: 2 }] },
    });
    expect(codes).toEqual(['FAILED_VALIDATION']);
    const path = '/items/author/4?fields=books.title';
    const { data } = await send('admin', 'PATCH', path, { books: { create: [{ title: 'x', author: 2 }] } });
    expect(data).toEqual({ books: [{ title: 'Stray' }, { title: 'x' }] });
  });

  it('does not change rows that are hidden from the caller', async () => {
    const { status } = await send('writer', 'PATCH', '/items/author/2?fields=id', { books: [201, 202] });
    expect(status).toBe(200);
    expect((await send('admin', 'GET', '/items/book/203?fields=author')).data).toEqual({ author: 2 });
    expect((await send('blind', 'PATCH', '/items/author/2', { books: [] })).status).toBe(204);
    expect((await send('admin', 'GET', '/items/author/2?fields=books')).data).toEqual({
      books: [201, 202, 203],
    });
    const [hidden, missing] = [
      await send('writer', 'PATCH', '/items/author/2', { books: { delete: [203] } }),
      await send('writer', 'PATCH', '/items/author/2', { books: { delete: [9999] } }),
    ];
    expect(hidden.text).toBe(missing.text);
  });
});

/** Foreign keys that share a column with the key, or with what must have a value; and one to a column that may be null. */
const offices = `
create table "office" ("id" integer not null primary key);
create table "paper" (
  "office" integer not null, "id" integer not null,
  primary key ("office", "id"), foreign key ("office") references "office" ("id")
);
create table "remark" (
  "id" integer not null primary key, "office" integer not null, "paper_id" integer,
  foreign key ("office", "paper_id") references "paper" ("office", "id")
);
create table "drawer" (
  "office" integer not null, "id" integer not null, "parent" integer, "label" varchar(20), primary key ("office", "id"),
  constraint "drawer_parent" foreign key ("office", "parent") references "drawer" ("office", "id")
);
create table "clerk" ("id" {counter}, "code" varchar(10), constraint "clerk_code" unique ("code"));
create table "task" (
  "id" integer not null primary key, "clerk_code" varchar(10),
  foreign key ("clerk_code") references "clerk" ("code") on update cascade
);
`;

const officeRows = `
delete from "task"; delete from "clerk"; delete from "remark"; delete from "paper";
update "drawer" set "parent" = null; delete from "drawer"; delete from "office";
insert into "office" values (1), (2);
insert into "paper" values (1, 1), (1, 2);
insert into "remark" values (1, 1, 1), (2, 1, 1), (3, 2, null);
insert into "drawer" values (1, 1, null, 'one'), (1, 10, 1, 'ten'), (1, 11, 1, 'eleven'), (1, 20, null, 'loose'), (2, 30, null, 'far');
insert into "clerk" ("id", "code") values (1, 'a'), (2, null);
insert into "task" values (1, 'a'), (2, null);
`;

const officeMeta: TestMeta = {
  relations: [
    { many_collection: 'remark', many_field: 'paper', one_collection: 'paper', one_field: 'remarks' },
    { many_collection: 'drawer', many_field: 'drawer', one_collection: 'drawer', one_field: 'drawers' },
    { many_collection: 'task', many_field: 'clerk_code', one_collection: 'clerk', one_field: 'tasks' },
  ],
};

const officeAccess: TestAccess = {
  policies: {
    Reader: ['drawer', 'remark', 'clerk', 'task'].map((collection) => ({
      collection,
      action: 'read',
      fields: collection === 'clerk' ? ['id', 'tasks'] : ['*'],
    })),
    /** Moves rows, but between offices. */
    Mover: [
      { collection: 'paper', action: 'update', fields: ['remarks'] },
      { collection: 'remark', action: 'update', fields: ['paper_id'] },
      { collection: 'drawer', action: 'update', fields: ['drawers', 'parent'] },
      { collection: 'clerk', action: 'update', fields: ['tasks'] },
    ],
  },
  users: { mover: { policies: ['Reader', 'Mover'] } },
};

describe.each(dialects)('rows that share columns with their owner on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, offices),
    meta: officeMeta,
    access: officeAccess,
  });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, `/items/${path}`, { as, ...(body !== undefined && { body }) });
  const remarks = async () => (await send('admin', 'GET', 'remark?fields=id,office,paper_id&sort=id')).data;
  const drawers = async () =>
    (await send('admin', 'GET', 'drawer?fields=id,parent&sort=id')).data as readonly {
      readonly id: number;
      readonly parent: number | null;
    }[];
  const parents = async () => Object.fromEntries((await drawers()).map(({ id, parent }) => [id, parent]));

  beforeEach(() => server().execute(sqlFor(dialect, officeRows)));

  it.each(['admin', 'mover'])('are detached by their nullable columns: %s', async (as) => {
    expect((await send(as, 'PATCH', 'paper/1,1', { remarks: { delete: [1] } })).status).toBeLessThan(300);
    expect((await send(as, 'PATCH', 'paper/1,1', { remarks: [] })).status).toBeLessThan(300);
    expect(await remarks()).toEqual([
      { id: 1, office: 1, paper_id: null },
      { id: 2, office: 1, paper_id: null },
      { id: 3, office: 2, paper_id: null },
    ]);
    expect((await send(as, 'PATCH', 'drawer/1,1', { drawers: { delete: ['1,10'] } })).status).toBe(200);
    expect((await send(as, 'PATCH', 'drawer/1,1', { drawers: [] })).status).toBe(200);
    expect(await parents()).toEqual({ 1: null, 10: null, 11: null, 20: null, 30: null });
  });

  it.each(['admin', 'mover'])('are moved if their key permits it: %s', async (as) => {
    const update = [{ office: 1, id: 20 }];
    expect((await send(as, 'PATCH', 'drawer/1,10', { drawers: { update } })).status).toBe(200);
    expect((await send(as, 'PATCH', 'drawer/1,10', { drawers: ['1,20', '1,11'] })).status).toBe(200);
    expect(await parents()).toEqual({ 1: null, 10: 1, 11: 10, 20: 10, 30: null });
    for (const list of [
      ['1,10', '2,30'],
      ['1,10', '1,99'],
      [
        { office: 1, id: 10 },
        { office: 2, id: 30, label: 'x' },
      ],
    ]) {
      const { errors } = await send(as, 'PATCH', 'drawer/1,1', { drawers: list });
      expect(errors).toMatchObject([{ code: 'FORBIDDEN', pointer: '/drawers/1' }]);
    }
    expect(await parents()).toMatchObject({ 10: 1, 30: null });
  });

  it('require the permission of every written column', async () => {
    expect((await send('mover', 'PATCH', 'paper/1,2', { remarks: [1] })).codes).toEqual(['FORBIDDEN']);
    expect((await send('admin', 'PATCH', 'paper/1,2', { remarks: [1, 3] })).status).toBe(200);
    expect(await remarks()).toEqual([
      { id: 1, office: 1, paper_id: 2 },
      { id: 2, office: 1, paper_id: 1 },
      { id: 3, office: 1, paper_id: 2 },
    ]);
  });

  it('are rejected if their owner has no value to refer to', async () => {
    for (const list of [[], null, { create: [], delete: [] }]) {
      const { data } = await send('admin', 'PATCH', 'clerk/2?fields=tasks', { tasks: list });
      expect({ list, data }).toEqual({ list, data: { tasks: [] } });
    }
    expect((await send('admin', 'POST', 'clerk?fields=code,tasks', { tasks: [] })).data).toEqual({
      code: null,
      tasks: [],
    });
    for (const list of [[2], [{ id: 3 }], { update: [{ id: 2 }] }, { delete: [1] }]) {
      const { status, codes, text } = await send('admin', 'PATCH', 'clerk/2', { tasks: list });
      expect({ list, status, codes }).toEqual({ list, status: 400, codes: ['INVALID_PAYLOAD'] });
      expect(text).toContain(String.raw`\"tasks\" needs a value in \"code\"`);
    }
    expect((await send('admin', 'POST', 'clerk', { tasks: [{ id: 4 }] })).codes).toEqual(['INVALID_PAYLOAD']);
    const hidden = await send('mover', 'PATCH', 'clerk/2', { tasks: [2] });
    expect(hidden.codes).toEqual(['INVALID_PAYLOAD']);
    expect(hidden.text).not.toContain('code\\"');
    const { data } = await send('admin', 'PATCH', 'clerk/2?fields=tasks', { code: 'b', tasks: [2] });
    expect(data).toEqual({ tasks: [2] });
  });
});
