/** Questions about data that a database cannot answer, or answers in its own way: they are refused by name, or are not asked. */
import { describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { copyField, edited, field, type Edit } from './edits.js';
import { usePlaces, type Place } from './places.js';

const create = usePlaces();

const texts: Readonly<Record<TestDialect, string>> = {
  sqlite: 'VARCHAR',
  mariadb: 'varchar',
  mysql: 'varchar',
  postgres: 'character varying',
};

const integers: Readonly<Record<TestDialect, string>> = {
  sqlite: 'INTEGER',
  mariadb: 'int',
  mysql: 'int',
  postgres: 'integer',
};

/** A relation of `lines.v` to `orders`. */
const relate: Edit = (snapshot) => {
  snapshot.relations.push({
    collection: 'lines',
    field: 'v',
    related_collection: 'orders',
    schema: { table: 'lines', column: 'v', foreign_key_table: 'orders', foreign_key_column: 'id' },
    meta: null,
  } as never);
};

/** Two tables with rows; `v` of the second has the given type and value. */
const createLines = (dialect: TestDialect, type: string, value: string): Promise<Place> =>
  create(
    dialect,
    `create table orders (id integer primary key); insert into orders values (1);
    create table ${dialect === 'postgres' ? 'lines' : '`lines`'} (id integer primary key, v ${type});
    insert into ${dialect === 'postgres' ? 'lines' : '`lines`'} values (1, ${value}), (2, null);`,
  );

const apply = async (place: Place, ...edits: readonly Edit[]): Promise<void> => {
  const wanted = edited(await place.snapshot(), (snapshot) => edits.forEach((edit) => edit(snapshot)));
  const difference = await place.diff(wanted);
  if (difference === null) throw new Error('there is no difference');
  await place.apply(difference, { acceptLoss: true });
};

const retype =
  (schema: Record<string, unknown>): Edit =>
  (snapshot) => {
    Object.assign(field(snapshot, 'lines', 'v').schema, schema);
  };

describe.each(dialectsOf(import.meta.url))('on %s, a text that becomes an integer', (dialect) => {
  const toInteger = retype({ data_type: integers[dialect], max_length: null, numeric_precision: null });

  it('refers to another collection by the same diff', async () => {
    const place = await createLines(dialect, 'varchar(5)', "'1'");
    await apply(place, toInteger, relate);
    const { relations, fields } = await place.snapshot();
    expect(relations).toHaveLength(1);
    expect(fields.find((entry) => entry.field === 'v')?.schema?.data_type).not.toBe(texts[dialect]);
  });

  it('does not where it would refer to no row', async () => {
    const place = await createLines(dialect, 'varchar(5)', "'7'");
    const before = await place.snapshot();
    await expect(apply(place, toInteger, relate)).rejects.toThrow(/^Invalid payload: /);
    expect(await place.snapshot()).toEqual(before);
  });
});

const checked =
  (expression: string): Edit =>
  (snapshot) => {
    for (const { collection, schema } of snapshot.collections)
      if (collection === 'lines') Object.assign(schema ?? {}, { checks: [{ name: 'lines_v', expression }] });
  };

const unique = retype({ is_unique: true });

it.each([
  ['varchar(5)', "'1'", relate, 'cannot compare "lines.v" with "orders.id"'],
  ['json', "'{}'", unique, '"lines": the database cannot compare values of the type of v'],
  ['varchar(5)', "'1'", checked('v > 5'), 'cannot evaluate the check "lines_v" for the rows of "lines"'],
  ['integer', '0', checked('100 / v > 1'), 'cannot evaluate the check "lines_v" for the rows of "lines"'],
] as const)(
  'on postgres, what cannot be asked of %s with %s is refused by name',
  async (type, value, edit, message) => {
    const place = await createLines('postgres', type, value);
    await expect(apply(place, edit)).rejects.toThrow(message);
    const snapshot = edited(await place.snapshot(), edit);
    await expect(place.diff(snapshot, { explain: true })).rejects.toThrow(message);
  },
);

it('on mysql, texts of different collations cannot refer to each other', async () => {
  const place = await create(
    'mysql',
    `create table orders (id varchar(5) collate utf8mb4_unicode_ci primary key); insert into orders values ('a');
    create table \`lines\` (id int primary key, v varchar(5) collate utf8mb4_general_ci);
    insert into \`lines\` values (1, 'a');`,
  );
  await expect(apply(place, relate)).rejects.toThrow('give both the same type and collation');
  await apply(place, retype({ collation: 'utf8mb4_unicode_ci' }), relate);
  expect((await place.snapshot()).relations).toHaveLength(1);
});

it.each([
  ['postgres', "create type mood as enum ('a', 'b', 'c');", 'mood[]', "'{a,b}'"],
  ['mysql', '', "set('a', 'b', 'c')", "'a,b'"],
] as const)(
  'on %s, a label that lists of labels hold is not removed',
  async (dialect, setup, type, value) => {
    const place = await create(
      dialect,
      `${setup} create table ${dialect === 'postgres' ? 'lines' : '`lines`'} (id integer primary key, v ${type});
      insert into ${dialect === 'postgres' ? 'lines' : '`lines`'} values (1, ${value});`,
    );
    const before = await place.snapshot();
    await expect(apply(place, retype({ enum_values: ['a', 'c'] }))).rejects.toThrow(
      '"lines.v": 1 row holds values that enum_values lacks',
    );
    expect(await place.snapshot()).toEqual(before);
    await apply(place, retype({ enum_values: ['a', 'b'] }));
  },
);

const widen: Edit = (snapshot) => {
  for (const { schema } of [field(snapshot, 'orders', 'id'), field(snapshot, 'lines', 'v')])
    Object.assign(schema, { data_type: 'bigint' });
};

const cascade: Edit = (snapshot) => {
  Object.assign(snapshot.relations[0]?.schema ?? {}, { on_delete: 'CASCADE' });
};

it.each(['mysql', 'mariadb'] as const)(
  'on %s, a relation that is dropped and added again has its rows checked before',
  async (dialect) => {
    const place = await create(
      dialect,
      `create table orders (id int primary key);
      create table \`lines\` (id int primary key, v int, constraint lines_v foreign key (v) references orders (id));
      set foreign_key_checks = 0; insert into \`lines\` values (1, 7);`,
    );
    const before = await place.snapshot();
    for (const edit of [widen, cascade])
      await expect(apply(place, edit)).rejects.toThrow('"lines.v": 1 row refers to no row of "orders"');
    expect(await place.snapshot()).toEqual(before);
  },
);

it.each([
  ['mysql', 'utf8mb4_general_ci', '1 value of v is there more than once'],
  ['mariadb', 'utf8mb4_general_ci', '1 value of v is there more than once'],
  ['mysql', 'latin1_swedish_ci', '1 row holds characters that latin1 does not have'],
  ['mariadb', 'latin1_bin', '1 row holds characters that latin1 does not have'],
] as const)(
  'on %s, texts that %s does not tell apart or have are counted',
  async (dialect, collation, message) => {
    const place = await create(
      dialect,
      `create table \`lines\` (id int primary key, v varchar(5) collate utf8mb4_bin unique);
    insert into \`lines\` values (1, 'a'), (2, 'A'), (3, '日'), (4, 'é'), (5, null);`,
    );
    const before = await place.snapshot();
    await expect(apply(place, retype({ collation }))).rejects.toThrow(message);
    expect(await place.snapshot()).toEqual(before);
    await place.execute('delete from `lines` where id between 2 and 3');
    await apply(place, retype({ collation }));
    expect(await place.database.query('select v from `lines` order by id')).toEqual([
      { v: 'a' },
      { v: 'é' },
      { v: null },
    ]);
  },
);

it.each(['mysql', 'mariadb', 'postgres'] as const)(
  'on %s, spaces at the end of texts are not lost to a type without them',
  async (dialect) => {
    const place = await createLines(dialect, 'varchar(5)', "'a '");
    const type = { data_type: dialect === 'postgres' ? 'character' : 'char' };
    const wanted = edited(await place.snapshot(), retype(type));
    await expect(place.become(wanted)).rejects.toThrow('"lines.v": 1 row holds values that end with spaces');
    await place.execute(`update ${dialect === 'postgres' ? 'lines' : '`lines`'} set v = 'b'`);
    await place.become(wanted);
  },
);

it('rows that stand against a change are counted up to a million', async () => {
  const place = await create(
    'sqlite',
    `create table lines (id integer primary key, v integer);
    insert into lines (id) with recursive n(i) as (select 1 union all select i + 1 from n where i <= 1000000) select i from n;`,
  );
  const wanted = edited(await place.snapshot(), (snapshot) => {
    snapshot.fields.push(copyField(field(snapshot, 'lines', 'v'), 'w', { is_nullable: false }));
  });
  const explanation = (await place.diff(wanted, { explain: true }))?.explain;
  expect(explanation?.collections[0]?.findings).toMatchObject([
    {
      kind: 'missing_values',
      rows: 1_000_000,
      at_least: true,
      message: expect.stringContaining('at least 1000000 rows'),
    },
  ]);
});

/** The kinds of findings where a column of a type, which holds a text that ends with a space, becomes `character`. */
const findingsOf = async (type: string): Promise<readonly string[]> => {
  const place = await createLines('postgres', type, "'ab '");
  const wanted = edited(await place.snapshot(), retype({ data_type: 'character', max_length: 6 }));
  const explanation = (await place.diff(wanted, { explain: true }))?.explain;
  return (explanation?.collections[0]?.findings ?? []).map(({ kind }) => kind);
};

it('on postgres, spaces that a column has kept before are no finding', async () => {
  expect(await findingsOf('character(5)')).toEqual([]);
  expect(await findingsOf('varchar(5)')).toEqual(['may_change']);
});

/** Gives `lines` a unique index of `v`, of the rows that meet a condition. */
const uniqueIndex =
  (predicate: string | null): Edit =>
  ({ collections }) => {
    const table = collections.find(({ collection }) => collection === 'lines');
    const entry = { name: 'by_v', unique: true, columns: ['v'], ...(predicate !== null && { predicate }) };
    Object.assign(table?.schema ?? {}, { indexes: [entry] });
  };

describe.each(['sqlite', 'postgres'] as const)('on %s, values that are there twice', (dialect) => {
  it('prevent a unique index only where its condition includes them', async () => {
    const place = await create(
      dialect,
      'create table lines (id integer primary key, v integer, w integer); insert into lines values (1, 7, 0), (2, 7, 0), (3, 8, 1);',
    );
    await apply(place, uniqueIndex('w = 1'));
    await expect(apply(place, uniqueIndex(null))).rejects.toThrow('1 value of v is there more than once');
  });
});

const orphaned = (): Promise<Place> =>
  create(
    'sqlite',
    `create table orders (id integer primary key, code varchar(5));
    create table lines (id integer primary key, v integer references orders (id));
    create table notes (id integer primary key, v integer, code varchar(5) references orders (code));
    pragma foreign_keys = off; insert into lines values (1, 7); insert into notes values (1, 8, 'a');`,
  );
const makeRequired =
  (collection: string): Edit =>
  (snapshot) => {
    Object.assign(field(snapshot, collection, 'v').schema, { is_nullable: false });
  };

describe('rows of SQLite that refer to nothing since before', () => {
  it('do not prevent changes of their table and of others', async () => {
    const place = await orphaned();
    await apply(place, makeRequired('notes'));
    await apply(place, makeRequired('lines'));
    expect(await place.database.query('select v from lines')).toEqual([{ v: 7 }]);
  });

  it('go along with a table that is renamed', async () => {
    const place = await orphaned();
    await place.database.changeSchema((executor) =>
      executor.write({ text: 'alter table lines rename to entries', values: [] }),
    );
    expect(await place.database.query('select v from entries')).toEqual([{ v: 7 }]);
  });

  it('do not allow others in a table that had none, where theirs is dropped', async () => {
    const place = await orphaned();
    await place.execute('create table tags (id integer primary key, v integer references orders (id));');
    const change = place.database.changeSchema(async (executor) => {
      await executor.write({ text: 'drop table lines', values: [] });
      return executor.write({ text: 'insert into tags values (1, 9)', values: [] });
    });
    await expect(change).rejects.toThrow('"tags": 1 row refers to no row of orders; nothing was changed');
  });

  it('are told from those that a change would add', async () => {
    const place = await orphaned();
    const added = place.database.changeSchema((executor) =>
      executor.write({ text: 'insert into lines values (2, 9)', values: [] }),
    );
    await expect(added).rejects.toThrow('"lines": 2 rows refer to no row of orders; nothing was changed');
    expect(await place.database.query('select v from lines')).toEqual([{ v: 7 }]);
  });
});
