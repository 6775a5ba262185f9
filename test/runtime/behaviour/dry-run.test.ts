/** `dry_run`: a write under all rules that stores nothing. */
import { beforeEach, describe, expect, it } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const schema = `
create table "book" ("id" {counter}, "title" varchar(20), "isbn" varchar(9) unique);
create table "page" ("id" {counter}, "book" integer, foreign key ("book") references "book" ("id"));
create table "config" ("id" integer primary key, "name" varchar(20));
insert into "book" ("id", "title", "isbn") values (1, 'one', 'a'), (2, 'two', 'b');
`;

describe.each(settings)('a dry run on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(setting.dialect, schema),
    meta: {
      collections: { book: { accountability: 'all' }, config: { singleton: true } },
      relations: [
        { many_collection: 'page', many_field: 'book', one_collection: 'book', one_field: 'pages' },
      ],
    },
    access: {
      policies: {
        Clerk: [
          { collection: 'book', action: 'read', fields: ['*'] },
          {
            collection: 'book',
            action: 'update',
            fields: ['title'],
            permissions: { id: 1 },
            validation: { title: { _neq: 'bad' } },
          },
        ],
      },
      users: { clerk: { policies: ['Clerk'] } },
    },
  });
  const send = async (method: string, path: string, body?: unknown, as = 'admin') => {
    const { status, data, codes, headers } = await server().request(method, path, {
      as,
      ...(body !== undefined && { body }),
    });
    return { status, data, codes, dry: headers.get('x-svc-dry-run'), rows: headers.get('x-svc-rows') };
  };
  const state = async () =>
    Promise.all(
      [
        '/items/book?fields=*,pages.*',
        '/items/page',
        '/items/config',
        '/activity?limit=-1',
        '/roles?fields=name',
      ].map(async (path) => (await send('GET', path)).data),
    );
  const version = async () =>
    (await server().database.query('select version from svc_access_version'))[0]?.version;
  let before: unknown;
  beforeEach(async () => {
    before = [await state(), await version()];
  });
  const unchanged = async () => expect([await state(), await version()]).toEqual(before);
  const dry = { dry: 'true', codes: [] };

  it.each([
    [
      'POST',
      '/items/book?fields=title',
      { title: 'new' },
      { status: 200, data: { title: 'new' }, rows: '1' },
    ],
    [
      'POST',
      '/items/book?fields=title',
      [{ title: 'x' }, { title: 'y' }],
      { status: 200, data: [{ title: 'x' }, { title: 'y' }], rows: '2' },
    ],
    [
      'POST',
      '/items/book?fields=title,pages.book.title',
      { title: 'new', pages: [{}] },
      { status: 200, data: { title: 'new', pages: [{ book: { title: 'new' } }] }, rows: '1' },
    ],
    [
      'PATCH',
      '/items/book/1?fields=title',
      { title: 'changed' },
      { status: 200, data: { title: 'changed' }, rows: '1' },
    ],
    [
      'PATCH',
      '/items/book?fields=title',
      { query: { limit: -1 }, data: { title: 'all' } },
      { status: 200, data: [{ title: 'all' }, { title: 'all' }], rows: '2' },
    ],
    [
      'PATCH',
      '/items/book?fields=title',
      [{ id: 2, title: 'own' }],
      { status: 200, data: [{ title: 'own' }], rows: '1' },
    ],
    [
      'PATCH',
      '/items/config?fields=id,name',
      { id: 1, name: 'made' },
      { status: 200, data: { id: 1, name: 'made' }, rows: '1' },
    ],
    ['DELETE', '/items/book/1', undefined, { status: 204, rows: '1' }],
    ['DELETE', '/items/book', { query: { filter: { id: { _gt: 0 } } } }, { status: 204, rows: '2' }],
    ['DELETE', '/items/book', [1, 2], { status: 204, rows: '2' }],
    ['POST', '/roles?fields=name', { name: 'Tried' }, { status: 200, data: { name: 'Tried' }, rows: '1' }],
  ] as const)('returns what %s %s would store, and stores nothing', async (method, path, body, expected) => {
    const separator = path.includes('?') ? '&' : '?';
    expect(await send(method, `${path}${separator}dry_run=true`, body)).toMatchObject({
      ...dry,
      ...expected,
    });
    await unchanged();
  });

  it.each([
    ['POST', '/items/book', { isbn: 'a' }, 400, 'RECORD_NOT_UNIQUE', 'admin'],
    ['POST', '/items/page', { book: 99 }, 400, 'INVALID_FOREIGN_KEY', 'admin'],
    ['PATCH', '/items/book/2', { title: 'x' }, 403, 'FORBIDDEN', 'clerk'],
    ['PATCH', '/items/book/1', { title: 'bad' }, 400, 'FAILED_VALIDATION', 'clerk'],
    ['DELETE', '/items/book/1', undefined, 403, 'FORBIDDEN', 'clerk'],
    ['DELETE', '/items/book/9', undefined, 403, 'FORBIDDEN', 'admin'],
  ] as const)('%s %s %j is refused as the write would be', async (method, path, body, status, code, as) => {
    const refused = { status, codes: [code] };
    expect(await send(method, `${path}?dry_run=true`, body, as)).toMatchObject(refused);
    expect(await send(method, path, body, as)).toMatchObject(refused);
    await unchanged();
  });

  it.each([
    'dryRun=true',
    'dry-run=true',
    'dryrun=true',
    'd-r-y-run=true',
    'DRY_RUN=true',
    'dry_run',
    'dry_run=1',
    'dry_run=yes',
    'dry_run=true&dry_run=false',
    'dry%2Drun=true',
  ])('is rejected when misspelled as %s, and nothing is written', async (query) => {
    expect(await send('POST', `/items/book?${query}`, { title: 'x' })).toMatchObject({
      status: 400,
      codes: ['INVALID_QUERY'],
    });
    await unchanged();
  });

  it.each([
    ['POST', '/keys?dry_run=true', { name: 'x' }],
    [
      'POST',
      '/graphql?dry_run=true',
      { query: 'mutation { create_book_item(data: { title: "x" }) { id } }' },
    ],
  ])('is rejected by routes that do not support it: %s %s', async (method, path, body) => {
    expect(await send(method, path, body)).toMatchObject({ status: 400, codes: ['INVALID_QUERY'] });
    await unchanged();
  });

  it.each([
    ['create_book_item(data: { title: "new" }, dry_run: true) { title }', { title: 'new' }, 1],
    ['create_book_items(data: [{ title: "x" }], dry_run: true) { title }', [{ title: 'x' }], 1],
    ['update_book_item(id: 1, data: { title: "x" }, dry_run: true) { title }', { title: 'x' }, 1],
    [
      'update_book_items(ids: [1, 2], data: { title: "x" }, dry_run: true) { title }',
      [{ title: 'x' }, { title: 'x' }],
      2,
    ],
    ['update_book_batch(data: [{ id: 2, title: "x" }], dry_run: true) { title }', [{ title: 'x' }], 1],
    ['update_config(data: { id: 1, name: "x" }, dry_run: true) { name }', { name: 'x' }, 1],
    ['delete_book_item(id: 1, dry_run: true) { id }', { id: '1' }, 1],
    ['delete_book_items(ids: [1, 2], dry_run: true) { ids }', { ids: ['1', '2'] }, 2],
  ])('is an argument in GraphQL: %s', async (field, data, rows) => {
    const { body } = await server().request('POST', '/graphql', {
      as: 'admin',
      body: { query: `mutation { tried: ${field} }` },
    });
    expect(body).toEqual({ data: { tried: data }, extensions: { meta: { tried: { dry_run: true, rows } } } });
    await unchanged();
  });

  it('is turned off by dry_run=false and ignored by reads', async () => {
    expect(await send('PATCH', '/items/book/1?fields=title&dry_run=false', { title: 'kept' })).toMatchObject({
      data: { title: 'kept' },
      dry: null,
    });
    expect(await send('GET', '/items/book/1?fields=title&dryRun=x')).toMatchObject({
      data: { title: 'kept' },
      dry: null,
    });
  });
});

describe.each(['mariadb', 'mysql'] as const)('a dry run on a table of %s without transactions', (dialect) => {
  const server = useServer({
    dialect,
    sql: 'create table flat (id int auto_increment primary key, v int) engine=MyISAM',
  });

  it('is refused before it writes', async () => {
    const { status, codes } = await server().request('POST', '/items/flat?dry_run=true', {
      as: 'admin',
      body: { v: 1 },
    });
    expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_QUERY'] });
    expect((await server().request('GET', '/items/flat', { as: 'admin' })).data).toEqual([]);
  });
});

describe.each(['postgres', 'sqlite'] as const)('a dry run on %s with deferred foreign keys', (dialect) => {
  const server = useServer({
    dialect,
    sql: `create table a (id int primary key);
create table b (id int primary key, a int references a (id) deferrable initially deferred);
insert into a values (1), (2); insert into b values (1, 1);`,
  });

  const request = async (method: string, path: string, body?: unknown) => {
    const answer = await server().request(method, path, { as: 'admin', ...(body !== undefined && { body }) });
    const { status, errors } = answer;
    return { status, errors };
  };

  it.each([
    ['POST', '/items/b', [{ id: 2, a: 5 }]],
    ['PATCH', '/items/b/1', { a: 5 }],
    ['DELETE', '/items/a/1', undefined],
  ])('is refused as the commit would be: %s %s', async (method, path, body) => {
    const tried = await request(method, `${path}?dry_run=true`, body);
    expect(tried).toMatchObject({ status: 400, errors: [{ code: 'INVALID_FOREIGN_KEY' }] });
    expect(await request(method, path, body)).toEqual(tried);
  });

  it('is accepted where the keys hold', async () => {
    expect((await request('PATCH', '/items/b/1?dry_run=true', { a: 2 })).status).toBe(200);
  });
});

describe('a dry run on sqlite', () => {
  const server = useServer({
    dialect: 'sqlite',
    sql: `pragma foreign_keys = off; create table a (id int primary key);
create table b (id int primary key, a int references a (id) deferrable initially deferred);
insert into b values (1, 9);`,
  });

  it('does not mind rows that violated a deferred foreign key before', async () => {
    const body = { id: 1 };
    const { status } = await server().request('POST', '/items/a?dry_run=true', { as: 'admin', body });
    expect(status).toBe(200);
  });
});
