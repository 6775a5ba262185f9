/** The tools: moving items, and files that are imported or exported for one request. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask } from '../graphql/library.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { encodeForm } from '../recorded/forms.js';
import { settingsOf } from '../server-harness.js';
import { endOf } from '../transfers/transfers.js';

const settings = settingsOf(import.meta.url);

const letters = ['a', 'b', 'c', 'd', 'e', 'f'];

const schema = `
create table "card" ("name" varchar(9) primary key, "place" integer, "kind" varchar(9));
create table "pair" ("x" integer not null, "y" integer not null, "place" integer, primary key ("x", "y"));
create table "book" ("id" {counter}, "title" varchar(20) not null, "isbn" varchar(9) unique);
insert into "pair" values (1, 1, 1), (1, 2, 2), (2, 1, 3);
`;

const cards = `delete from card; insert into card values ${letters.map((name, index) => `('${name}', ${(index + 1) * 10}, '${index < 4 ? 'low' : 'high'}')`).join(', ')};`;

describe.each(settings)('the tools on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: `${sqlFor(setting.dialect, schema)}${cards}`,
    meta: { collections: { card: { sort_field: 'place' }, pair: { sort_field: 'place' } } },
    access: {
      policies: {
        Mover: [
          { collection: 'card', action: 'read', fields: ['name', 'place'], permissions: { kind: 'low' } },
          { collection: 'card', action: 'update', fields: ['place'], permissions: {} },
        ],
        Reader: [
          { collection: 'card', action: 'read', fields: ['*'] },
          { collection: 'book', action: 'create', fields: ['*'] },
        ],
      },
      users: { mover: { policies: ['Mover'] }, reader: { policies: ['Reader'] } },
    },
    environment: {},
  });
  const restore = () => server().execute(cards);
  const order = async (): Promise<string> => {
    const { data } = await server().request('GET', '/items/card?fields=name', { as: 'admin' });
    return (data as { readonly name: string }[]).map(({ name }) => name).join('');
  };
  const places = async (): Promise<readonly number[]> => {
    const { data } = await server().request('GET', '/items/card?fields=place&sort=name', { as: 'admin' });
    return (data as { readonly place: number }[]).map(({ place }) => place);
  };
  const move = async (item: unknown, to: unknown, { as = 'admin', of = 'card' } = {}): Promise<number> =>
    (await server().request('POST', `/utils/sort/${of}`, { as, body: { item, to } })).status;
  const load = async (content: string, { as = 'admin', type = 'text/csv', of = 'book', query = '' } = {}) =>
    server().request('POST', `/utils/import/${of}${query}`, {
      as,
      ...(await encodeForm([{ name: 'file', filename: 'rows', contentType: type, content }])),
    });
  const titles = async (): Promise<readonly string[]> => {
    const { data } = await server().request('GET', '/items/book?fields=title&sort=title', { as: 'admin' });
    return (data as { readonly title: string }[]).map(({ title }) => title);
  };

  it('an item takes the place of another, and those between move by one', async () => {
    await restore();
    expect(await move('e', 'b')).toBe(200);
    expect([await order(), await places()]).toEqual(['aebcdf', [10, 21, 31, 41, 20, 60]]);
    expect(await move('a', 'd')).toBe(200);
    expect(await order()).toBe('ebcdaf');
    expect(await move('f', 'f')).toBe(200);
    expect(await order()).toBe('ebcdaf');
  });

  it('items without a place, or with the same, are numbered first', async () => {
    await restore();
    await server().execute("update card set place = null where name = 'c'");
    await server().execute("update card set place = 20 where name = 'd'");
    expect(await move('f', 'a')).toBe(200);
    expect([await order(), await places()]).toEqual(['fabdec', [2, 3, 6, 4, 5, 1]]);
  });

  it('takes composite keys, in REST and GraphQL', async () => {
    expect(await move('2,1', '1,1', { of: 'pair' })).toBe(200);
    const query = 'mutation { utils_sort(collection: "pair", item: "1,2", to: "2,1") }';
    expect((await ask(server(), query, { path: '/graphql/system' })).data).toEqual({ utils_sort: true });
    const { data } = await server().request('GET', '/items/pair?fields=x,y,place', { as: 'admin' });
    expect(data).toEqual([
      { x: 1, y: 2, place: 1 },
      { x: 2, y: 1, place: 2 },
      { x: 1, y: 1, place: 3 },
    ]);
  });

  it('moves nothing that the caller may not read or update', async () => {
    await restore();
    expect(await move('d', 'a', { as: 'mover' })).toBe(200);
    expect(await order()).toBe('dabcef');
    expect(await move('d', 'e', { as: 'mover' })).toBe(403);
    expect(await move('d', 'missing', { as: 'mover' })).toBe(403);
    expect(await move('d', 'a', { as: 'reader' })).toBe(403);
    expect(
      (await server().request('POST', '/utils/sort/card', { body: { item: 'd', to: 'a' } })).status,
    ).toBe(403);
    expect(await move('d', 'a', { of: 'svc_users' })).toBe(403);
    expect(await move(1, 2, { of: 'book' })).toBe(400);
    expect(await order()).toBe('dabcef');
  });

  it('moves at the same time leave every item with a place of its own', async () => {
    await restore();
    const moves = letters.map((name, index) => move(name, letters.at(-1 - index)));
    expect(new Set(await Promise.all(moves))).toEqual(new Set([200]));
    expect(new Set(await places()).size).toBe(letters.length);
  });

  it('an import creates items, and changes those that are stored, in one transaction', async () => {
    expect((await load('title,isbn\nOne,1\nTwo,2\n')).status).toBe(200);
    expect(await titles()).toEqual(['One', 'Two']);
    const { data } = await server().request('GET', '/items/book?filter[title]=One', { as: 'admin' });
    const [{ id } = { id: 0 }] = data as { readonly id: number }[];
    const rows = [{ id, title: 'Eins' }, { title: 'Drei' }];
    expect((await load(JSON.stringify(rows), { type: 'application/json' })).status).toBe(200);
    expect(await titles()).toEqual(['Drei', 'Eins', 'Two']);
    const refused = await load('title,isbn\nFour,4\nFive,2\n');
    expect([refused.status, refused.codes]).toEqual([400, ['RECORD_NOT_UNIQUE']]);
    expect(await titles()).toEqual(['Drei', 'Eins', 'Two']);
  });

  it('an import takes the delimiter of its cells', async () => {
    onTestFinished(() => server().execute("delete from book where title = 'A;B'"));
    expect((await load('title;isbn\n"A;B";7\n', { query: '?delimiter=%3B' })).status).toBe(200);
    expect(await titles()).toContain('A;B');
    const { status, codes } = await load('title,isbn\nOne,8\n', { query: '?delimiter=x' });
    expect([status, codes]).toEqual([400, ['INVALID_QUERY']]);
    const hint =
      'the first line has one column, "title;isbn"; if ";" separates its cells, set the parameter "delimiter" to it';
    expect((await load('title;isbn\nOne;8\n')).errors).toMatchObject([
      { code: 'INVALID_PAYLOAD', reason: expect.stringContaining(hint) as string },
    ]);
  });

  it('an import takes one file, and stores none of several', async () => {
    const file = { name: 'file', filename: 'rows', contentType: 'text/csv' };
    const form = await encodeForm([
      { ...file, content: 'title\nFirst\n' },
      { ...file, content: 'title\nSecond\n' },
    ]);
    const { status, errors } = await server().request('POST', '/utils/import/book', { as: 'admin', ...form });
    expect(status).toBe(400);
    expect(errors).toMatchObject([{ reason: 'the form has 2 files; send each in a request of its own' }]);
    expect(await titles()).not.toContain('First');
  });

  it('an import names the rows at fault, those with the same problem together', async () => {
    const { status, errors } = await load('title,isbn\n,1\nGood,3\n,5\n"A title of more than twenty",6\n');
    expect(status).toBe(400);
    expect(errors).toMatchObject([
      { code: 'FAILED_VALIDATION', field: 'title', rows: [{ type: 'lines', rows: [1, 3] }] },
      { code: 'VALUE_TOO_LONG', field: 'title', rows: [{ type: 'lines', rows: [4] }] },
    ]);
    const broken = await load('[{"title":"A"},]', { type: 'application/json' });
    expect([broken.status, broken.codes]).toEqual([400, ['INVALID_PAYLOAD']]);
  });

  it('an import needs the rights to create and to update', async () => {
    expect((await load('title\nX\n', { as: 'reader' })).status).toBe(403);
    expect((await load('title\nX\n', { of: 'svc_users' })).status).toBe(403);
    expect((await load('x'.repeat(11 * 1024 ** 2))).status).toBe(413);
    expect(await titles()).not.toContain('X');
  });

  it('an export is queued, and Location leads to its status', async () => {
    const body = { format: 'json', query: { fields: ['name'], filter: { name: 'a' } } };
    const sent = await server().request('POST', '/utils/export/card', { as: 'reader', body });
    expect(sent.status).toBe(204);
    const { pathname } = new URL(sent.headers.get('location') ?? '');
    const path = pathname.replace(/\/status$/, '');
    const ended = await endOf(server(), { id: path, path }, 'reader');
    expect(await (await fetch(ended.body.file.url)).json()).toEqual([{ name: 'a' }]);
    const queueExport = (of: string, as: string) =>
      server().request('POST', `/utils/export/${of}`, { as, body });
    expect((await queueExport('book', 'reader')).status).toBe(403);
    expect((await queueExport('svc_users', 'admin')).status).toBe(403);
    expect((await queueExport('missing', 'admin')).status).toBe(403);
  });
});
