/** Many-to-any relations, and keys of several columns, in the client: a program against a server of every database, and programs that do not compile. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emitClient } from '../../generator/emitters/client/index.js';
import { introspect } from '../../generator/introspection/index.js';
import { buildModel } from '../../generator/model/build.js';
import { loadSpec } from '../../generator/spec/load.js';
import { packageRoot } from '../../runtime/config/package.js';
import { compile, compilerPath, messagesByFile } from '../compiler.js';
import { catalogReader, dialectsOf, type TestDialect } from '../databases.js';
import { sqlFor } from '../runtime/harness/sql.js';
import { useServer } from '../runtime/harness/use-server.js';
import { adminToken } from '../runtime/server-harness.js';
import { programsFolder, sourcesIn, strictestOfPrograms } from './package.js';

const dialects = dialectsOf(import.meta.url);

/** The tables of `docs/many-to-any.md`, the speakers of quotes, and tickets of seats, whose key has two columns. */
const sqlOf = (dialect: TestDialect): string =>
  sqlFor(
    dialect,
    `create table "page" ("id" {counter}, "title" varchar(80));
create table "heading" ("id" {counter}, "text" varchar(200));
create table "speaker" ("id" {counter}, "name" varchar(80) not null);
create table "quote" ("code" varchar(20) not null primary key, "text" varchar(200), "speaker" integer,
  constraint "quote_speaker" foreign key ("speaker") references "speaker" ("id"));
create table "block" ("id" {counter}, "page" integer, "sort" integer, "kind" varchar(40), "item" varchar(40),
  constraint "block_page" foreign key ("page") references "page" ("id"));
create table "seat" ("block" varchar(4) not null, "place" int not null, "label" varchar(20) not null, primary key ("block", "place"));
create table "ticket" ("id" {counter}, "seat_block" varchar(4), "seat_place" int,
  constraint "ticket_seat" foreign key ("seat_block", "seat_place") references "seat" ("block", "place"));
insert into "page" ("id", "title") values (1, 'Home');
insert into "heading" ("id", "text") values (7, 'Welcome'), (8, 'About');
insert into "speaker" ("id", "name") values (1, 'Oscar');
insert into "quote" ("code", "text", "speaker") values ('wilde', 'Be yourself', 1);
insert into "block" ("id", "page", "sort", "kind", "item") values
  (1, 1, 1, 'heading', '7'), (2, 1, 2, 'quote', 'wilde'), (3, 1, 3, null, null), (4, 1, 4, 'heading', '8');`,
  );

const meta = {
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
      one_allowed_collections: ['heading', 'quote'],
      junction_field: 'page',
    },
    { many_collection: 'ticket', many_field: 'seat', one_collection: 'seat', one_field: 'tickets' },
  ],
};

interface Program {
  run(api: unknown): Promise<unknown>;
  readonly expected: unknown;
}

const wrong = await sourcesIn(join(programsFolder, 'many-to-any', 'wrong'));

let folder: string;
let found: ReadonlyMap<string, readonly string[]>;
const first = useServer({ dialect: 'sqlite', sql: sqlOf('sqlite'), meta });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-any-'));
  const catalog = await introspect(catalogReader(first().database), {});
  const { model } = buildModel({ catalog, spec: await loadSpec([join(packageRoot, 'spec')]) });
  const place = join(folder, 'node_modules', 'content-api-client');
  for (const { path, content } of emitClient(model)) {
    const file = join(place, path.slice('client/'.length));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  cpSync(join(packageRoot, 'generated/client/src/rest'), join(place, 'src/rest'), { recursive: true });
  await promisify(execFile)(process.execPath, [compilerPath, '-p', place]);
  cpSync(join(programsFolder, 'many-to-any'), folder, { recursive: true });
  cpSync(join(programsFolder, 'right', 'exactly.ts'), join(folder, 'exactly.ts'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(folder, 'page.ts'), programOfPage());
  const names = ['right.ts', 'page.ts', ...wrong.map((name) => join('wrong', name))];
  found = messagesByFile(await compile({ folder, files: names, options: strictestOfPrograms }));
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The example of the page, as a program. */
const programOfPage = (): string => {
  const page = readFileSync(join(packageRoot, 'docs', 'many-to-any.md'), 'utf8');
  const [, text = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
  const [head = '', body = ''] = text.split(/(?<=;\n)\n/);
  return `${head}export const say = async (url: string, token: string, say: (text: unknown) => void) => {\n${body.replaceAll('console.log', 'say')}};\n`;
};

it.each(wrong)('%s fails to compile with a helpful message', (name) => {
  const [line = ''] = readFileSync(join(programsFolder, 'many-to-any', 'wrong', name), 'utf8').split('\n');
  const [code = '', ...words] = line.slice('// '.length).split(': ');
  const said = found.get(name) ?? [];
  expect(said).toEqual([expect.stringMatching(`^${code}: `)]);
  expect(said[0]).toContain(words.join(': '));
});

it('right programs compile with exact types', () => {
  expect([found.get('right.ts'), found.get('page.ts')]).toEqual([undefined, undefined]);
});

describe.each(dialects)('on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlOf(dialect), meta });

  it('fields, filters, sorts and deep parameters reach the items of each collection', async () => {
    const { createClient } = (await import(
      join(folder, 'node_modules/content-api-client/dist/index.js')
    )) as {
      readonly createClient: (options: { readonly url: string; readonly token: string }) => unknown;
    };
    const { run, expected } = (await import(join(folder, 'right.js'))) as Program;
    expect(await run(createClient({ url: server().url, token: adminToken }))).toEqual(expected);
  });

  it('the example of the page runs', async () => {
    const { say } = (await import(join(folder, 'page.js'))) as {
      say(url: string, token: string, say: (text: unknown) => void): Promise<void>;
    };
    const said: unknown[] = [];
    await say(server().url, adminToken, (text) => said.push(text));
    expect(said).toEqual(['Welcome', 'Be yourself', 'About', '1 page']);
  });
});
