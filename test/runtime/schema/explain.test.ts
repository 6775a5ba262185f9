/** Explain lists the effects of a difference: figures from the data, dependants, clients that break, and the safer way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExplainedCollection, Explanation } from '../../../runtime/schema/explain/explain.js';
import { dialects, type TestDialect } from '../../databases.js';
import { copyField, edited, field, tinyScript, type Edit } from './edits.js';
import { createPlace, type Place } from './places.js';

const trigger: Readonly<Record<TestDialect, string>> = {
  sqlite: `create trigger heavy before update on boxes begin select new.weight; end`,
  mysql: `create trigger heavy before update on boxes for each row set new.weight = abs(new.weight)`,
  mariadb: `create trigger heavy before update on boxes for each row set new.weight = abs(new.weight)`,
  postgres: `create function heavy() returns trigger language plpgsql as $$ begin new.weight = abs(new.weight); return new; end $$;
    create trigger heavy before update on boxes for each row execute function heavy()`,
};

const of = (explanation: Explanation, name: string): ExplainedCollection => {
  const found = explanation.collections.find(({ collection }) => collection === name);
  if (found === undefined) throw new Error(`${name} does not change`);
  return found;
};

const isKept = ({ collection }: { readonly collection: string }): boolean => collection !== 'boxes';

describe.each(dialects)('on %s', (dialect) => {
  let place: Place;
  beforeAll(async () => {
    place = await createPlace(dialect, tinyScript(dialect));
    await place.execute('create view heavy_boxes as select code, weight from boxes where weight > 1');
    await place.execute(trigger[dialect]);
  });
  afterAll(() => place.drop());

  const explain = async (edit: Edit): Promise<Explanation> => {
    const before = await place.snapshot();
    const difference = await place.diff(edited(before, edit), { explain: true });
    expect(await place.snapshot()).toEqual(before);
    if (difference?.explain === undefined) throw new Error('there is no difference');
    return difference.explain;
  };
  it('a dropped field is destructive, with its values, the references to it and the clients it breaks', async () => {
    const explanation = await explain((snapshot) => {
      snapshot.fields = snapshot.fields.filter(
        (entry) => entry.field !== 'weight' || entry.collection !== 'boxes',
      );
    });
    const boxes = of(explanation, 'boxes');
    expect(boxes).toMatchObject({ rows: 2, bytes: expect.any(Number) });
    expect(boxes.changes).toMatchObject([
      {
        change: 'drop field',
        fields: ['weight'],
        classes: expect.arrayContaining(['destructive', 'breaking']),
        lost: { rows: 1 },
        reversible: false,
        advice: expect.stringContaining('backup'),
      },
    ]);
    expect(boxes.dependants).toEqual([
      { kind: 'trigger', name: 'heavy', field: 'weight', blocks: false },
      { kind: 'view', name: 'heavy_boxes', field: 'weight', blocks: dialect === 'postgres' },
    ]);
    expect(explanation.breaking).toMatchObject([{ kind: 'field removed', subject: 'boxes.weight' }]);
    expect(explanation).toMatchObject({ destructive: true, refused: dialect === 'postgres' });
    expect(boxes.statements.length).toBeGreaterThan(0);
  });

  it('a dropped collection is destructive, with its rows', async () => {
    const explanation = await explain((snapshot) => {
      snapshot.collections = snapshot.collections.filter(isKept);
      snapshot.fields = snapshot.fields.filter(isKept);
      snapshot.relations = snapshot.relations.filter(isKept);
    });
    const [change] = of(explanation, 'boxes').changes;
    expect(change).toMatchObject({ change: 'drop collection', lost: { rows: 2 } });
    expect(change?.classes).toEqual(expect.arrayContaining(['destructive', 'breaking']));
    expect(of(explanation, 'boxes').dependants).toEqual([
      { kind: 'view', name: 'heavy_boxes', field: null, blocks: dialect === 'postgres' },
    ]);
  });

  it('a rename keeps all data but breaks clients, and counts rows under the old name', async () => {
    const explanation = await explain((snapshot) => {
      const weight = field(snapshot, 'boxes', 'weight');
      Object.assign(weight, { field: 'mass', meta: { previous_name: 'weight' } });
      Object.assign(weight.schema, { name: 'mass', is_nullable: false });
    });
    const boxes = of(explanation, 'boxes');
    expect(boxes.changes[0]).toMatchObject({ change: 'rename field', fields: ['mass'], reversible: true });
    expect(boxes.changes[0]?.classes).toContain('breaking');
    expect(boxes.findings).toMatchObject([{ kind: 'nulls', fields: ['mass'], rows: 1 }]);
    expect(explanation).toMatchObject({ destructive: false, refused: true });
    expect(boxes.changes[1]).toMatchObject({
      change: 'change field',
      advice: expect.stringContaining('first'),
    });
    expect(boxes.changes[1]?.classes).toContain('may-fail');
  });

  it('rows that violate keys, checks, lengths and types are counted', async () => {
    await place.execute('update shelves set depth = 700');
    const explanation = await explain((snapshot) => {
      const depth = field(snapshot, 'shelves', 'depth');
      Object.assign(depth.schema, { is_unique: true });
      Object.assign(field(snapshot, 'shelves', 'label').schema, { max_length: 4 });
      for (const { collection, schema } of snapshot.collections) {
        if (collection !== 'shelves') continue;
        Object.assign(schema ?? {}, { checks: [{ name: 'flat', expression: 'depth < 650' }] });
      }
      const [relation] = structuredClone(snapshot.relations);
      const target = { ...relation?.schema, table: 'shelves', column: 'depth', constraint_name: 'of_depth' };
      snapshot.relations.push(
        Object.assign(relation ?? ({} as never), { collection: 'shelves', field: 'depth', schema: target }),
      );
      snapshot.fields.push(copyField(depth, 'colour', { is_nullable: false, default_value: null }));
    });
    const found = of(explanation, 'shelves').findings.map(({ kind, rows }) => [kind, rows]);
    expect(Object.fromEntries(found)).toEqual({
      too_long: 1,
      missing_values: 2,
      duplicates: 1,
      orphans: 2,
      violations: 2,
    });
    expect(explanation.breaking.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['field required', 'field narrowed', 'relation added']),
    );
  });

  it.runIf(dialect !== 'sqlite')('only numbers that a narrower type cannot hold are counted', async () => {
    await place.execute(
      'update shelves set depth = 40000 where id = 1; update shelves set depth = 4 where id = 2',
    );
    const explanation = await explain((snapshot) => {
      Object.assign(field(snapshot, 'shelves', 'depth').schema, { data_type: 'smallint' });
    });
    expect(of(explanation, 'shelves').findings).toMatchObject([{ kind: 'out_of_range', rows: 1 }]);
  });

  it.runIf(dialect === 'mysql' || dialect === 'mariadb')(
    'only texts with more bytes than a shorter type takes are counted',
    async () => {
      await place.execute('alter table shelves add note varchar(400), add picture blob');
      await place.execute(
        "update shelves set note = repeat('é', 128), picture = repeat('a', 256) where id = 1; update shelves set note = repeat('e', 255), picture = repeat('a', 255) where id <> 1",
      );
      const explanation = await explain((snapshot) => {
        Object.assign(field(snapshot, 'shelves', 'note').schema, { data_type: 'tinytext', max_length: null });
        Object.assign(field(snapshot, 'shelves', 'picture').schema, { data_type: 'tinyblob' });
      });
      const message = expect.stringContaining(': 1 row holds values longer than the 255 bytes of tiny');
      expect(of(explanation, 'shelves').findings).toMatchObject([
        { kind: 'inconvertible', fields: ['note'], rows: 1, message },
        { kind: 'inconvertible', fields: ['picture'], rows: 1, message },
      ]);
    },
  );

  it('a new field is not destructive and runs one statement', async () => {
    const explanation = await explain((snapshot) => {
      snapshot.fields.push(copyField(field(snapshot, 'boxes', 'code'), 'extra', { is_nullable: true }));
    });
    expect(of(explanation, 'boxes')).toMatchObject({
      changes: [
        { change: 'add field', fields: ['extra'], classes: ['harmless'], reversible: true, advice: null },
      ],
      findings: [],
      dependants: [],
    });
    expect(explanation.statements).toHaveLength(1);
    expect(explanation.statements[0]).toMatch(/add column/i);
  });
});
