/** The number of statements, and of rows that they return, does not grow with the items of a read, with callers or with requests. */
import { describe, expect, it, vi } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';

const dialects = dialectsOf(import.meta.url);

const items = 2_500;
const rounds = 30;
/** Each round asks twice as two callers. */
const requests = rounds * 4;

/** Posts with an author, two tags each, and twelve authors. */
const schema = `
create table "author" ("id" integer primary key, "name" varchar(20));
create table "post" ("id" integer primary key, "author" integer, "title" varchar(20), foreign key ("author") references "author" ("id"));
create table "tag" ("id" integer primary key, "name" varchar(20));
create table "post_tag" ("id" integer primary key, "post" integer, "tag" integer, foreign key ("post") references "post" ("id"), foreign key ("tag") references "tag" ("id"));
insert into "author" values ${Array.from({ length: 12 }, (_, index) => `(${index}, 'a${index}')`).join()};
insert into "tag" values (0, 't0'), (1, 't1');
${chunked(items, (index) => `(${index}, ${index % 12}, 'p${index}')`, 'post')}
${chunked(items * 2, (index) => `(${index}, ${index >> 1}, ${index & 1})`, 'post_tag')}
`;

function chunked(count: number, row: (index: number) => string, table: string): string {
  const rows = Array.from({ length: count }, (_, index) => row(index));
  return Array.from(
    { length: Math.ceil(count / 3_000) },
    (_, part) => `insert into "${table}" values ${rows.slice(part * 3_000, (part + 1) * 3_000).join()};`,
  ).join('\n');
}

const isLookup = (text: string): boolean => /svc_(?:permissions|policies|roles|access)\b/.test(text);

describe.each(dialects)('reads on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, schema),
    environment: { QUERY_ROWS_MAX: '100000' },
    access: {
      policies: {
        Reader: [
          { collection: 'post', action: 'read', fields: ['*'], permissions: { author: { id: { _lt: 6 } } } },
          {
            collection: 'author',
            action: 'read',
            fields: ['*'],
            permissions: { name: { _neq: '$CURRENT_USER' } },
          },
          { collection: 'post_tag', action: 'read', fields: ['*'] },
        ],
      },
      users: { ann: { policies: ['Reader'] }, bob: { policies: ['Reader'] } },
    },
  });

  /** Statements of a read and the rows that they return. */
  const measure = async (read: () => Promise<{ readonly status: number }>) => {
    const { database } = server();
    const [rows, query] = [vi.spyOn(database, 'rows'), vi.spyOn(database, 'query')];
    const { status } = await read();
    // access is looked up again every few seconds, whoever asks
    const own = rows.mock.calls.flatMap(([{ text }], index) =>
      text.includes('svc_') ? [] : [rows.mock.results[index]?.value as Promise<{ readonly count: number }>],
    );
    const sets = await Promise.all(own);
    const lookups =
      query.mock.calls.filter(([text]) => isLookup(text)).length +
      rows.mock.calls.filter(([{ text }]) => isLookup(text)).length;
    for (const spy of [rows, query]) spy.mockRestore();
    const fetched = sets.reduce((sum, { count }) => sum + count, 0);
    return { answer: { status, statements: sets.length, fetched }, lookups };
  };
  /** Texts of the statements of a read, without values. */
  const textsOf = async (path: string, as = 'admin'): Promise<readonly string[]> => {
    const rows = vi.spyOn(server().database, 'rows');
    const { status } = await server().request('GET', path, { as });
    const texts = rows.mock.calls.map(([{ text }]) => text).filter((text) => !text.includes('svc_'));
    rows.mockRestore();
    expect(status).toBe(200);
    return texts;
  };
  const get = (path: string, as = 'admin') => measure(() => server().request('GET', path, { as }));
  const ask = (query: string, as = 'admin') =>
    measure(() => server().request('POST', '/graphql', { as, body: { query } }));

  const read = (as: string) => get('/items/post?limit=1&fields=id,author.name', as);

  it('of 2 500 items with related ones take a statement for each level and thousand items, and fetch no other row', async () => {
    const path = '/items/post?fields=id,author.name,post_tag.tag.name';
    await get(`${path}&limit=1`);
    expect((await get(`${path}&limit=50`)).answer).toEqual({ status: 200, statements: 2, fetched: 150 });
    expect((await get(`${path}&limit=-1`)).answer).toEqual({
      status: 200,
      statements: 1 + Math.ceil(items / 1_000),
      fetched: items * 3,
    });
  });

  it('of a few rows for each of 2 500 items fetch these alone, 64 items or more in a statement', async () => {
    const path = '/items/post?fields=id,post_tag.id&limit=-1&deep[post_tag][_limit]=1';
    const { statements, fetched } = (await get(path)).answer;
    expect(fetched).toBe(items * 2);
    expect(statements).toBeLessThanOrEqual(1 + Math.ceil(items / 64) + Math.ceil(items / 1_000));
  });

  it('of lists without limits name all items in one condition, and no statement has a branch for each item', async () => {
    const texts = await textsOf('/items/post?fields=id,author.name,post_tag.tag.name&limit=1000');
    expect(texts.length).toBe(2);
    expect(texts.filter((text) => text.includes('union'))).toEqual([]);
    // the list of an author, and the author of a post: two levels of lists
    const nested = await textsOf(
      '/items/author?fields=name,post.title,post.post_tag.id&deep[post][_limit]=-1',
    );
    expect(nested.filter((text) => text.includes('union'))).toEqual([]);
  });

  it('of lists with limits consist of few statements, prepared once, which do not grow with the items', async () => {
    const path = '/items/post?fields=id,post_tag.id&deep[post_tag][_limit]=1&limit=-1';
    const texts = await textsOf(path);
    const branches = texts.map((text) => text.split('union all').length);
    expect(Math.max(...branches)).toBeLessThanOrEqual(64);
    expect(new Set(texts).size).toBeLessThanOrEqual(4);
  });

  it('of callers with the same policies are the same, with other values', async () => {
    const path = '/items/post?fields=id,author.name,post_tag.id&limit=3';
    const texts = await textsOf(path, 'ann');
    expect(texts).toHaveLength(2);
    expect(await textsOf(path, 'bob')).toEqual(texts);
  });

  it('in GraphQL take as many statements as in REST', async () => {
    await ask('{ post(limit: 1) { id } }');
    const graphql = await ask(
      '{ post(limit: 50) { id author { name post(limit: 2) { id post_tag { tag { name } } } } } }',
    );
    const rest = await get(
      '/items/post?limit=50&fields=id,author.name,author.post.id,author.post.post_tag.tag.name&deep[author][post][_limit]=2',
    );
    expect(graphql.answer).toEqual(rest.answer);
  });

  it('look up permissions neither for each request nor for each caller, also after they change', async () => {
    const lookupsOf = async (as: string): Promise<number> =>
      (await read(as)).lookups + (await ask('{ post(limit: 1) { id } }', as)).lookups;
    const count = async (): Promise<number> => {
      let lookups = 0;
      for (let round = 0; round < rounds; round += 1)
        for (const as of ['ann', 'bob']) lookups += await lookupsOf(as);
      return lookups;
    };
    expect(await count()).toBeLessThan(requests);
    const { status } = await server().request('PATCH', '/permissions', {
      as: 'admin',
      body: { query: { filter: { collection: { _eq: 'author' } } }, data: { fields: ['id', 'name'] } },
    });
    expect(status).toBeLessThan(300);
    expect((await read('ann')).answer.status).toBe(200);
    expect(await count()).toBeLessThan(requests);
  });
});
