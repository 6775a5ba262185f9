/** Statements of `search`, which compare columns that may contain the text, in a form that an index can serve where the database has one. */
import { describe, expect, it, vi } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { TestServer } from '../server-harness.js';

const names = ['id', 'title', 'notes', 'secret', 'pages', 'bought'];

const schema = `
create table "book" (
  "id" integer primary key, "title" varchar(40), "notes" varchar(40), "secret" varchar(40), "pages" integer, "bought" date
);
insert into "book" ("id", "title", "notes", "secret", "pages")
  values (1, 'Red', 'x', 'Blue', 7), (2, 'Blue', 'y', 'Red', 300);
`;

const options = (dialect: TestDialect) => ({
  dialect,
  sql: sqlFor(dialect, schema),
  meta: { fields: { book: { secret: { special: ['conceal'] } } } },
  access: {
    policies: { Reader: [{ collection: 'book', action: 'read', fields: ['id', 'title'] }] },
    users: { ann: { policies: ['Reader'] } },
  } as const,
});

/** Returns what a search finds, its statement, and the columns that the condition names. */
const search = async (server: TestServer, text: string, as = 'admin') => {
  const spy = vi.spyOn(server.database, 'rows');
  const { data } = await server.request('GET', `/items/book?fields=id&search=${text}`, { as });
  const statement = spy.mock.calls.map(([each]) => each).find((each) => each.text.includes('book'));
  spy.mockRestore();
  if (statement === undefined) throw new Error('there was no search');
  const where = statement.text.slice(statement.text.indexOf(' where '));
  const columns = names.filter((name) => where.includes(server.database.quote(name)));
  return { data, statement, where, columns };
};

describe.each(dialects)('search on %s', (dialect) => {
  const server = useServer(options(dialect));

  it('compares texts and numbers that the caller may read, and no other column', async () => {
    const all = { data: [{ id: 1 }], columns: ['id', 'title', 'notes', 'pages'] };
    expect(await search(server(), 'red')).toMatchObject(all);
    expect(await search(server(), 'blue', 'ann')).toMatchObject({
      data: [{ id: 2 }],
      columns: ['id', 'title'],
    });
  });

  it('compares numbers as they are, which an index serves', async () => {
    const { data, where } = await search(server(), '300');
    expect(data).toEqual([{ id: 2 }]);
    expect(where.replaceAll(/["`]/g, '')).toMatch(/\bpages = /);
    expect(where).not.toMatch(/(?:lower|cast)\([^)]*pages/);
  });
});

describe('search on postgres', () => {
  const server = useServer(options('postgres'));

  it('is served by an index of trigrams', async () => {
    await server().execute(`
      create extension if not exists pg_trgm;
      create index book_title on "book" using gin (lower("title") gin_trgm_ops);`);
    const { statement } = await search(server(), 'blue', 'ann');
    const plan = await server().database.transaction(async (executor) => {
      for (const other of ['seqscan', 'indexscan']) await executor.query(`set local enable_${other} = off`);
      return executor.query(`explain ${statement.text}`, statement.values);
    });
    expect(JSON.stringify(plan)).toContain('Bitmap Index Scan on book_title');
  });
});
