/** Pages by cursor: every item once, in order, whatever others write meanwhile. */
import { describe, expect, it } from 'vitest';
import { ask } from '../graphql/library.js';
import { useServer } from '../harness/use-server.js';
import type { TestDialect } from '../../databases.js';
import { settingsOf } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

/** In an order of their own, unlike that of their texts. */
const states = ['to do', 'doing', 'done'] as const;
const labels = states.map((state) => `'${state}'`).join(', ');
const enums: Readonly<Record<TestDialect, { readonly type: string; readonly before: string }>> = {
  sqlite: { type: 'varchar(10)', before: '' },
  mariadb: { type: `enum(${labels})`, before: '' },
  mysql: { type: `enum(${labels})`, before: '' },
  postgres: { type: 'state', before: `create type state as enum (${labels});` },
};

const rows = Array.from({ length: 25 }, (_, index) => {
  const id = index + 1;
  const name = index % 4 === 0 ? 'null' : `'${['Bea', 'bea', '$NOW', "O''Neill", ''][index % 5]}'`;
  const born = index % 3 === 0 ? 'null' : `'20${10 + (index % 5)}-01-0${1 + (index % 9)}'`;
  const state = index % 8 === 0 ? 'null' : `'${states[index % states.length]}'`;
  return `(${id}, ${name}, ${born}, ${index % 7 === 0 ? 'null' : (index % 6) / 4}, ${(index % 5) + 1}, ${state})`;
});

const schemaOf = (dialect: TestDialect): string => `${enums[dialect].before}
create table team (id int primary key, name varchar(20));
create table person (id int primary key, name varchar(20), born date, score decimal(8,2), team int, state ${enums[dialect].type}, foreign key (team) references team (id));
create view everybody as select id, name from person;
insert into team values (1, 'c'), (2, 'a'), (3, null), (4, 'a'), (5, 'b');
insert into person values ${rows.join(', ')};`;

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly cursor: string | null };
}

const sorts = [
  '',
  'id',
  '-id',
  'name',
  '-name',
  'born,-score',
  '-score,name',
  'team.name',
  '-team.name,born',
  'year(born)',
  'state',
  '-state,name',
  'team,-state',
];

describe.each(settings)('cursors on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: schemaOf(setting.dialect),
    access: {
      policies: {
        Reader: [
          { collection: 'person', action: 'read', fields: ['id', 'name'] },
          { collection: 'team', action: 'read', fields: ['name'] },
        ],
      },
      users: { reader: { policies: ['Reader'] } },
    },
  });
  const get = async (path: string, as = 'admin') => server().request('GET', path, { as });
  const page = async (query: string, cursor: string | null, as = 'admin'): Promise<Page> => {
    const after = cursor === null ? '' : `&after=${cursor}`;
    const { status, body } = await get(`/items/person?meta=cursor&${query}${after}`, as);
    expect([query, status]).toEqual([query, 200]);
    return body as never;
  };
  const walk = async (query: string, as = 'admin'): Promise<number[]> => {
    const found: number[] = [];
    let cursor: string | null = null;
    do {
      const { data, meta }: Page = await page(query, cursor, as);
      found.push(...data.map(({ id }) => id));
      ({ cursor } = meta);
    } while (cursor !== null && found.length < 100);
    return found;
  };

  it.each(sorts)('pages of sort=%s are the whole list', async (sort) => {
    const whole = (await get(`/items/person?sort=${sort}&limit=-1&fields=id`)).data as { id: number }[];
    for (const limit of [1, 4, 25, 26])
      expect(await walk(`sort=${sort}&fields=id&limit=${limit}`)).toEqual(whole.map(({ id }) => id));
  });

  it('a page has only the requested fields, and the last page has no cursor', async () => {
    const first = await page('sort=-born&fields=name&limit=1', null);
    expect(Object.keys(first.data[0] ?? {})).toEqual(['name']);
    expect(first.meta.cursor).toEqual(expect.any(String));
    expect((await page('limit=25', null)).meta.cursor).toBeNull();
    expect((await page('limit=0', null)).meta.cursor).toBeNull();
    const counted = await get('/items/person?meta=*,cursor&limit=1&filter[id][_gt]=5');
    expect((counted.body as never as Page).meta).toEqual({
      total_count: 25,
      filter_count: 20,
      cursor: expect.any(String),
    });
  });

  it('filters and nested lists stay, and the counts are those of the whole list', async () => {
    const first = await page('filter[team][_eq]=1&sort=id&limit=2&fields=id,team.name', null);
    expect(first.data).toEqual([
      { id: 1, team: { name: 'c' } },
      { id: 6, team: { name: 'c' } },
    ]);
    const { body } = await get(
      `/items/person?filter[team][_eq]=1&sort=id&limit=2&meta=filter_count&fields=id&after=${first.meta.cursor}`,
    );
    expect(body).toEqual({ meta: { filter_count: 5 }, data: [{ id: 11 }, { id: 16 }] });
  });

  it('items that others create or delete meanwhile shift no page', async () => {
    const first = await page('sort=id&fields=id&limit=5', null);
    await server().request('POST', '/items/person', { as: 'admin', body: [{ id: 0 }, { id: -1 }] });
    await server().request('DELETE', '/items/person/3', { as: 'admin' });
    const second = await page('sort=id&fields=id&limit=5', first.meta.cursor);
    expect(second.data.map(({ id }) => id)).toEqual([6, 7, 8, 9, 10]);
    await server().request('DELETE', '/items/person', { as: 'admin', body: [0, -1] });
    await server().request('POST', '/items/person', { as: 'admin', body: { id: 3, team: 3 } });
  });

  it('rejects a cursor that was changed, invented or made for something else', async () => {
    const { cursor } = (await page('sort=born&limit=3', null)).meta;
    const valid = cursor ?? '';
    const changed = `${valid.slice(0, -2)}${valid.endsWith('AA') ? 'BB' : 'AA'}`;
    const forged = `${valid.slice(0, 22)}${Buffer.from('["2030-01-01",1]').toString('base64url')}`;
    const queries = [
      ...[changed, forged, 'x', valid.slice(1), Buffer.from('[1,2]').toString('base64url')].map(
        (each) => `sort=born&after=${each}`,
      ),
      `sort=-born&after=${valid}`,
      `sort=name&after=${valid}`,
      `after=${valid}`,
      `sort=born&offset=1&after=${valid}`,
      `sort=born&page=2&after=${valid}`,
      `aggregate[count]=*&after=${valid}`,
      `aggregate[count]=*&meta=cursor`,
      `fields=team.person.id&deep[team][person][_after]=${valid}`,
    ];
    for (const query of queries) {
      const { status, codes } = await get(`/items/person?${query}`);
      expect([query, status, codes]).toEqual([query, 400, ['INVALID_QUERY']]);
    }
    expect((await get(`/items/team?sort=name&after=${valid}`)).codes).toEqual(['INVALID_QUERY']);
  });

  it('needs a key that the caller can read', async () => {
    expect((await get('/items/everybody?meta=cursor')).codes).toEqual(['INVALID_QUERY']);
    expect((await get('/items/team?meta=cursor', 'reader')).codes).toEqual(['INVALID_QUERY']);
    expect(await walk('sort=-name&limit=10&fields=id', 'reader')).toHaveLength(25);
    const { cursor } = (await page('sort=born&limit=3', null)).meta;
    expect((await get(`/items/person?sort=born&after=${cursor}`, 'reader')).codes).toEqual(['FORBIDDEN']);
  });

  it('works in SEARCH and in GraphQL', async () => {
    const body = { query: { sort: ['-score'], limit: 3, meta: ['cursor'], fields: ['id'] } };
    const { body: first } = await server().request('SEARCH', '/items/person', { as: 'admin', body });
    const { cursor } = (first as never as Page).meta;
    const rest = await page('sort=-score&limit=3&fields=id', cursor);
    const { data, body: answer } = await ask(
      server(),
      'query ($after: String) { person(sort: ["-score"], limit: 3, after: $after, meta: ["cursor"]) { id } }',
      { variables: { after: cursor } },
    );
    expect(data).toEqual({ person: rest.data.map(({ id }) => ({ id: String(id) })) });
    expect((answer as { extensions: unknown }).extensions).toEqual({ meta: { person: rest.meta } });
  });
});
