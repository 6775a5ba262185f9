/** A rename keeps constraints, indexes and relations, also where the rest of the snapshot has the former name. */
import { describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { edited, field, type Edit } from './edits.js';
import { usePlaces, type Place } from './places.js';

const dialects = dialectsOf(import.meta.url);

const create = usePlaces();

const partial = (dialect: TestDialect): string =>
  dialect === 'postgres' || dialect === 'sqlite'
    ? "create unique index t_part on t (code) where code <> 'a';"
    : '';

const policy = '11111111-1111-4111-8111-111111111111';

/** No constraint has a name. */
const script = (dialect: TestDialect): string => `
  create table up (id int not null primary key, part int not null, unique (id, part));
  create table t (
    id int not null primary key, code varchar(20) not null, n int, ref int, part int,
    twice int generated always as (n + n) stored,
    unique (code), unique (n, code), check (n < 100), check (n > 0 and part > 0), foreign key (ref) references up (id),
    foreign key (ref, part) references up (id, part)
  );
  create index t_index on t (code, n); ${partial(dialect)}
  insert into up values (1, 1); insert into t (id, code, n, ref, part) values (1, 'x', 1, 1, 1);`;

const rename =
  (collection: string, from: string, to: string): Edit =>
  (snapshot) => {
    Object.assign(field(snapshot, collection, from), { field: to, meta: { previous_name: from } });
  };

/** Applies a snapshot, which is then no difference any more, and nor is the place's own. */
const become = async (place: Place, edit: Edit) => {
  const wanted = edited(await place.snapshot(), edit);
  const difference = await place.diff(wanted, { explain: true });
  if (difference === null) throw new Error('there is no difference');
  await place.apply(difference);
  expect(await place.diff(wanted)).toBeNull();
  expect(await place.diff(await place.snapshot())).toBeNull();
  return difference;
};

const unnamed = (list: readonly object[] = []): readonly string[] =>
  list
    .map((each) =>
      JSON.stringify(each, (key, value: unknown) =>
        key === 'name' || key === 'constraint_name' ? '' : value,
      ),
    )
    .toSorted();

/** Constraints and indexes of a table without their names. */
const partsOf = async (place: Place, table: string): Promise<unknown> => {
  const { collections, fields, relations } = await place.snapshot();
  const schema = collections.find(({ collection }) => collection === table)?.schema;
  const { uniques, indexes, checks } = schema ?? {};
  const generated = fields.map(({ schema: column }) => column?.generation_expression);
  const keys = relations.flatMap(({ schema: key }) => key ?? []);
  return [unnamed(uniques), unnamed(indexes), unnamed(checks), unnamed(keys), generated];
};

/** Replaces names in the parts of a table. */
const replaced = (parts: unknown, from: RegExp, to: string): unknown =>
  JSON.parse(JSON.stringify(parts).replaceAll(from, to));

describe.each(dialects)('on %s', (dialect) => {
  for (const [from, to] of [
    ['code', 'article'],
    ['n', 'quantity'],
    ['ref', 'parent'],
  ] as const) {
    it(`${from} renamed alone is one statement, and keeps all that is over it`, async () => {
      const place = await create(dialect, script(dialect));
      const before = await partsOf(place, 't');
      const { diff, explain } = await become(place, rename('t', from, to));
      expect(diff.collections).toEqual([]);
      expect(diff.relations).toEqual([]);
      expect(diff.fields.map((entry) => entry.diff)).toEqual([
        [{ kind: 'E', path: ['field'], lhs: from, rhs: to }],
      ]);
      expect(explain?.statements).toHaveLength(1);
      const after = await partsOf(place, 't');
      expect(after).toEqual(replaced(before, new RegExp(`(?<=\\W)${from}(?=\\W)`, 'g'), to));
    });
  }

  it('a collection renamed alone is one statement, and keeps all that is in it', async () => {
    const place = await create(dialect, script(dialect));
    const before = await partsOf(place, 't');
    const { diff, explain } = await become(place, ({ collections }) => {
      const entry = collections.find(({ collection }) => collection === 't');
      Object.assign(entry ?? {}, { collection: 'things', meta: { previous_name: 't' } });
    });
    expect([diff.fields, diff.relations]).toEqual([[], []]);
    expect(explain?.statements).toHaveLength(1);
    expect(await partsOf(place, 'things')).toEqual(
      replaced(before, /(?<="table\\?":\\?")t(?=\\?")/g, 'things'),
    );
    expect(await place.database.query('select code from things')).toEqual([{ code: 'x' }]);
  });

  it('a collection and a field renamed in case alone keep their rows', async () => {
    const place = await create(dialect, script(dialect));
    const before = await partsOf(place, 't');
    await become(place, (snapshot) => {
      const entry = snapshot.collections.find(({ collection }) => collection === 't');
      Object.assign(entry ?? {}, { collection: 'T', meta: { previous_name: 't' } });
      for (const each of snapshot.fields)
        if (each.collection === 't') Object.assign(each, { collection: 'T' });
      rename('T', 'code', 'Code')(snapshot);
    });
    expect(await partsOf(place, 'T')).toEqual(
      replaced(replaced(before, /(?<="table\\?":\\?")t(?=\\?")/g, 'T'), /(?<=\W)code(?=\W)/g, 'Code'),
    );
    const { database } = place;
    const text = `select ${database.quote('Code')} from ${database.quote('T')}`;
    expect(await database.query(text)).toEqual([{ Code: 'x' }]);
  });

  it('another name of a constraint or index is a difference', async () => {
    const place = await create(dialect, script(dialect));
    const { diff } = await become(place, ({ collections }) => {
      const { schema } = collections.find(({ collection }) => collection === 't') ?? {};
      for (const key of ['uniques', 'indexes', 'checks']) {
        const list = (schema?.[key] ?? []) as readonly { name: string }[];
        for (const [at, each] of list.entries()) each.name = `${key}_${at}`;
      }
    });
    expect(diff.collections[0]?.diff.map(({ path }) => path?.at(-1))).toEqual([
      'uniques',
      'indexes',
      'checks',
    ]);
  });

  it('rules, presets and meta follow, through relations and functions', async () => {
    const place = await create(
      dialect,
      `create table authors (id int not null primary key, name varchar(20), born date);
       create table books (id int not null primary key, title varchar(20), author int, pages int,
         foreign key (author) references authors (id));`,
    );
    const { database } = place;
    const write = (text: string, values: readonly string[]) => database.write({ text, values: [...values] });
    const permission = {
      permissions: { _and: [{ author: { name: { _eq: 'name' } } }, { 'year(born)': { _gt: 1 } }] },
      validation: { books: { _some: { title: { _nnull: true }, pages: { _gt: 1 } } } },
      presets: { name: 'name', books: [{ title: 'title' }] },
    };
    await write("insert into svc_policies (id, name) values (?, 'p')", [policy]);
    for (const collection of ['authors', 'books']) {
      await write(
        `insert into svc_permissions (policy, collection, action, permissions, validation, presets, fields)
        values (?, ?, 'read', ?, ?, ?, 'id,name,title')`,
        [policy, collection, ...Object.values(permission).map((value) => JSON.stringify(value))],
      );
    }
    await write(
      `insert into svc_collections (collection, display_template, item_duplication_fields) values ('books', ?, ?)`,
      ['{{title}} by {{ author.name }}', JSON.stringify(['title', 'author.name'])],
    );
    await write(
      `insert into svc_fields (collection, field, validation, conditions) values ('books', 'pages', ?, ?)`,
      [
        JSON.stringify({ title: { _nnull: true } }),
        JSON.stringify([{ name: 'title', rule: { title: { _eq: 'title' } } }]),
      ],
    );

    const wanted = edited(await place.snapshot(), (snapshot) => {
      for (const { collection, field: name } of snapshot.fields) {
        if (name === 'name') rename(collection, 'name', 'full_name')(snapshot);
        if (name === 'title') rename(collection, 'title', 'headline')(snapshot);
      }
      const books = snapshot.collections.find(({ collection }) => collection === 'books');
      Object.assign(books ?? {}, { collection: 'works', meta: { ...books?.meta, previous_name: 'books' } });
    });
    const difference = await place.diff(wanted);
    expect(difference?.diff.fields.flatMap((entry) => entry.diff.map(({ path }) => path))).toEqual([
      ['field'],
      ['field'],
    ]);
    await place.apply(difference as never);
    expect(await place.diff(wanted)).toBeNull();

    const rows = await database.query('select * from svc_permissions where fields <> ? order by id', ['*']);
    const [authors, books] = rows.map(({ collection, fields, ...row }) => ({
      collection,
      fields,
      rules: Object.keys(permission).map((key) => JSON.parse(String(row[key])) as unknown),
    }));
    expect(authors).toEqual({
      collection: 'authors',
      fields: 'id,full_name,title',
      rules: [
        permission.permissions,
        { works: { _some: { headline: { _nnull: true }, pages: { _gt: 1 } } } },
        { full_name: 'name', works: [{ headline: 'title' }] },
      ],
    });
    expect(books).toMatchObject({ collection: 'works', fields: 'id,name,headline' });
    expect(books?.rules[0]).toEqual({
      _and: [{ author: { full_name: { _eq: 'name' } } }, { 'year(born)': { _gt: 1 } }],
    });
    const after = await place.snapshot();
    expect(after.collections.find(({ collection }) => collection === 'works')?.meta).toMatchObject({
      display_template: '{{headline}} by {{ author.full_name }}',
      item_duplication_fields: ['headline', 'author.full_name'],
    });
    expect(after.fields.find((entry) => entry.field === 'pages')?.meta).toMatchObject({
      validation: { headline: { _nnull: true } },
      conditions: [{ name: 'title', rule: { headline: { _eq: 'title' } } }],
    });
  });
});

it.each([
  [
    'names that change places',
    { a: 'b', b: 'a' },
    ['"t.b" has the previous_name "a"', '"t.a" has the previous_name "b"'],
  ],
  ['a name that another field takes', { a: 'b', b: 'd' }, ['"t.d" has the previous_name "b"']],
  ['one name of two fields', { a: 'd', b: 'e' }, ['"t.e" and "t.d" have the same previous_name "a"']],
])('%s cannot be followed in one apply', async (_case, names, problems) => {
  const place = await create('sqlite', 'create table t (id int not null primary key, a int, b int, c int);');
  const wanted = edited(await place.snapshot(), (snapshot) => {
    const found = Object.entries(names).map(([from, to]) => ({
      entry: field(snapshot, 't', from),
      from,
      to,
    }));
    for (const { entry, from, to } of found)
      Object.assign(entry, { field: to, meta: { previous_name: to === 'e' ? 'a' : from } });
  });
  const error = (await place.diff(wanted).catch((thrown: unknown) => thrown)) as Error;
  for (const problem of problems) expect(error.message).toContain(problem);
});

it('a former name that a target has not, or no longer, is no rename', async () => {
  const place = await create('sqlite', 'create table t (id int not null primary key, a int, b int);');
  const wanted = edited(await place.snapshot(), (snapshot) => {
    field(snapshot, 't', 'a').meta = { previous_name: 'before' };
    field(snapshot, 't', 'b').meta = { previous_name: 'a' };
  });
  expect(await place.diff(wanted)).toBeNull();
});
