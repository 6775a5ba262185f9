/** A server with a shop, whose rows are restored before each test, for `on_conflict`. */
import { beforeEach } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { Setting } from '../server-harness.js';

const schema = `
create table "shop" ("id" {counter}, "name" varchar(20) unique);
create table "item" ("id" {counter}, "sku" varchar(9) not null unique, "shop" integer, "slug" varchar(20), "title" varchar(20),
  "price" integer not null, "place" integer unique, constraint "item_slug" unique ("shop", "slug"),
  foreign key ("shop") references "shop" ("id"));
create table "tag" ("code" varchar(9) primary key, "label" varchar(20));
create table "note" ("id" {counter}, "tag" varchar(9), "text" varchar(20), foreign key ("tag") references "tag" ("code"));
`;

const rows = `
delete from "note"; delete from "item"; delete from "tag"; delete from "shop";
insert into "shop" ("id", "name") values (1, 'one'), (2, 'two');
insert into "item" ("id", "sku", "shop", "slug", "title", "price", "place")
  values (1, 'a', 1, 'x', 'first', 10, 1), (2, 'b', 1, 'y', 'second', 20, 2);
insert into "tag" ("code", "label") values ('t', 'kept');
insert into "note" ("id", "tag", "text") values (1, 't', 'old');
`;

/** Starts the server of a file; call it in a `describe`. */
export const useShop = (setting: Setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(setting.dialect, schema),
    meta: {
      collections: { item: { accountability: 'all' } },
      relations: [{ many_collection: 'note', many_field: 'tag', one_collection: 'tag', one_field: 'notes' }],
    },
    access: {
      policies: {
        Clerk: [
          { collection: 'item', action: 'read', fields: ['id', 'title'], permissions: { id: { _neq: 2 } } },
          { collection: 'item', action: 'create', fields: ['sku', 'title', 'price'] },
          {
            collection: 'item',
            action: 'update',
            fields: ['title'],
            permissions: { price: { _lt: 20 } },
            validation: { title: { _neq: 'bad' } },
          },
        ],
        Titles: [
          { collection: 'item', action: 'read', fields: ['id', 'title'] },
          { collection: 'item', action: 'create', fields: ['*'] },
        ],
        FirstSku: [{ collection: 'item', action: 'read', fields: ['sku'], permissions: { id: { _eq: 1 } } }],
        Importer: [{ collection: 'item', action: 'create', fields: ['*'] }],
        Writer: [
          { collection: 'item', action: 'create', fields: ['*'] },
          { collection: 'item', action: 'update', fields: ['*'] },
        ],
      },
      users: {
        clerk: { policies: ['Clerk'] },
        partial: { policies: ['Titles', 'FirstSku'] },
        importer: { policies: ['Importer'] },
        writer: { policies: ['Writer'] },
      },
    },
  });
  beforeEach(() => server().execute(sqlFor(setting.dialect, rows)));

  const post = async (query: string, body: unknown, { as = 'admin', collection = 'item' } = {}) => {
    const {
      status,
      data,
      body: sent,
      codes,
      errors,
    } = await server().request('POST', `/items/${collection}?${query}`, { as, body });
    const { meta } = (sent ?? {}) as { readonly meta?: { readonly outcomes: readonly string[] } };
    return codes.length > 0 ? { status, codes, errors } : { status, data, outcomes: meta?.outcomes };
  };
  const stored = async (fields = 'id,sku,title,price', collection = 'item') =>
    (await server().request('GET', `/items/${collection}?fields=${fields}`, { as: 'admin' })).data;
  return { server, post, stored };
};
