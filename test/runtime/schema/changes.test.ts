/** Single changes to a schema with rows in it: what they make, what they keep and what they refuse. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashSnapshot } from '../../../runtime/schema/diff/hash.js';
import type { FieldSchema, Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { dialectsOf } from '../../databases.js';
import { copyField, edited, field, tinyScript, type Edit, type MutableSnapshot } from './edits.js';
import { createPlace, type Place } from './places.js';

const dialects = dialectsOf(import.meta.url);

const shorten: Edit = (snapshot) => {
  Object.assign(field(snapshot, 'shelves', 'label').schema, { max_length: 3 });
};

const condition =
  (expression: string): Edit =>
  (snapshot) => {
    for (const { collection, schema } of snapshot.collections) {
      if (collection === 'shelves')
        Object.assign(schema ?? {}, { checks: [{ name: 'shelves_depth', expression }] });
    }
  };

describe.each(dialects)('on %s', (dialect) => {
  let place: Place;
  beforeEach(async () => {
    place = await createPlace(dialect, tinyScript(dialect));
  });
  afterEach(() => place.drop());

  const rows = async (sql: string): Promise<unknown[]> => place.database.query(sql);

  /** Applies an edit; afterwards the edited snapshot is no difference. */
  const change = async (edit: Edit): Promise<Snapshot> => {
    const wanted = edited(await place.snapshot(), edit);
    await place.become(wanted);
    expect(await place.diff(wanted)).toBeNull();
    expect(await place.diff(await place.snapshot())).toBeNull();
    return place.snapshot();
  };

  const refuse = async (edit: Edit): Promise<string> => {
    const before = await place.snapshot();
    const error = await place.become(edited(before, edit)).then(
      () => null,
      (reason: unknown) => reason as Error,
    );
    expect(error?.constructor.name).toMatch(/^ApiErrors?$/);
    expect(await place.snapshot()).toEqual(before);
    return error?.message ?? '';
  };

  it('a new field takes its default in rows that are there', async () => {
    await change((snapshot) => {
      snapshot.fields.push(
        copyField(field(snapshot, 'boxes', 'code'), 'colour', {
          default_value: "gr'ey\\",
          default_kind: 'literal',
        }),
      );
    });
    expect(await rows('select code, colour from boxes order by id')).toEqual([
      { code: 'B-1', colour: "gr'ey\\" },
      { code: 'B-2', colour: "gr'ey\\" },
    ]);
  });

  it('a key, or the collection of one, that a relation refers to stays', async () => {
    const withoutKey = await refuse((snapshot) => {
      snapshot.fields = snapshot.fields.filter(
        ({ collection, field: name }) => collection !== 'shelves' || name !== 'id',
      );
    });
    expect(withoutKey).toContain('refers to "shelves.id", which does not exist');
    const notUnique = await refuse((snapshot) => {
      Object.assign(field(snapshot, 'shelves', 'id').schema, {
        is_primary_key: false,
        auto_increment_kind: null,
        has_auto_increment: false,
      });
      const collection = snapshot.collections.find(({ collection: name }) => name === 'shelves');
      Object.assign(collection?.schema ?? {}, { primary_key: [] });
    });
    expect(notUnique).toContain('refers to "shelves.id", which is not unique');
    const withoutCollection = await refuse((snapshot) => {
      snapshot.collections = snapshot.collections.filter(({ collection }) => collection !== 'shelves');
      snapshot.fields = snapshot.fields.filter(({ collection }) => collection !== 'shelves');
    });
    expect(withoutCollection).toContain('refers to "shelves", which does not exist');
  });

  it('a field that must not be null needs a default where rows are there', async () => {
    const message = await refuse((snapshot) => {
      snapshot.fields.push(copyField(field(snapshot, 'boxes', 'code'), 'colour', { is_nullable: false }));
    });
    expect(message).toContain('"boxes.colour" must not be null and has no default');
  });

  it('a merge adds and changes, and keeps the collections, fields and relations that a snapshot lacks', async () => {
    const before = await place.snapshot();
    const wanted = edited(before, (snapshot) => {
      Object.assign(field(snapshot, 'boxes', 'code').schema, { max_length: 90 });
      snapshot.fields = snapshot.fields.filter((entry) => entry.field !== 'weight');
      snapshot.relations = [];
      for (const list of ['collections', 'fields'] as const)
        Object.assign(snapshot, {
          [list]: snapshot[list].filter(({ collection }) => collection !== 'shelves'),
        });
    });
    const difference = await place.diff(wanted, { mode: 'merge' });
    if (difference === null) throw new Error('there is no difference');
    await place.apply(difference);
    const expected = edited(before, (snapshot) => {
      Object.assign(field(snapshot, 'boxes', 'code').schema, { max_length: 90 });
    });
    expect(await place.snapshot()).toEqual(expected);
    expect(await place.diff(wanted, { mode: 'merge' })).toBeNull();
    const dropped = (await place.diff(wanted))?.diff;
    expect(dropped?.collections.map(({ collection }) => collection)).toEqual(['shelves']);
  });

  it('a merge keeps meta, constraints, indexes, columns and foreign keys that an entry lacks', async () => {
    await place.become(
      edited(await place.snapshot(), (snapshot) => {
        for (const entry of snapshot.collections) entry.meta = { note: 'kept', icon: 'box' };
        for (const entry of snapshot.fields) entry.meta = { note: 'kept' };
      }),
    );
    const before = await place.snapshot();
    const poor = edited(before, (snapshot) => {
      for (const entry of snapshot.collections) {
        entry.meta = entry.collection === 'shelves' ? { icon: 'shelf' } : null;
        Object.assign(entry.schema ?? {}, { uniques: [], indexes: [], checks: [] });
      }
      for (const entry of snapshot.fields) entry.meta = null;
      for (const entry of snapshot.relations) entry.schema = null;
    });
    const difference = await place.diff(poor, { mode: 'merge' });
    expect(difference?.diff).toMatchObject({
      collections: [{ diff: [{ path: ['meta', 'icon'], rhs: 'shelf' }] }],
      fields: [],
      relations: [],
    });
    const without = edited(before, (snapshot) => {
      for (const entry of snapshot.fields) delete (entry as Partial<typeof entry>).schema;
    });
    expect(await place.diff(without, { mode: 'merge' })).toBeNull();
  });

  it('the hash of a difference covers meta and the version of the service', async () => {
    const difference = async () =>
      place.diff(
        edited(await place.snapshot(), (snapshot) => {
          snapshot.fields.push(copyField(field(snapshot, 'boxes', 'code'), 'colour', { is_nullable: true }));
        }),
      );
    const old = await difference();
    await place.execute(
      `insert into svc_fields (collection, field, note) values ('boxes', 'code', 'Printed')`,
    );
    await expect(place.apply(old ?? { hash: '', diff: null as never })).rejects.toThrow(
      /the schema has changed since/,
    );
    expect((await difference())?.hash).not.toBe(old?.hash);
    const snapshot = await place.snapshot();
    expect(hashSnapshot({ ...snapshot, svc: '0.0.0' })).not.toBe(hashSnapshot(snapshot));
  });

  it('a dropped field disappears, and is empty when it is added again', async () => {
    const before = await place.snapshot();
    await change((snapshot) => {
      snapshot.fields = snapshot.fields.filter((entry) => entry.field !== 'weight');
    });
    await place.become(before);
    expect(await rows('select code, weight from boxes order by id')).toEqual([
      { code: 'B-1', weight: null },
      { code: 'B-2', weight: null },
    ]);
  });

  it('a renamed field keeps its values, its constraint and the name in meta', async () => {
    await place.execute(`insert into svc_collections (collection, sort_field) values ('boxes', 'code')`);
    await change((snapshot) => {
      const code = field(snapshot, 'boxes', 'code');
      Object.assign(code, { field: 'number', meta: { previous_name: 'code' } });
      Object.assign(code.schema, { name: 'number' });
      for (const { collection, schema, meta } of snapshot.collections) {
        if (collection !== 'boxes') continue;
        Object.assign(schema ?? {}, { uniques: [{ name: 'boxes_code_unique', columns: ['number'] }] });
        Object.assign(meta ?? {}, { sort_field: 'number' });
      }
    });
    expect(await rows('select number from boxes order by id')).toEqual([
      { number: 'B-1' },
      { number: 'B-2' },
    ]);
    expect(await rows('select sort_field from svc_collections')).toEqual([{ sort_field: 'number' }]);
  });

  it('a renamed collection keeps its rows and the references to it', async () => {
    await change((snapshot) => {
      for (const entry of snapshot.collections) {
        if (entry.collection !== 'shelves') continue;
        Object.assign(entry, { collection: 'racks', meta: { previous_name: 'shelves' } });
        Object.assign(entry.schema ?? {}, { name: 'racks' });
      }
      for (const entry of snapshot.fields) {
        if (entry.collection === 'shelves') Object.assign(entry, { collection: 'racks' });
        if (entry.schema.table === 'shelves') Object.assign(entry.schema, { table: 'racks' });
        if (entry.schema.foreign_key_table === 'shelves')
          Object.assign(entry.schema, { foreign_key_table: 'racks' });
      }
      for (const entry of snapshot.relations) {
        Object.assign(entry, { related_collection: 'racks' });
        Object.assign(entry.schema ?? {}, { foreign_key_table: 'racks' });
      }
    });
    expect(await rows('select r.label from boxes b join racks r on r.id = b.shelf order by b.id')).toEqual([
      { label: 'Top' },
      { label: 'Bottom' },
    ]);
  });

  it('a type under a foreign key changes on both ends', async () => {
    const wide = { sqlite: 'BIGINT', mariadb: 'bigint', mysql: 'bigint', postgres: 'bigint' }[dialect];
    await change((snapshot) => {
      const [shelf, id] = [field(snapshot, 'boxes', 'shelf'), field(snapshot, 'shelves', 'id')];
      for (const entry of [shelf, ...(dialect === 'sqlite' ? [] : [id])]) {
        Object.assign(entry, { type: 'bigInteger' });
        Object.assign(entry.schema, { data_type: wide });
      }
    });
    expect(await rows('select shelf from boxes order by id')).toHaveLength(2);
    expect(await rows('select b.id from boxes b join shelves s on s.id = b.shelf')).toHaveLength(2);
  });

  it('a longer text and another default are edits', async () => {
    const snapshot = edited(await place.snapshot(), (each) => {
      Object.assign(field(each, 'boxes', 'code').schema, { max_length: 20 });
      Object.assign(field(each, 'shelves', 'depth').schema, { default_value: 45 });
    });
    const difference = await place.diff(snapshot);
    expect(difference?.diff).toEqual({
      collections: [],
      fields: [
        {
          collection: 'boxes',
          field: 'code',
          diff: [{ kind: 'E', path: ['schema', 'max_length'], lhs: 12, rhs: 20 }],
        },
        {
          collection: 'shelves',
          field: 'depth',
          diff: [{ kind: 'E', path: ['schema', 'default_value'], lhs: 30, rhs: 45 }],
        },
      ],
      systemFields: [],
      relations: [],
    });
    await place.become(snapshot);
    expect(await place.snapshot()).toEqual(snapshot);
  });

  it('a shorter text is rejected where values are longer, unless the loss is accepted', async () => {
    expect(await refuse(shorten)).toContain('"shelves.label": 1 row holds values longer than 3');
    const difference = await place.diff(edited(await place.snapshot(), shorten));
    if (difference === null) throw new Error('there is a difference');
    await place.apply(difference, { acceptLoss: true });
    expect(await rows('select label from shelves order by id')).toEqual([{ label: 'Top' }, { label: 'Bot' }]);
  });

  it('nulls, duplicates and orphans prevent constraints that forbid them', async () => {
    expect(
      await refuse((snapshot) => {
        Object.assign(field(snapshot, 'boxes', 'weight').schema, { is_nullable: false });
      }),
    ).toContain('null');
    await place.execute('update shelves set depth = 7');
    expect(
      await refuse((snapshot) => {
        Object.assign(field(snapshot, 'shelves', 'depth').schema, { is_unique: true });
      }),
    ).toContain('1 value of depth is there more than once');
    expect(
      await refuse((snapshot) => {
        const [relation] = structuredClone(snapshot.relations);
        if (relation === undefined) throw new Error('no relation');
        snapshot.relations.push({
          ...relation,
          collection: 'shelves',
          field: 'depth',
          schema: { ...relation.schema, table: 'shelves', column: 'depth', constraint_name: 'shelves_depth' },
        });
      }),
    ).toContain('2 rows refer to no row');
  });

  it('a check and a generated field are created, and a changed condition is reported', async () => {
    await change(condition('depth between 1 and 624'));
    await change(condition('"depth" >= 1 and depth <= 625'));
    await change((snapshot) => {
      snapshot.fields.push(
        copyField(field(snapshot, 'shelves', 'depth'), 'twice', {
          default_value: null,
          default_kind: null,
          is_generated: true,
          generation_expression: 'depth * 2',
          generation_kind: 'stored',
        }),
      );
    });
    expect(await rows('select twice from shelves order by id')).toEqual([{ twice: 50 }, { twice: 120 }]);
  });

  it('collections that refer to each other are created and dropped', async () => {
    const before = await place.snapshot();
    await change((snapshot) => {
      const [relation] = snapshot.relations;
      const shelf = field(snapshot, 'boxes', 'shelf');
      snapshot.fields.push(
        copyField(shelf, 'box', {
          table: 'shelves',
          foreign_key_table: 'boxes',
          is_nullable: true,
          default_value: null,
        }),
      );
      Object.assign(snapshot.fields.at(-1) ?? {}, { collection: 'shelves' });
      snapshot.relations.push({
        ...structuredClone(relation),
        collection: 'shelves',
        field: 'box',
        related_collection: 'boxes',
        schema: {
          ...relation?.schema,
          table: 'shelves',
          column: 'box',
          foreign_key_table: 'boxes',
          constraint_name: 'shelves_box',
        },
      } as MutableSnapshot['relations'][number]);
    });
    expect(await rows('select id from boxes')).toHaveLength(2);
    await place.become({ ...before, collections: [], fields: [], relations: [] });
    expect((await place.snapshot()).collections).toEqual([]);
    await place.become(before);
    expect(await place.snapshot()).toEqual(before);
  });

  it('SQL in a default, a check, a type or a name is rejected', async () => {
    const attempts: readonly Partial<FieldSchema>[] = [
      { default_value: '1); drop table boxes; --', default_kind: 'expression' },
      { default_value: 'pg_sleep(10)', default_kind: 'expression' },
      { default_value: '(select max(id) from svc_users)', default_kind: 'expression' },
      { data_type: 'int) ; drop table boxes; --' },
      { collation: 'x; drop' as never },
    ];
    for (const schema of attempts) {
      await refuse((snapshot) => {
        snapshot.fields.push(copyField(field(snapshot, 'shelves', 'depth'), 'bad', schema));
      });
    }
    for (const name of ['svc_bad', '#sqlbad', 'x'.repeat(200), ' blank']) {
      await refuse((snapshot) => {
        snapshot.fields.push(copyField(field(snapshot, 'shelves', 'depth'), name, {}));
      });
    }
    const { fields } = await change((snapshot) => {
      snapshot.fields.push(copyField(field(snapshot, 'shelves', 'depth'), 'odd "name`; --', {}));
    });
    expect(fields.map((entry) => entry.field)).toContain('odd "name`; --');
  });

  it('a difference that was edited, or made before the schema changed, changes nothing', async () => {
    const wanted = edited(await place.snapshot(), (snapshot) => {
      Object.assign(field(snapshot, 'boxes', 'code').schema, { max_length: 20 });
    });
    const difference = await place.diff(wanted);
    if (difference === null) throw new Error('there is a difference');
    const [change] = difference.diff.fields[0]?.diff ?? [];
    const forged = structuredClone(difference);
    Object.assign(forged.diff.fields[0]?.diff[0] ?? {}, { ...change, lhs: 13 });
    await expect(place.apply(forged)).rejects.toThrow(/is not 13/);
    await place.execute('alter table boxes add column late integer');
    await expect(place.apply(difference)).rejects.toThrow(/has changed since/);
  });
});
