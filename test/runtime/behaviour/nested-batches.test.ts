/** Nested creates: the number of statements depends on the levels of a payload, not on its rows. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { recordStatements } from '../harness/statements.js';
import { useServer } from '../harness/use-server.js';

const schema = `
create table "page" ("id" {counter}, "title" varchar(20));
create table "block" ("id" {counter}, "page" integer, "sort" integer, "title" varchar(20) unique,
  foreign key ("page") references "page" ("id"));
create table "note" ("id" {counter}, "block" integer, "text" varchar(20), foreign key ("block") references "block" ("id"));
create table "tag" ("code" varchar(9) primary key, "label" varchar(20));
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

describe.each(dialects)('a nested create on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, schema),
    meta: {
      relations: [
        listOf('block', 'page', 'blocks', { sort_field: 'sort' }),
        listOf('note', 'block', 'notes'),
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
  const forms = {
    complete: (rows: object[]) => rows,
    detailed: (rows: object[]) => ({ create: rows, update: [], delete: [] }),
  };
  const tableOf = (text: string): string => /(?:into|from|update) [`"](\w+)[`"]/.exec(text)?.[1] ?? 'other';

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
});
