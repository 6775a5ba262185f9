/** Writes that fill lists of stored items at the same time: of different owners they go on side by side, of one owner in turn. */
import { EventEmitter, once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { Executor } from '../../../runtime/databases/contract.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';

const owners = 40;
const schema = `
create table "shelf" ("id" integer primary key, "name" varchar(20));
create table "book" (
  "id" {counter}, "title" varchar(20), "shelf" integer, foreign key ("shelf") references "shelf" ("id")
);
insert into "shelf" values ${Array.from({ length: owners }, (_, index) => `(${index + 1}, 's')`).join()};
insert into "book" ("title", "shelf") values ('between', ${owners / 2});
`;

/** Returns a function whose promises resolve once it has been called so often. */
const createBarrier = (count: number): (() => Promise<void>) => {
  const events = new EventEmitter();
  const full = once(events, 'full').then(() => undefined);
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === count) events.emit('full');
    return full;
  };
};

describe.each(['mariadb', 'mysql', 'postgres'] as const)('lists that are filled at once on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, schema),
    meta: {
      relations: [
        { many_collection: 'book', many_field: 'shelf', one_collection: 'shelf', one_field: 'books' },
      ],
    },
  });
  const fill = (shelf: number, titles: readonly string[]) =>
    server().request('PATCH', `/items/shelf/${shelf}?fields=books.title`, {
      as: 'admin',
      body: { books: titles.map((title) => ({ title })) },
    });

  /** Runs writes, each of which waits with `meet` after it has read its list. Returns how often transactions ran. */
  const countRuns = async (writes: () => Promise<unknown>, meet: () => Promise<void>): Promise<number> => {
    const { database } = server();
    const { transaction } = database;
    let runs = 0;
    const meeting = (executor: Executor): Executor => ({
      ...executor,
      async query(text, values) {
        const rows = await executor.query(text, values);
        if (/^select .* from .book. where/.test(text)) await meet();
        return rows;
      },
    });
    const spy = vi.spyOn(database, 'transaction').mockImplementation((body) =>
      transaction((executor) => {
        runs += 1;
        return body(meeting(executor));
      }),
    );
    await writes().finally(() => spy.mockRestore());
    return runs;
  };

  it('of different owners run once each, though all have read their list before one is filled', async () => {
    const shelves = Array.from({ length: 8 }, (_, index) => index + 1);
    let statuses: readonly number[] = [];
    const runs = await countRuns(async () => {
      const answers = await Promise.all(shelves.map((shelf) => fill(shelf, ['a', 'b'])));
      statuses = answers.map(({ status }) => status);
    }, createBarrier(shelves.length));
    expect({ runs, statuses }).toEqual({ runs: shelves.length, statuses: shelves.map(() => 200) });
  });

  it('of one owner take their turns, so that the list is that of one write', async () => {
    const shelf = owners;
    const runs = await countRuns(
      async () => {
        await Promise.all(Array.from({ length: 20 }, (_, index) => fill(shelf, [`${index}`, `${index}`])));
      },
      async () => undefined,
    );
    const { data } = await server().request('GET', `/items/shelf/${shelf}?fields=books.title`, {
      as: 'admin',
    });
    const { books } = data as { readonly books: readonly { readonly title: string }[] };
    expect({ runs, books: books.length, writes: new Set(books.map(({ title }) => title)).size }).toEqual({
      runs: 20,
      books: 2,
      writes: 1,
    });
  });

  it('keep an item that is put into them after they have been read', async () => {
    const shelf = owners - 1;
    const puts: Promise<{ readonly status: number }>[] = [];
    await countRuns(
      () => fill(shelf, ['listed']),
      async () => {
        puts.push(server().request('POST', '/items/book', { as: 'admin', body: { title: 'put', shelf } }));
      },
    );
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual([200]);
    const path = `/items/shelf/${shelf}?fields=books.title&deep[books][_sort]=title`;
    const { data } = await server().request('GET', path, { as: 'admin' });
    expect(data).toEqual({ books: [{ title: 'listed' }, { title: 'put' }] });
  });
});
