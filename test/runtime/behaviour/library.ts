/** Authors, books, shelves and reviews: what most behaviours are shown on. */
import type { TestDialect } from '../../databases.js';
import { sqlFor, valuesToSql } from '../harness/sql.js';
import type { TestAccess, TestMeta } from '../server-harness.js';

const tables = `
create table "country" (
  "code" char(2) not null primary key,
  "name" varchar(40) not null
);
create table "author" (
  "id" {counter},
  "name" varchar(60) not null,
  "born" date,
  "country" char(2),
  "secret" varchar(40),
  constraint "author_country" foreign key ("country") references "country" ("code") on delete set null
);
create table "book" (
  "id" {counter},
  "title" varchar(80) not null,
  "isbn" varchar(20),
  "author" integer,
  "year" smallint,
  "price" decimal(10,2),
  "stock" integer not null default 1,
  "lent" boolean not null default false,
  "note" text,
  constraint "book_isbn" unique ("isbn"),
  constraint "book_stock" check ("stock" >= 0),
  constraint "book_author" foreign key ("author") references "author" ("id") on delete set null
);
create table "shelf" (
  "id" {counter},
  "room" varchar(10) not null,
  "number" integer not null,
  constraint "shelf_place" unique ("room", "number")
);
create table "book_shelf" (
  "book" integer not null,
  "shelf" integer not null,
  "position" integer,
  primary key ("book", "shelf"),
  constraint "book_shelf_book" foreign key ("book") references "book" ("id") on delete cascade,
  constraint "book_shelf_shelf" foreign key ("shelf") references "shelf" ("id") on delete cascade
);
create table "review" (
  "id" {counter},
  "book" integer not null,
  "stars" integer not null,
  "words" varchar(200),
  constraint "review_book" foreign key ("book") references "book" ("id")
);
`;

/** The author with more books than a list shows by default. */
export const busyAuthor = { id: 1, books: 130 } as const;

type Row = readonly (string | number | boolean | null)[];

const rows: Readonly<Record<string, readonly Row[]>> = {
  '"country" ("code", "name")': [
    ['de', 'Germany'],
    ['pl', 'Poland'],
    ['xx', 'Nowhere'],
  ],
  '"author" ("id", "name", "born", "country", "secret")': [
    [1, 'Anna Busy', '1950-05-05', 'de', 'alpha'],
    [2, 'Bruno Few', '1960-06-06', 'pl', 'beta'],
    [3, 'Cleo None', null, 'pl', null],
    [4, 'Dora Stray', '1970-07-07', null, 'delta'],
  ],
  '"book" ("id", "title", "isbn", "author", "year", "price", "stock", "lent", "note")': [
    ...Array.from({ length: busyAuthor.books }, (_, index): Row => [
      index + 1,
      `Volume ${String(index + 1).padStart(3, '0')}`,
      `A-${index + 1}`,
      busyAuthor.id,
      1900 + (index % 50),
      10 + index / 4,
      index,
      index % 2 === 1,
      null,
    ]),
    [201, 'Few Words', 'B-1', 2, 1990, 5.5, 3, false, '100% plain_text'],
    [202, 'Fewer Words', 'B-2', 2, 1991, null, 0, true, 'Ein Wort'],
    [203, 'Last Words', null, 2, null, 7, 1, false, ''],
    [204, 'Stray', 'D-1', 4, 2000, 1, 1, false, null],
    [205, 'Orphan', null, null, 2001, 2, 1, false, null],
  ],
  '"shelf" ("id", "room", "number")': [
    [1, 'north', 1],
    [2, 'north', 2],
    [3, 'south', 1],
  ],
  '"book_shelf" ("book", "shelf", "position")': [
    [201, 1, 2],
    [202, 1, 1],
    [203, 1, null],
    [201, 3, 1],
    [1, 2, 1],
  ],
  '"review" ("id", "book", "stars", "words")': [
    [1, 201, 5, 'fine'],
    [2, 201, 1, 'dull'],
    [3, 202, 3, null],
    [4, 1, 4, 'long'],
  ],
};

const inserts = Object.entries(rows)
  .map(([target, values]) => `insert into ${target} values ${valuesToSql(values)};`)
  .join('\n');

export const librarySql = (dialect: TestDialect): string => sqlFor(dialect, tables + inserts);

/** Puts the rows back. */
export const restoreSql = (dialect: TestDialect): string =>
  sqlFor(
    dialect,
    `{foreignKeysOff};${['review', 'book_shelf', 'shelf', 'book', 'author', 'country']
      .map((table) => `delete from "${table}";`)
      .join('')}${inserts}`,
  );

/** Lists named by meta are part of `*`; the many-to-many goes through `book_shelf`. */
export const libraryMeta: TestMeta = {
  fields: { author: { secret: { special: ['conceal'] } } },
  relations: [
    { many_collection: 'book', many_field: 'author', one_collection: 'author', one_field: 'books' },
    {
      many_collection: 'book_shelf',
      many_field: 'book',
      one_collection: 'book',
      one_field: 'shelves',
      junction_field: 'shelf',
      sort_field: 'position',
    },
    {
      many_collection: 'book_shelf',
      many_field: 'shelf',
      one_collection: 'shelf',
      one_field: 'books',
      junction_field: 'book',
      sort_field: 'position',
    },
  ],
};

/** Nobody but the administrator may do anything. */
export const closedAccess: TestAccess = { users: { nobody: {} } };
