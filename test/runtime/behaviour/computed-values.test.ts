/** Validation of permissions where the database computes what is stored: generated columns, ON UPDATE, triggers. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestAccess, type TestPermission } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const tables = `
create table shop (id int primary key);
create table sale (id int primary key, price int, qty int, note varchar(20), shop int, total int generated always as (price * qty) stored, foreign key (shop) references shop (id));
create table word (id int primary key, body varchar(20));
insert into shop values (1), (2);
`;

/** Tables whose day is that of the last change, and triggers that store words in lower case and give "gone" another key. */
const mysqlSql = `
create table page (id int primary key, body varchar(20), day datetime default '2000-01-01' on update current_timestamp);
create trigger new_word before insert on word for each row set new.body = lower(new.body);
create trigger changed_word before update on word for each row begin set new.body = lower(new.body); if new.body = 'gone' then set new.id = new.id + 100; end if; end;`;

const computing: Readonly<Record<TestDialect, string>> = {
  mariadb: mysqlSql,
  mysql: mysqlSql,
  postgres: `
create table page (id int primary key, body varchar(20), day timestamp default '2000-01-01');
create function edit() returns trigger language plpgsql as $$ begin new.day = now(); return new; end $$;
create trigger edit before update on page for each row execute function edit();
create function spell() returns trigger language plpgsql as $$ begin new.body = lower(new.body); if tg_op = 'UPDATE' and new.body = 'gone' then new.id = new.id + 100; end if; return new; end $$;
create trigger spell before insert or update on word for each row execute function spell();`,
  sqlite: `
create table page (id int primary key, body varchar(20), day datetime default '2000-01-01 00:00:00');
create trigger edit after update of body on page begin update page set day = datetime() where id = new.id; end;
create trigger new_word after insert on word begin update word set body = lower(body) where id = new.id; end;
create trigger changed_word after update of body on word when new.body <> lower(new.body) or new.body = 'gone' begin update word set body = lower(body), id = id + case new.body when 'gone' then 100 else 0 end where id = new.id; end;`,
};

const restore = `
delete from sale; delete from page; delete from word;
insert into sale (id, price, qty, shop) values (1, 10, 1, 1), (2, 10, 1, 2), (3, 9000, 1, 1);
insert into page (id) values (1);
insert into word values (1, 'one');
`;

const all = (collection: string, action: TestPermission['action']): TestPermission => ({
  collection,
  action,
  fields: ['*'],
});
const both = (collection: string, validation: TestPermission['validation']): readonly TestPermission[] => [
  { ...all(collection, 'create'), validation },
  { ...all(collection, 'update'), validation },
  all(collection, 'read'),
];
const cheap = { total: { _lte: 1000 } };
const priced = { collection: 'sale', action: 'update', fields: ['price', 'note'] } as const;

const access: TestAccess = {
  policies: {
    Cheap: [...both('sale', cheap), all('shop', 'read'), { ...all('shop', 'update'), fields: ['sales'] }],
    Early: both('page', { day: { _lt: '2010-01-01T00:00:00' } }),
    Lower: both('word', { _and: [{ body: { _regex: '^[a-z]+$' } }, { body: { _neq: 'admin' } }] }),
    Shop: [{ ...priced, permissions: { shop: { _eq: 2 } } }],
    Dear: [{ ...priced, permissions: { total: { _gt: 1000 } } }],
  },
  users: {
    cheap: { policies: ['Cheap'] },
    early: { policies: ['Early'] },
    lower: { policies: ['Lower'] },
    several: { policies: ['Cheap', 'Shop', 'Dear'] },
  },
};

const meta = {
  relations: [{ many_collection: 'sale', many_field: 'shop', one_collection: 'shop', one_field: 'sales' }],
};

describe.each(settings)('validation of what $dialect computes, through $listener', (setting) => {
  const server = useServer({ ...setting, sql: tables + computing[setting.dialect], meta, access });
  beforeEach(() => server().execute(restore));

  const send = (as: string, method: string, path: string, body?: unknown) =>
    server().request(method, path, { as, body });
  const stored = async (): Promise<unknown> =>
    Promise.all(
      ['sale', 'page', 'word'].map(
        async (name) => (await send('admin', 'GET', `/items/${name}?sort=id`)).data,
      ),
    );
  const dear = { price: 5000 };

  it.each([
    ['cheap', 'POST', '/items/sale', { id: 9, qty: 1, ...dear }, 'total'],
    ['cheap', 'PATCH', '/items/sale/1', dear, 'total'],
    ['cheap', 'PATCH', '/items/sale', { keys: [1, 2], data: dear }, 'total'],
    ['cheap', 'PATCH', '/items/sale', { query: { limit: -1 }, data: { qty: 1 } }, 'total'],
    [
      'cheap',
      'PATCH',
      '/items/sale',
      [
        { id: 2, note: 'x' },
        { id: 1, ...dear },
      ],
      'total',
    ],
    [
      'cheap',
      'PATCH',
      '/items/shop/1',
      { sales: { create: [], update: [{ id: 1, ...dear }], delete: [] } },
      'total',
    ],
    ['cheap', 'POST', '/items/sale?on_conflict=update', [{ id: 1, ...dear }], 'total'],
    ['several', 'PATCH', '/items/sale/2', { qty: 999 }, 'total'],
    ['early', 'PATCH', '/items/page/1', { body: 'x' }, 'day'],
    ['lower', 'POST', '/items/word', { id: 9, body: 'ADMIN' }, 'body'],
    [
      'lower',
      'POST',
      '/items/word',
      [
        { id: 8, body: 'x' },
        { id: 9, body: 'ADMIN' },
      ],
      'body',
    ],
    ['lower', 'PATCH', '/items/word/1', { body: 'Admin' }, 'body'],
  ])('%s, %s %s %j fails and stores nothing', async (as, method, path, body, field) => {
    const before = await stored();
    const { status, errors } = await send(as, method, path, body);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ code: 'FAILED_VALIDATION', field }] });
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['cheap', 'PATCH', '/items/sale/3?fields=total', { price: 7 }, { total: 7 }],
    ['early', 'POST', '/items/page?fields=id', { id: 9 }, { id: 9 }],
    ['lower', 'POST', '/items/word?fields=body', { id: 9, body: 'NINE' }, { body: 'nine' }],
    ['lower', 'PATCH', '/items/word/1?fields=body', { body: 'TWO' }, { body: 'two' }],
    ['several', 'PATCH', '/items/sale/2?fields=total', dear, { total: 5000 }],
    ['several', 'PATCH', '/items/sale/3?fields=total', dear, { total: 5000 }],
  ])('%s, %s %s %j passes', async (as, method, path, body, data) => {
    expect((await send(as, method, path, body)).body).toEqual({ data });
  });

  it.each([
    // "Dear" applies to rows that were dear before
    ['several', '/items/sale/1', dear],
    ['lower', '/items/word/1', { body: 'gone' }],
  ])('%s may not change %s by %j', async (as, path, body) => {
    const before = await stored();
    expect((await send(as, 'PATCH', path, body)).codes).toEqual(['FORBIDDEN']);
    expect(await stored()).toEqual(before);
  });
});
