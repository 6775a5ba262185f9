/** Nested payloads: statements for each level, places of problems, and rows that meet themselves. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { recordStatements } from '../harness/statements.js';
import { useServer } from '../harness/use-server.js';

const dialects = dialectsOf(import.meta.url);

const schema = `
create table "page" ("id" {counter}, "title" varchar(20));
create table "block" ("id" {counter}, "page" integer, "sort" integer, "title" varchar(20) unique,
  foreign key ("page") references "page" ("id"));
create table "note" ("id" {counter}, "block" integer, "text" varchar(20), foreign key ("block") references "block" ("id"));
create table "tag" ("code" varchar(9) primary key, "label" varchar(20));
create table "node" ("id" integer primary key, "parent" integer, "name" varchar(20), foreign key ("parent") references "node" ("id"));
create table "page_tag" ("id" {counter}, "page" integer, "tag" varchar(9),
  foreign key ("page") references "page" ("id"), foreign key ("tag") references "tag" ("code"));
`;

const listOf = (many: string, field: string, name: string, rest = {}) => ({
  many_collection: many,
  many_field: field,
  one_collection: field,
  one_field: name,
  ...rest,
});

/** A page with `count` blocks of two notes each, and with `count` links to new tags. */
const payload = (prefix: string, count: number, form: (rows: object[]) => unknown) => {
  const each = (row: (index: number) => object) => Array.from({ length: count }, (_, index) => row(index));
  return {
    title: prefix,
    blocks: form(
      each((index) => ({
        title: `${prefix}-${index}`,
        notes: form([{ text: `n-${index}-0` }, { text: `n-${index}-1` }]),
      })),
    ),
    tags: form(each((index) => ({ tag: { code: `${prefix}${index}`, label: `t-${index}` } }))),
  };
};

const tableOf = (text: string): string => /(?:into|from|update) [`"](\w+)[`"]/.exec(text)?.[1] ?? 'other';

const row = (id: number, parent: number | null, name: string) => ({ id, parent, name });

describe.each(dialects)('a nested payload on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, schema),
    meta: {
      relations: [
        listOf('block', 'page', 'blocks', { sort_field: 'sort' }),
        listOf('note', 'block', 'notes'),
        {
          many_collection: 'node',
          many_field: 'parent',
          one_collection: 'node',
          one_field: 'children',
        },
        listOf('page_tag', 'page', 'tags', { junction_field: 'tag' }),
      ],
    },
    access: {
      policies: {
        Editor: [
          ...['page', 'block', 'note', 'page_tag', 'tag'].flatMap((collection) => [
            { collection, action: 'read' as const, fields: ['*'] },
            { collection, action: 'create' as const, fields: ['*'] },
          ]),
          { collection: 'note', action: 'update', fields: ['*'] },
        ],
      },
      users: { editor: { policies: ['Editor'] } },
    },
  });
  const path = '/items/page?fields=title,blocks.title,blocks.sort,blocks.notes.text,tags.tag.label';
  const forms = {
    complete: (rows: object[]) => rows,
    detailed: (rows: object[]) => ({ create: rows, update: [], delete: [] }),
  };
  it.each(['complete', 'detailed'] as const)('writes each level at once in %s lists', async (name) => {
    const create = async (prefix: string, count: number) => {
      const counts = new Map<string, number>();
      const texts = await recordStatements(server().database, async () => {
        const body = payload(prefix, count, forms[name]);
        const { status, data } = await server().request('POST', path, { as: 'editor', body });
        expect(status).toBe(200);
        expect(data).toEqual({
          title: prefix,
          blocks: Array.from({ length: count }, (_, index) => ({
            title: `${prefix}-${index}`,
            sort: index + 1,
            notes: [{ text: `n-${index}-0` }, { text: `n-${index}-1` }],
          })),
          tags: Array.from({ length: count }, (_, index) => ({ tag: { label: `t-${index}` } })),
        });
      });
      for (const text of texts) counts.set(tableOf(text), (counts.get(tableOf(text)) ?? 0) + 1);
      return counts;
    };
    const few = await create(`${name[0]}f`, 3);
    const many = await create(`${name[0]}m`, 100);
    for (const table of ['page', 'block', 'note', 'page_tag', 'tag'])
      expect({ table, count: many.get(table) ?? 0 }).toSatisfy(({ count }) => count >= 1 && count <= 6);
    expect([...many.values()].reduce((sum, count) => sum + count)).toBeLessThanOrEqual(
      [...few.values()].reduce((sum, count) => sum + count) + 4,
    );
  });

  it('stores nothing where a row deep in it is refused', async () => {
    const count = async () =>
      (await server().request('GET', '/items/block?aggregate[count]=*', { as: 'editor' })).data;
    const before = await count();
    const body = {
      title: 'refused',
      blocks: [
        { title: 'r1', notes: [{ text: 'x' }] },
        { title: 'r2', notes: [{ text: 'y'.repeat(21) }] },
      ],
    };
    const { codes } = await server().request('POST', '/items/page', { as: 'editor', body });
    expect(codes).toEqual(['VALUE_TOO_LONG']);
    const twice = { title: 'twice', blocks: [{ title: 'same' }, { title: 'same' }] };
    expect((await server().request('POST', '/items/page', { as: 'editor', body: twice })).codes).toEqual([
      'RECORD_NOT_UNIQUE',
    ]);
    expect(await count()).toEqual(before);
  });

  it('writes lists that name stored rows in their order', async () => {
    const { data } = await server().request('POST', '/items/page?fields=blocks.notes.id,blocks.title', {
      as: 'editor',
      body: { blocks: [{ title: 'keeps', notes: [{ text: 'moved' }] }] },
    });
    const { blocks } = data as { blocks: { notes: { id: number }[] }[] };
    const id = blocks[0]?.notes[0]?.id ?? 0;
    const moved = await server().request('POST', '/items/page?fields=blocks.title,blocks.notes.text', {
      as: 'editor',
      body: {
        blocks: [
          { title: 'takes', notes: [id, { text: 'new' }] },
          { title: 'plain', notes: [{ text: 'own' }] },
        ],
      },
    });
    expect(moved.data).toEqual({
      blocks: [
        { title: 'takes', notes: [{ text: 'moved' }, { text: 'new' }] },
        { title: 'plain', notes: [{ text: 'own' }] },
      ],
    });
  });

  const problemsOf = async (path: string, body: unknown, method = 'POST') => {
    const { errors } = await server().request(method, `/items/${path}`, { as: 'admin', body });
    return errors.map(({ code, path: names, pointer, index }) => [code, names, pointer, index]);
  };

  it.each([
    ['POST', 'page', { title: 1 }],
    ['POST', 'page?on_conflict=update', { title: 1 }],
    ['PATCH', 'page', { id: 1, title: 1 }],
  ])('reports the index of the only item of a list: %s %s', async (method, path, item) => {
    expect(await problemsOf(path, [item], method)).toEqual([['FAILED_VALIDATION', [], '/0/title', 0]]);
  });

  it('reports where each problem is, all at once', async () => {
    const body = {
      title: 1,
      blocks: [
        { title: 'fine' },
        { title: 'x'.repeat(21), notes: { create: [{ text: 'fine' }, { text: 5, none: 1 }] } },
        'x',
      ],
      tags: [{ tag: { label: 'no key' } }, { tag: { code: 'x'.repeat(10) } }],
    };
    const notes = ['blocks', 'notes'];
    expect(await problemsOf('page', body)).toEqual([
      ['FAILED_VALIDATION', [], '/title', undefined],
      ['FORBIDDEN', ['blocks'], '/blocks/2', undefined],
      ['VALUE_TOO_LONG', ['blocks'], '/blocks/1/title', undefined],
      ['FAILED_VALIDATION', notes, '/blocks/1/notes/create/1/text', undefined],
      ['INVALID_PAYLOAD', notes, '/blocks/1/notes/create/1', undefined],
      ['FAILED_VALIDATION', ['tags', 'tag'], '/tags/0/tag/code', undefined],
      // a key that the type does not allow is one that no item has
      ['FORBIDDEN', ['tags'], '/tags/1', undefined],
    ]);
  });

  it('reports the index of the item in a list of items', async () => {
    const rows = [{ title: 'fine' }, 'x', { titel: 1 }, { blocks: [{}, { sort: 'x' }] }];
    expect(await problemsOf('page', rows)).toEqual([
      ['INVALID_PAYLOAD', undefined, '/1', 1],
      ['INVALID_PAYLOAD', undefined, '/2', 2],
      ['FAILED_VALIDATION', ['blocks'], '/3/blocks/1/sort', 3],
    ]);
    const changes = [
      { id: 1, name: 'x'.repeat(21) },
      { id: 2, children: { update: [{ id: 3 }, { id: 4, nome: 1 }], delete: [] } },
    ];
    expect(await problemsOf('node', changes, 'PATCH')).toEqual([
      ['VALUE_TOO_LONG', undefined, '/0/name', 0],
      ['INVALID_PAYLOAD', ['children'], '/1/children/update/1', 1],
    ]);
  });

  const nodes = async () =>
    (await server().request('GET', '/items/node?fields=id,parent,name&sort=id', { as: 'admin' })).data;

  const change = async (id: number, body: unknown) => {
    await server().execute(
      `update "node" set "parent" = null; delete from "node"; insert into "node" ("id", "parent", "name") values (1, null, 'a'), (2, 1, 'b'), (3, 1, 'c');`.replaceAll(
        '"',
        dialect === 'mariadb' || dialect === 'mysql' ? '`' : '"',
      ),
    );
    const { status, codes } = await server().request('PATCH', `/items/node/${id}`, { as: 'admin', body });
    return { status, codes, nodes: await nodes() };
  };

  describe('with a row that meets itself', () => {
    it.each([
      [
        'twice in a list, it is in it once',
        1,
        { children: [2, 2] },
        [row(1, null, 'a'), row(2, 1, 'b'), row(3, null, 'c')],
      ],
      [
        'changed twice, the last change stays',
        1,
        {
          children: {
            update: [
              { id: 2, name: 'x' },
              { id: 2, name: 'y' },
            ],
          },
        },
        [row(1, null, 'a'), row(2, 1, 'y'), row(3, 1, 'c')],
      ],
      [
        'changed and removed, it is changed first',
        1,
        { children: { update: [{ id: 2, name: 'x' }], delete: [2] } },
        [row(1, null, 'a'), row(2, null, 'x'), row(3, 1, 'c')],
      ],
      [
        'of another list, it moves',
        2,
        { children: [3] },
        [row(1, null, 'a'), row(2, 1, 'b'), row(3, 2, 'c')],
      ],
      [
        'in its own list, it refers to itself',
        2,
        { children: [2] },
        [row(1, null, 'a'), row(2, 2, 'b'), row(3, 1, 'c')],
      ],
      [
        'below itself, both refer to each other',
        2,
        { children: [{ id: 3, children: [{ id: 2, name: 'z' }] }] },
        [row(1, null, 'a'), row(2, 3, 'z'), row(3, 2, 'c')],
      ],
      [
        'as its own parent, it refers to itself',
        3,
        { parent: { id: 3, name: 'self' }, name: 'own' },
        [row(1, null, 'a'), row(2, 1, 'b'), row(3, 3, 'own')],
      ],
    ])('%s', async (_, id, body, expected) => {
      expect(await change(id, body)).toEqual({ status: 200, codes: [], nodes: expected });
    });

    it('is refused beyond MAX_RELATIONAL_DEPTH', async () => {
      const deep = (levels: number): object =>
        levels === 0
          ? { name: 'end' }
          : { name: 'x', children: { update: [{ id: 2, ...deep(levels - 1) }] } };
      expect(await change(1, deep(10))).toMatchObject({ status: 200 });
      const { status, codes } = await change(1, deep(11));
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_PAYLOAD'] });
    });
  });
});
