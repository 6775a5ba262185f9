/** Lists that are written through their owner: every row under its own grant, in one transaction. */
import { beforeEach, describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess } from '../server-harness.js';
import { libraryMeta, librarySql, restoreSql } from './library.js';

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

describe.each(dialects)('lists through their owner on %s', (dialect) => {
  const server = useServer({ dialect, sql: librarySql(dialect), meta: libraryMeta, access });
  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, ...(body !== undefined && { body }) });
  const books = async (): Promise<unknown> =>
    (await send('admin', 'GET', '/items/book?fields=id,title,author&filter[id][_gt]=200&sort=id')).data;

  beforeEach(() => server().execute(restoreSql(dialect)));

  it('new rows get their owner, kept rows stay, others are let go', async () => {
    const { data } = await send('admin', 'PATCH', '/items/author/2?fields=books.title', {
      books: [201, { title: 'New Words' }, { id: 202, title: 'Fewest Words' }],
    });
    expect(data).toEqual({
      books: [{ title: 'Few Words' }, { title: 'Fewest Words' }, { title: 'New Words' }],
    });
    expect((await send('admin', 'GET', '/items/book/203?fields=author')).data).toEqual({ author: null });
  });

  it('an owner and its rows are made together, however deep, or not at all', async () => {
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

  it('everything that is wrong is told at once, with its place, before anything is written', async () => {
    const { status, errors } = await send('admin', 'POST', '/items/author', {
      name: null,
      books: [{ title: 'x', stock: 'many' }, { review: [{ words: 'y' }] }],
    });
    expect(status).toBe(400);
    expect(errors.map(({ field, path, type }) => [field, path, type])).toEqual([
      ['name', [], 'nnull'],
      ['stock', ['books'], 'type'],
      ['stars', ['books', 'review'], 'required'],
      ['title', ['books'], 'required'],
    ]);
  });

  it.each([
    ['a text', 'all'],
    ['an unknown part', { add: [] }],
    ['a part that is no list', { create: {} }],
    ['an update without key', { update: [{ title: 'x' }] }],
    ['nothing of it', {}],
  ])('%s is no list', async (_, value) => {
    const { status, codes } = await send('admin', 'PATCH', '/items/author/2', { books: value });
    expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
  });

  it('rows of composite keys belong to their owner: what leaves the list is deleted', async () => {
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

  it('what cannot be without an owner is deleted by name, and refused otherwise', async () => {
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

  it('every row takes its own permission', async () => {
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

  it('a rule on the owner holds for new rows whose owner is counted later', async () => {
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

  it('a row of a list cannot name another owner', async () => {
    const { codes } = await send('writer', 'PATCH', '/items/author/4', {
      books: { create: [{ title: 'x', author: 2 }] },
    });
    expect(codes).toEqual(['FAILED_VALIDATION']);
    const path = '/items/author/4?fields=books.title';
    const { data } = await send('admin', 'PATCH', path, { books: { create: [{ title: 'x', author: 2 }] } });
    expect(data).toEqual({ books: [{ title: 'Stray' }, { title: 'x' }] });
  });

  it('rows that are hidden from the caller are no part of the list', async () => {
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

  it('who may do what is never written through an owner', async () => {
    const policy = await send('admin', 'POST', '/policies', { name: 'Nested' });
    const { id } = policy.data as { readonly id: string };
    for (const [path, body] of [
      [`/policies/${id}`, { permissions: [{ collection: 'book', action: 'read', fields: ['*'] }] }],
      [`/policies/${id}`, { access: [{}] }],
      [`/users/${server().ids.users.get('blind')}`, { policies: [{ policy: id }] }],
    ] as const) {
      expect((await send('admin', 'PATCH', path, body)).codes).toEqual(['INVALID_PAYLOAD']);
    }
  });
});
