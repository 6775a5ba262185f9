/** Snapshots as people write them: what is said in one place only, and values in other spellings, are no difference once applied. */
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { copyField, edited, field, type Edit, type MutableSnapshot } from './edits.js';
import { usePlaces, type Place } from './places.js';

const dialects = dialectsOf(import.meta.url);

const create = usePlaces();

const script = `create table t (
  id int not null primary key, a int, b int, c int not null, d int, unique (c), unique (a, b));
  create index t_d_index on t (d);
  insert into t values (1, 1, 1, 1, 1), (2, 2, 2, 2, 2);`;

/** Applies a snapshot, which is then no difference any more. Returns the snapshot of the place. */
const become = async (place: Place, wanted: Snapshot): Promise<MutableSnapshot> => {
  await place.become(wanted);
  expect(await place.diff(wanted)).toBeNull();
  return edited(await place.snapshot(), () => undefined) as unknown as MutableSnapshot;
};

const table = ({ collections }: MutableSnapshot, name = 't'): Record<string, unknown> =>
  collections.find(({ collection }) => collection === name)?.schema ?? {};

const flagsOf = (snapshot: MutableSnapshot): unknown =>
  ['a', 'b', 'c', 'd'].map((name) => {
    const { is_unique: isUnique, is_indexed: isIndexed } = field(snapshot, 't', name).schema;
    return [isUnique, isIndexed];
  });

const list =
  (key: 'uniques' | 'indexes', entry: object): Edit =>
  (snapshot) => {
    table(snapshot)[key] = [...(table(snapshot)[key] as readonly object[]), entry];
  };

const flag =
  (name: string, flags: object): Edit =>
  (snapshot) => {
    Object.assign(field(snapshot, 't', name).schema, flags);
  };

describe.each(dialects)('on %s', (dialect) => {
  it.each<[string, Edit, unknown]>([
    [
      'the flag of a unique field',
      flag('a', { is_unique: true }),
      [
        [true, false],
        [false, false],
        [true, false],
        [false, true],
      ],
    ],
    [
      'a unique constraint of one field in the list',
      list('uniques', { name: 'u', columns: ['a'] }),
      [
        [true, false],
        [false, false],
        [true, false],
        [false, true],
      ],
    ],
    [
      'the flag of an index',
      flag('b', { is_indexed: true }),
      [
        [false, false],
        [false, true],
        [true, false],
        [false, true],
      ],
    ],
    [
      'an index of one field in the list',
      list('indexes', { name: 'i', unique: false, columns: ['b'] }),
      [
        [false, false],
        [false, true],
        [true, false],
        [false, true],
      ],
    ],
    [
      'flags without lists',
      (snapshot) => {
        for (const key of ['primary_key', 'uniques', 'indexes']) delete table(snapshot)[key];
        flag('c', { is_unique: false })(snapshot);
        flag('d', { is_indexed: false })(snapshot);
      },
      [
        [false, false],
        [false, false],
        [false, false],
        [false, false],
      ],
    ],
    [
      'lists without flags',
      (snapshot) => {
        for (const { collection, schema } of snapshot.fields)
          if (collection === 't')
            for (const key of ['is_primary_key', 'is_unique', 'is_indexed']) delete schema[key];
        Object.assign(table(snapshot), { uniques: [], indexes: [] });
      },
      [
        [false, false],
        [false, false],
        [false, false],
        [false, false],
      ],
    ],
  ])('%s, and nothing else, is enough', async (_case, edit, flags) => {
    const place = await create(dialect, script);
    const after = await become(place, edited(await place.snapshot(), edit));
    expect(flagsOf(after)).toEqual(flags);
    expect(table(after).primary_key).toEqual(['id']);
  });

  it('a new collection needs no flag of its key', async () => {
    const place = await create(dialect);
    const after = await become(
      place,
      edited(await place.snapshot(), (snapshot) => {
        const columns = ['code', 'n'].map((name) => ({
          collection: 't',
          field: name,
          type: 'integer',
          meta: null,
          schema: { data_type: newColumn[dialect] },
        }));
        snapshot.collections.push({
          collection: 't',
          meta: null,
          schema: { name: 't', primary_key: ['code'] },
        });
        snapshot.fields.push(...(columns as unknown as MutableSnapshot['fields']));
      }),
    );
    expect(table(after).primary_key).toEqual(['code']);
    expect(field(after, 't', 'code').schema.is_nullable).toBe(false);
  });

  it('meta needs no key that has a usual value, and may have null for it', async () => {
    const place = await create(dialect, `${script} create table up (id int not null primary key, t int);`);
    for (const usual of [{}, { one_deselect_action: null, hidden: null, required: null, singleton: null }]) {
      const wanted = edited(await place.snapshot(), (snapshot) => {
        snapshot.collections.forEach((entry) => (entry.meta = { icon: 'x', ...usual }));
        field(snapshot, 't', 'a').meta = { note: 'x', ...usual };
        const relation = { collection: 'up', field: 't', meta: { one_field: 'ups', ...usual }, schema: null };
        snapshot.relations = [{ ...relation, related_collection: 't' } as never];
      });
      await become(place, wanted);
    }
    const hidden = edited(await place.snapshot(), (snapshot) => {
      field(snapshot, 't', 'a').meta = { note: 'x', hidden: true };
    });
    expect(field(await become(place, hidden), 't', 'a').meta).toMatchObject({ hidden: true });
    const shown = edited(await place.snapshot(), (snapshot) => {
      field(snapshot, 't', 'a').meta = { note: 'x' };
    });
    expect(field(await become(place, shown), 't', 'a').meta).toMatchObject({ hidden: false });
  });

  it('a relation without a foreign key needs no meta', async () => {
    const place = await create(dialect, `${script} create table up (id int not null primary key, t int);`);
    const wanted = edited(await place.snapshot(), (snapshot) => {
      const relation = { collection: 'up', field: 't', related_collection: 't', meta: null, schema: null };
      snapshot.relations = [relation as never];
    });
    expect((await become(place, wanted)).relations).toMatchObject([
      { collection: 'up', field: 't', related_collection: 't' },
    ]);
  });

  it('labels of a type without labels are refused', async () => {
    const place = await create(dialect, script);
    const wanted = edited(await place.snapshot(), (snapshot) => {
      const schema = { data_type: 'varchar', max_length: 20, enum_values: ['x', 'y'] };
      snapshot.fields.push(copyField(field(snapshot, 't', 'a'), 'mood', schema));
    });
    await expect(place.diff(wanted)).rejects.toThrow(
      '"t.mood" has enum_values, which the data_type "varchar" does not take; remove them, or add a check',
    );
  });

  it('a list and flags of the primary key that disagree are refused', async () => {
    const place = await create(dialect, script);
    const wanted = edited(await place.snapshot(), (snapshot) => {
      table(snapshot).primary_key = ['c'];
    });
    await expect(place.diff(wanted)).rejects.toThrow(
      /"is_primary_key" of "t.id" is true, but "primary_key" of "t" lacks it.*"is_primary_key" of "t.c" is false, but/,
    );
  });

  it.each<[string, string, object, readonly (readonly [given: unknown, stored: unknown])[]]>([
    [
      'integer',
      newColumn[dialect],
      {},
      [
        [5, 5],
        ['5', 5],
        ['05', 5],
        [6, 6],
      ],
    ],
    [
      'decimal',
      decimal[dialect],
      { numeric_precision: 10, numeric_scale: 2 },
      [
        [9.5, 9.5],
        ['9.50', 9.5],
        [9, 9],
      ],
    ],
    [
      'string',
      'varchar',
      { max_length: 20 },
      [
        [5, '5'],
        ['5', '5'],
        [true, 'true'],
        ["it's", "it's"],
      ],
    ],
    [
      'boolean',
      'boolean',
      {},
      [
        [true, 1],
        ['true', 1],
        ['1', 1],
        [1, 1],
        [false, 0],
        ['false', 0],
        [0, 0],
      ],
    ],
  ])('a default of the type %s is no difference in any spelling', async (type, dataType, sizes, values) => {
    const place = await create(dialect, script);
    for (const [at, [value]] of values.entries()) {
      const wanted = edited(await place.snapshot(), (snapshot) => {
        const schema = { data_type: dataType, ...sizes, default_value: value as string };
        const added = copyField(field(snapshot, 't', 'a'), `d_${at}`, schema);
        delete added.schema.default_kind;
        snapshot.fields.push({ ...added, type });
      });
      await become(place, wanted);
    }
    const [row = {}] = await place.database.query('select * from t where id = 1');
    const stored = values.map((_value, at) => row[`d_${at}`]);
    expect(type === 'string' ? stored : stored.map(Number)).toEqual(values.map(([, each]) => each));
  });

  it('a date, a key or JSON as a default is no difference in any spelling', async () => {
    const place = await create(dialect, script);
    for (const [at, [dataType, given, stored]] of spellings[dialect].entries()) {
      const name = `d_${at}`;
      const wanted = edited(await place.snapshot(), (snapshot) => {
        const schema = { data_type: dataType, default_value: given };
        const added = copyField(field(snapshot, 't', 'a'), name, schema);
        delete added.schema.default_kind;
        snapshot.fields.push(added);
      });
      const after = await become(place, wanted);
      expect(field(after, 't', name).schema).toMatchObject({ default_value: stored });
    }
  });
});

/** The text of a default, and as it is in a snapshot afterwards. */
type Spelling = readonly [type: string, given: string, stored: string];

const spellings: Readonly<Record<TestDialect, readonly Spelling[]>> = {
  mysql: [
    ['date', '2024-1-1', '2024-01-01'],
    ['datetime', '2024-01-01', '2024-01-01 00:00:00'],
    ['datetime', '2024-01-01T10:00:00Z', '2024-01-01 10:00:00'],
    ['timestamp', '2024-01-01T10:00:00+02:00', '2024-01-01 08:00:00'],
    ['time', '10:00', '10:00:00'],
  ],
  mariadb: [
    ['date', '2024-01-01T00:00:00', '2024-01-01'],
    ['datetime', '2024-01-01 10:00:00.000', '2024-01-01 10:00:00'],
    ['timestamp', '2024-01-01T10:00:00Z', '2024-01-01 10:00:00'],
    ['time', '10:00', '10:00:00'],
    ['uuid', '6F9619FF-8B86-D011-B42D-00C04FC964FF', '6f9619ff-8b86-d011-b42d-00c04fc964ff'],
  ],
  postgres: [
    ['date', '2024-1-1', '2024-01-01'],
    ['timestamp', '2024-01-01T10:00:00.500', '2024-01-01 10:00:00.5'],
    ['timestamptz', '2024-01-01T10:00:00+0200', '2024-01-01 08:00:00'],
    ['time', '10:00', '10:00:00'],
    ['uuid', '6F9619FF-8B86-D011-B42D-00C04FC964FF', '6f9619ff-8b86-d011-b42d-00c04fc964ff'],
    ['jsonb', '{"size":[1,2],"b":null,"a":{}}', '{"a": {}, "b": null, "size": [1, 2]}'],
  ],
  sqlite: [['datetime', '2024-01-01T10:00:00Z', '2024-01-01T10:00:00Z']],
};

const newColumn: Readonly<Record<TestDialect, string>> = {
  mysql: 'int',
  mariadb: 'int',
  postgres: 'integer',
  sqlite: 'INTEGER',
};
const decimal: Readonly<Record<TestDialect, string>> = {
  mysql: 'decimal',
  mariadb: 'decimal',
  postgres: 'numeric',
  sqlite: 'decimal',
};
