/** A server that is killed in the middle of nested writes leaves each of them whole or not stored. `LONG=1`: 200 writes. */
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, dialectsOf, type TestDatabase } from '../databases.js';
import { systemTemplate } from '../templates.js';
import { until } from '../until.js';
import { createWorkplace, type Workplace } from './commands.js';
import { adminToken } from './harness/rows.js';
import { sqlFor } from './harness/sql.js';

const dialects = dialectsOf(import.meta.url);

const schema = `
create table "author" ("id" {counter}, "name" varchar(20));
create table "post" (
  "id" {counter}, "title" varchar(20), "author_id" integer not null, foreign key ("author_id") references "author" ("id")
);
create table "chapter" (
  "id" {counter}, "post_id" integer, "title" varchar(20), foreign key ("post_id") references "post" ("id")
);
create table "tag" ("id" {counter}, "name" varchar(20) not null unique);
create table "post_tag" (
  "id" {counter}, "post_id" integer, "tag_id" integer,
  foreign key ("post_id") references "post" ("id"), foreign key ("tag_id") references "tag" ("id")
);`;

const isLong = process.env.LONG !== undefined;
const writes = isLong ? 200 : 60;
const timeout = isLong ? 300_000 : 60_000;
/** Items of each list of a post. */
const items = isLong ? 100 : 20;
/** Writes that are answered before the server is killed. */
const answeredBefore = writes / 4;

/** A new author, a list of new chapters, and links to new tags. */
const payloadOf = (index: number) => ({
  title: `post ${index}`,
  author_id: { name: `author ${index}` },
  chapter: Array.from({ length: items }, (_, at) => ({ title: `chapter ${at}` })),
  post_tag: Array.from({ length: items }, (_, at) => ({ tag_id: { name: `tag ${index} ${at}` } })),
});

let database: TestDatabase | null = null;
let place: Workplace | null = null;
afterEach(async () => {
  place?.remove();
  await database?.drop();
});

const countAll = async (tables: readonly string[], { database: opened }: TestDatabase) => {
  const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}_rows`);
  const [row] = await opened.query(`select ${counts.join(', ')}`);
  return tables.map((table) => Number(row?.[`${table}_rows`]));
};

describe.each(dialects)('on %s', (dialect) => {
  it(`no nested write of ${writes} is stored in part after kill -9`, { timeout }, async () => {
    const opened = (database = await createTestDatabase(dialect, {
      template: await systemTemplate(dialect),
    }));
    await opened.execute(sqlFor(dialect, schema));
    place = createWorkplace();
    const running = place.start(['start', '--workers', '1'], {
      DATABASE_URL: opened.url,
      PORT: '0',
      SECRET: 'a secret for tests of at least 32 bytes',
    });
    const [collections = ''] = await running.until(/http:\/\/127\.0\.0\.1:\d+\/items/);

    const answered: number[] = [];
    const refused: string[] = [];
    const send = async (index: number): Promise<void> => {
      const response = await fetch(`${collections}/post?fields=id`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(payloadOf(index)),
      });
      if (response.status !== 200) return void refused.push(await response.text());
      const { data } = (await response.json()) as { readonly data: { readonly id: number } };
      answered.push(data.id);
    };
    const all = Promise.allSettled(Array.from({ length: writes }, (_, index) => send(index)));
    await until(() => answered.length + refused.length >= answeredBefore, { timeout });
    await running.stop('SIGKILL');
    await all;

    // writes of different rows do not wait for each other
    expect(refused).toEqual([]);
    const [posts = 0, ...others] = await countAll(['post', 'author', 'chapter', 'post_tag', 'tag'], opened);
    expect(posts).toBeGreaterThanOrEqual(answered.length);
    expect(posts).toBeLessThan(writes);
    expect(others).toEqual([posts, posts * items, posts * items, posts * items]);
    const partial = await opened.database.query(
      `select id from post where (select count(*) from chapter where post_id = post.id) <> ${items}
        or (select count(*) from post_tag join tag on tag.id = tag_id where post_id = post.id) <> ${items}`,
    );
    expect(partial).toEqual([]);
    const kept = await opened.database.query(`select id from post where id in (${answered.join(', ')})`);
    expect(kept.length).toBe(answered.length);
  });
});
