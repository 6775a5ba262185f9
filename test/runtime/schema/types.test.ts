/** Columns of every type: their snapshot reproduces them in an empty database, and a change of their sizes is a difference. */
import { describe, expect, it } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { columnKinds, setups } from '../columns/types.js';
import { edited, field } from './edits.js';
import { usePlaces, type Place } from './places.js';

const create = usePlaces();

/** Makes one place the other; returns what differs then between both, and of the source to itself. */
const reproduce = async (source: Place, target: Place): Promise<readonly unknown[]> => {
  const snapshot = await source.snapshot();
  const own = await source.diff(snapshot);
  await target.become(snapshot);
  expect(await target.snapshot()).toEqual(snapshot);
  return [own, await target.diff(snapshot)];
};

const none = [null, null];

describe.each(dialects)('on %s', (dialect) => {
  it('the snapshot of a column of each type reproduces it in a database without tables', async () => {
    const columns = Object.keys(columnKinds[dialect]).map((type, at) => `c${at} ${type}`);
    const setup = setups[dialect];
    const source = await create(
      dialect,
      `${setup ?? ''} create table kinds (id integer primary key, ${columns.join(', ')});`,
    );
    expect((await source.snapshot()).fields).toHaveLength(columns.length + 1);
    expect(await reproduce(source, await create(dialect, setup))).toEqual(none);
  });
});

/** Types of which only the sizes change, with the change. */
const resized: readonly (readonly [TestDialect, string, Record<string, unknown>])[] = [
  ['mysql', 'float(7,3)', { numeric_scale: 2 }],
  ['mariadb', 'double(10,2)', { numeric_precision: 12 }],
  ['mysql', 'double', { numeric_precision: 10, numeric_scale: 2 }],
  ['mysql', 'vector(2)', { max_length: 3 }],
  ['mariadb', 'bit(10)', { numeric_precision: 12 }],
  ['mysql', 'datetime(3)', { datetime_precision: 6 }],
  ['postgres', 'numeric(10,2)', { numeric_scale: 3 }],
  ['postgres', 'bit varying(5)', { max_length: 6 }],
  ['postgres', 'timestamptz(3)[]', { datetime_precision: 4 }],
];

it.each(resized)('on %s, another size of %s is a difference, and applied', async (dialect, type, size) => {
  const place = await create(dialect, `create table t (id integer primary key, v ${type});`);
  const wanted = edited(await place.snapshot(), (snapshot) => {
    Object.assign(field(snapshot, 't', 'v').schema, size);
  });
  expect((await place.diff(wanted))?.diff.fields).toHaveLength(1);
  await place.become(wanted);
  expect((await place.snapshot()).fields).toEqual(wanted.fields);
});

/** A type with a value, and a change of its sizes. */
type Resize = readonly [TestDialect, type: string, value: string, size: Record<string, unknown>];

const resize = async ([dialect, type, value, size]: Resize) => {
  const place = await create(
    dialect,
    `create table t (id integer primary key, v ${type}); insert into t values (1, ${value});`,
  );
  const wanted = edited(await place.snapshot(), (snapshot) => {
    Object.assign(field(snapshot, 't', 'v').schema, size);
  });
  return { place, wanted, read: () => place.database.query('select v from t') };
};

const narrower: readonly Resize[] = [
  ['mysql', 'datetime(6)', "'2026-01-02 03:04:05.678901'", { datetime_precision: null }],
  ['mariadb', 'time(3)', "'03:04:05.678'", { datetime_precision: null }],
  ['mysql', 'float(7,3)', '1.125', { numeric_scale: 2 }],
  ['mariadb', 'double', '1.128', { numeric_precision: 10, numeric_scale: 2 }],
  ['mysql', 'float', '1.128', { data_type: 'double', numeric_precision: 10, numeric_scale: 2 }],
  ['mysql', 'bit(12)', "b'111111111111'", { numeric_precision: 10 }],
  ['postgres', 'varchar(10)[]', "'{abcdefgh}'", { max_length: 5 }],
  ['postgres', 'varchar[]', "'{abcdefgh}'", { max_length: 5 }],
  ['postgres', 'bit varying', "B'10101010'", { max_length: 5 }],
];

it.each(narrower)('on %s, %s of %s is not made smaller without a word', async (...change) => {
  const { place, wanted, read } = await resize(change);
  const before = await read();
  await expect(place.become(wanted)).rejects.toThrow(/"t\.v": 1 row holds values that may/);
  expect(await read()).toEqual(before);
});

const wider: readonly Resize[] = [
  ['mysql', 'datetime', "'2026-01-02 03:04:05'", { datetime_precision: 3 }],
  ['mariadb', 'float(7,3)', '1.125', { numeric_precision: 12, numeric_scale: null }],
  ['postgres', 'numeric(10,2)', '1.25', { numeric_precision: null, numeric_scale: null }],
  ['postgres', 'bit varying(5)', "B'101'", { max_length: null }],
];

it.each(wider)('on %s, %s of %s is made larger without a question', async (...change) => {
  const { place, wanted } = await resize(change);
  await place.become(wanted);
  expect((await place.snapshot()).fields).toEqual(wanted.fields);
});

it.each(['mysql', 'mariadb', 'postgres'] as const)(
  'on %s, an enum becomes a text that is long enough for the labels that rows have',
  async (dialect) => {
    const isType = dialect === 'postgres';
    const labels = "enum ('ab', 'abcd', 'abcdef')";
    const place = await create(
      dialect,
      `${isType ? `create type mood as ${labels};` : ''} create table t (id integer primary key, v ${isType ? 'mood' : labels});
      insert into t values (1, 'ab'), (2, 'abcd');`,
    );
    const text = (length: number) => async () => {
      const wanted = edited(await place.snapshot(), (snapshot) => {
        const type = { data_type: isType ? 'character varying' : 'varchar', enum_values: null };
        Object.assign(field(snapshot, 't', 'v').schema, { ...type, max_length: length });
      });
      await place.become(wanted);
    };
    await expect(text(3)()).rejects.toThrow(/"t\.v": 1 row holds values longer than 3/);
    await text(5)();
    expect(await place.database.query('select v from t order by id')).toEqual([{ v: 'ab' }, { v: 'abcd' }]);
  },
);

describe('types that were created in PostgreSQL', () => {
  const moods = `create type mood as enum ('b', 'a')`;
  const table = 'create table t (id integer primary key, v mood[])';

  it('are created for arrays of enums, which get new labels', async () => {
    const source = await create('postgres', `${moods}; ${table};`);
    const target = await create('postgres');
    expect(await reproduce(source, target)).toEqual(none);
    await source.execute("alter type mood add value 'c'");
    expect(await reproduce(source, target)).toEqual(none);
    await target.execute("insert into t values (1, '{c,a}')");
  });

  it('lists of them become texts once the loss is accepted', async () => {
    const place = await create('postgres', `${moods}; ${table}; insert into t values (1, '{a,b}');`);
    const wanted = edited(await place.snapshot(), (snapshot) => {
      const type = { data_type: 'character varying', enum_values: null, max_length: 20 };
      Object.assign(field(snapshot, 't', 'v').schema, type);
    });
    const difference = await place.diff(wanted);
    if (difference === null) throw new Error('there is no difference');
    await expect(place.apply(difference)).rejects.toThrow(/1 row holds values that may change as/);
    await place.apply(difference, { acceptLoss: true });
    expect(await place.database.query('select v from t')).toEqual([{ v: '{a,b}' }]);
  });

  it('get labels before the transaction that uses them as defaults, in indexes and in checks', async () => {
    const place = await create(
      'postgres',
      `${moods}; create table t (id integer primary key, v mood); insert into t values (1, 'a');`,
    );
    const wanted = edited(await place.snapshot(), (snapshot) => {
      const own = field(snapshot, 't', 'v');
      Object.assign(own.schema, { enum_values: ['b', 'a', 'c'], default_value: 'c' });
      const [entry] = snapshot.collections;
      const index = { name: 'cs', unique: false, columns: ['id'], predicate: `"v" = 'c'` };
      const check = { name: 'few', expression: `"v" <> 'c' or "id" > 1` };
      Object.assign(entry?.schema ?? {}, { indexes: [index], checks: [check] });
    });
    const difference = await place.diff(wanted, { explain: true });
    if (difference === null) throw new Error('there is no difference');
    const label = "alter type mood add value if not exists 'c'";
    expect(difference.explain?.phases[0]).toMatchObject({ phase: 'expand', apart: [label] });
    expect(difference.explain?.statements.filter((sql) => /type/.test(sql))).toEqual([label]);
    await place.apply(difference);
    expect(await place.diff(wanted)).toBeNull();
    await place.execute('insert into t (id) values (2)');
    expect(await place.database.query('select v from t order by id')).toEqual([{ v: 'a' }, { v: 'c' }]);
  });

  it('get no label from an apply that the rows refuse', async () => {
    const place = await create(
      'postgres',
      `${moods}; create table t (id integer primary key, v mood, n integer); insert into t values (1);`,
    );
    const before = await place.snapshot();
    const wanted = edited(before, (snapshot) => {
      Object.assign(field(snapshot, 't', 'v').schema, { enum_values: ['b', 'a', 'c'] });
      Object.assign(field(snapshot, 't', 'n').schema, { is_nullable: false });
    });
    await expect(place.become(wanted)).rejects.toThrow('The field holds null values.');
    expect(await place.snapshot()).toEqual(before);
  });

  it('are not created where they are there without a column', async () => {
    const source = await create('postgres', `${moods}; ${table};`);
    expect(await reproduce(source, await create('postgres', `${moods};`))).toEqual(none);
  });

  it('are refused by name where the database lacks them', async () => {
    const source = await create(
      'postgres',
      `${setups.postgres} create table t (id integer, v posint, w pair);`,
    );
    const target = await create('postgres');
    await expect(target.become(await source.snapshot())).rejects.toThrow(
      /"posint" of "t\.v".*"pair" of "t\.w"/,
    );
    expect((await target.snapshot()).collections).toEqual([]);
  });
});
