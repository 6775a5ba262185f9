/** Pages of blocks: a many-to-any relation to collections whose keys are integers, uuids and texts. */
import type { TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import type { TestAccess, TestMeta } from '../server-harness.js';

/** MySQL and MariaDB compare texts of two collations only where one of them is converted. */
const otherCollation: Readonly<Record<TestDialect, string>> = {
  sqlite: '',
  postgres: '',
  mariadb: ' character set utf8mb4 collate utf8mb4_swedish_ci',
  mysql: ' character set utf8mb4 collate utf8mb4_swedish_ci',
};

const tables = (dialect: TestDialect): string => `
create table "page" ("id" {counter}, "title" varchar(40) not null);
create table "author" ("id" {counter}, "name" varchar(40) not null, "active" integer not null default 1);
create table "note" ("id" {counter}, "heading" varchar(40) not null, "body" varchar(200), "author" integer,
  constraint "note_author" foreign key ("author") references "author" ("id"));
create table "quote" ("id" {uuid} not null primary key, "heading" varchar(40), "source" varchar(40));
create table "tag" ("code" varchar(20)${otherCollation[dialect]} not null primary key, "heading" varchar(40), "weight" integer);
create table "remark" ("id" {counter}, "note" integer, "text" varchar(40),
  constraint "remark_note" foreign key ("note") references "note" ("id"));
create table "block" ("id" {counter}, "page" integer, "kind" varchar(40), "item" varchar(64), "sort" integer,
  constraint "block_page" foreign key ("page") references "page" ("id"));
`;

export const uuid = (index: number): string => `7b000000-0000-4000-8000-00000000000${index}`;

const rows = `
insert into "page" ("id", "title") values (1, 'One'), (2, 'Two'), (3, 'Three');
insert into "author" ("id", "name", "active") values (1, 'Ada', 1), (2, 'Bob', 0);
insert into "note" ("id", "heading", "body", "author") values
  (1, 'First', 'public', 1), (2, 'Second', 'secret', 2), (3, 'Third', null, null);
insert into "quote" ("id", "heading", "source") values ('${uuid(1)}', 'Quoted', 'Ada'), ('${uuid(2)}', 'Other', 'Bob');
insert into "tag" ("code", "heading", "weight") values ('red', 'Red', 5), ('4', 'Four', 7);
insert into "remark" ("id", "note", "text") values (1, 1, 'well'), (2, 1, 'said');
insert into "block" ("id", "page", "kind", "item", "sort") values
  (1, 1, 'note', '1', 1), (2, 1, 'quote', '${uuid(1)}', 2), (3, 1, 'tag', 'red', 3), (4, 1, 'note', '2', 4),
  (5, 2, 'tag', '4', 1), (6, 2, 'note', '99', 2), (7, 2, 'note', 'red', 3), (8, 2, 'author', '1', 4),
  (9, 2, null, null, 5), (10, 2, 'quote', 'none', 6), (11, 2, 'note', '01', 7);
`;

export const sqlOf = (dialect: TestDialect): string => sqlFor(dialect, tables(dialect) + rows);

/** Puts the rows back. */
export const restore = (dialect: TestDialect): string =>
  sqlFor(
    dialect,
    ['block', 'remark', 'tag', 'quote', 'note', 'author', 'page']
      .map((table) => `delete from "${table}";`)
      .join('') + rows,
  );

export const meta: TestMeta = {
  relations: [
    {
      many_collection: 'block',
      many_field: 'page',
      one_collection: 'page',
      one_field: 'blocks',
      junction_field: 'item',
      sort_field: 'sort',
    },
    {
      many_collection: 'block',
      many_field: 'item',
      one_collection: null,
      one_collection_field: 'kind',
      one_allowed_collections: ['note', 'quote', 'tag'],
      junction_field: 'page',
    },
    { many_collection: 'remark', many_field: 'note', one_collection: 'note', one_field: 'remarks' },
  ],
};

const read = (collection: string, fields: readonly string[], permissions = {}) => ({
  collection,
  action: 'read' as const,
  fields,
  permissions,
});

export const access: TestAccess = {
  policies: {
    Pages: [read('page', ['*']), read('block', ['*'])],
    /** Public notes without their bodies, and tags; no quotes. */
    Some: [
      read('note', ['id', 'heading', 'author'], { body: { _eq: 'public' } }),
      read('tag', ['*']),
      read('author', ['id', 'name'], { active: { _eq: 1 } }),
    ],
    /** Blocks without the name of their collection. */
    Kindless: [read('page', ['*']), read('block', ['id', 'item', 'page', 'sort']), read('note', ['*'])],
    /** Writes blocks and tags; notes without their bodies are only created. */
    Writer: [
      { collection: 'page', action: 'update', fields: ['blocks'] },
      ...(['create', 'update'] as const).map((action) => ({ collection: 'block', action, fields: ['*'] })),
      { collection: 'note', action: 'create', fields: ['heading'] },
      ...(['create', 'update'] as const).map((action) => ({ collection: 'tag', action, fields: ['*'] })),
    ],
    /** Creates blocks, and changes nothing but their places. */
    Sorter: [
      { collection: 'page', action: 'update', fields: ['title', 'blocks'] },
      { collection: 'block', action: 'create', fields: ['*'] },
      { collection: 'block', action: 'update', fields: ['sort'] },
    ],
    /** Blocks that lead to light tags, by a rule over the relation. */
    Light: [
      read('page', ['*']),
      read('block', ['*'], { 'item:tag': { weight: { _lt: 6 } } }),
      read('tag', ['*']),
    ],
  },
  users: {
    reader: { policies: ['Pages', 'Some'] },
    kindless: { policies: ['Kindless'] },
    light: { policies: ['Light'] },
    pages: { policies: ['Pages'] },
    sorter: { policies: ['Pages', 'Some', 'Sorter'] },
    writer: { policies: ['Pages', 'Some', 'Writer'] },
  },
};
