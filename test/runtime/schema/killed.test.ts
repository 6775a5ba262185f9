/** An apply that is killed at any moment ends in the old or the new schema, with all rows. `LONG=1`: 30 moments. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { abandonApply, applyDifference, resumeApply } from '../../../runtime/schema/service.js';
import { lastApplies, openApply, queueApply } from '../../../runtime/schema/apply/applies.js';
import { runQueuedApply } from '../../../runtime/schema/apply/queued-apply.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { until } from '../../until.js';
import { createWorkplace, type Workplace } from '../commands.js';
import { createPlace, type Place } from './places.js';

const moments = process.env.LONG === undefined ? 3 : 30;
const tables = ['a', 'b', 'c', 'd'];
const rows = 400;

let place: Place;
let work: Workplace | null = null;
afterEach(async () => {
  work?.remove();
  work = null;
  await place.drop();
});

const script = (dialect: TestDialect): string => {
  const text = dialect === 'sqlite' ? 'VARCHAR(40)' : 'varchar(40)';
  const values = Array.from({ length: rows }, (_, at) => `(${at + 1}, 'row ${at + 1}', ${at % 7})`).join(
    ', ',
  );
  return tables
    .map(
      (name) =>
        `create table ${name} (id int not null primary key, title ${text}, n int, gone int); ` +
        `insert into ${name} (id, title, n) values ${values};`,
    )
    .join('\n');
};

type Entry = Snapshot['fields'][number];

/** Each table: a longer title, a renamed field, a dropped one, a new one, and an index; a table goes and one comes. */
const changed = (snapshot: Snapshot): Snapshot => {
  const fields = snapshot.fields.flatMap((entry): Entry[] => {
    const { collection, field, schema } = entry;
    if (!tables.includes(collection)) return [entry];
    if (schema === undefined || collection === 'd') return [];
    if (field === 'gone') return [];
    if (field === 'title') {
      const added = {
        ...schema,
        name: 'note',
        max_length: 90,
        default_value: 'none',
        default_kind: 'literal' as const,
      };
      return [
        { ...entry, schema: { ...schema, max_length: 90 } },
        { ...entry, field: 'note', schema: added },
      ];
    }
    if (field !== 'n') return [entry];
    return [
      { ...entry, field: 'number', meta: { previous_name: 'n' }, schema: { ...schema, name: 'number' } },
    ];
  });
  const collections = snapshot.collections
    .filter(({ collection }) => collection !== 'd')
    .map((entry) => {
      if (!tables.includes(entry.collection)) return entry;
      const index = { name: `${entry.collection}_number`, unique: false, columns: ['number', 'note'] };
      return Object.assign(structuredClone(entry), { schema: { ...entry.schema, indexes: [index] } });
    });
  const [first] = collections;
  const added = fields
    .filter(({ collection }) => collection === 'a')
    .map((entry) =>
      Object.assign(structuredClone(entry), {
        collection: 'e',
        meta: null,
        schema: { ...entry.schema, table: 'e' },
      }),
    );
  const schema = { ...first?.schema, name: 'e', indexes: [] };
  return {
    ...snapshot,
    collections: [...collections, { collection: 'e', meta: null, schema }],
    fields: [...fields, ...added],
  } as Snapshot;
};

/** Starts an apply in a process of its own and kills it some time after it has begun. */
const killApply = async (wanted: Snapshot, delay: number): Promise<void> => {
  work ??= createWorkplace();
  writeFileSync(join(work.directory, 'wanted.json'), JSON.stringify(wanted));
  const running = work.start(['schema', 'apply', 'wanted.json', '--yes'], { DATABASE_URL: place.url });
  const begun = Promise.race([
    until(async () => (await openApply(place.database)) !== undefined, { interval: 1 }),
    running.ended(),
  ]);
  await begun;
  await setTimeout(delay);
  await running.stop('SIGKILL');
};

const readRows = async (): Promise<readonly unknown[]> => {
  const fields = new Set(
    (await place.snapshot()).fields.map(({ collection, field }) => `${collection}.${field}`),
  );
  const kept = tables.filter((name) => name !== 'd' || fields.has('d.id'));
  return Promise.all(
    kept.map((name) =>
      place.database.query(
        `select id, title, ${fields.has(`${name}.n`) ? 'n' : 'number'} as n from ${name} order by id`,
      ),
    ),
  );
};

const expectedRows = Array.from({ length: rows }, (_, at) => ({
  id: at + 1,
  title: `row ${at + 1}`,
  n: at % 7,
}));

describe.each(dialectsOf(import.meta.url))('on %s', (dialect) => {
  it(
    `the next start completes an apply that was killed at ${moments} moments, or nothing has changed`,
    async () => {
      const outcomes = { old: 0, new: 0 };
      for (let moment = 0; moment < moments; moment += 1) {
        if (moment > 0) await place.drop();
        place = await createPlace(dialect, script(dialect));
        // in two phases, and in one
        if (moment % 2 === 0) await place.serve();
        const before = await place.snapshot();
        await killApply(changed(before), (moment * 600) / moments);
        await resumeApply({ database: place.database, tables: {}, user: null });
        expect(await openApply(place.database)).toBeUndefined();
        const after = await place.snapshot();
        const isOld = JSON.stringify(after) === JSON.stringify(before);
        outcomes[isOld ? 'old' : 'new'] += 1;
        expect(await place.diff(isOld ? before : changed(before))).toBeNull();
        const found = await readRows();
        expect(found).toEqual(Array(isOld ? 4 : 3).fill(expectedRows));
      }
      process.stdout.write(`${dialect}: ${outcomes.old} in the old schema, ${outcomes.new} in the new one\n`);
    },
    moments * 60_000,
  );
});

describe.each(dialectsOf(import.meta.url))('asked for and never begun on %s', (dialect) => {
  it('can be given up, and is not run afterwards', async () => {
    place = await createPlace(dialect, script(dialect));
    const { database } = place;
    const before = await place.snapshot();
    const wanted = changed(before);
    const { hash = '', diff } = (await place.diff(wanted)) ?? {};
    const id = await queueApply(database, {
      hash,
      diff: diff as never,
      wanted,
      acceptLoss: true,
      user: null,
    });
    const options = { database, tables: {}, user: null };
    expect(await abandonApply(options)).toBe(true);
    expect(await lastApplies(database, 1)).toMatchObject([{ id, state: 'abandoned' }]);
    await expect(runQueuedApply(id, options)).rejects.toThrow('the apply was abandoned');
    expect(await place.snapshot()).toEqual(before);
    expect(await abandonApply(options)).toBe(false);
  });
});

/** Number of rows of activity about applies. */
const recorded = async (): Promise<number> =>
  (await place.database.query("select item from svc_activity where action = 'apply'")).length;

/** Both ends of the foreign key have another type. */
const retyped = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  fields: snapshot.fields.map((entry) =>
    ['kept.id', 'child.parent'].includes(`${entry.collection}.${entry.field}`)
      ? { ...entry, schema: { ...entry.schema, data_type: 'bigint' } as Entry['schema'] }
      : entry,
  ) as Snapshot['fields'],
});

describe.each(['mariadb', 'mysql'] as const)('cut off on %s', (dialect) => {
  /** Tables that the change leaves as they are, but for a type under a foreign key. */
  const extra = `create table kept (id int not null primary key, title varchar(40), key kept_title (title));
    create table child (id int not null primary key, parent int, constraint of_parent foreign key (parent) references kept (id));
    insert into kept values (1, 'one'); insert into child values (1, 1);`;

  /** An apply whose process ended after some steps. */
  const cutOff = async (more = '', isRetyped = false, steps = 5): Promise<Snapshot> => {
    place = await createPlace(dialect, script(dialect) + more);
    const wanted = isRetyped ? retyped(changed(await place.snapshot())) : changed(await place.snapshot());
    const difference = await place.diff(wanted);
    const services = { database: place.database, tables: {} };
    const failure = applyDifference(
      { hash: difference?.hash ?? '', diff: JSON.parse(JSON.stringify(difference?.diff)) },
      {
        ...services,
        user: null,
        onStep(_step, { done }) {
          if (done === steps) throw new Error('the process ends here');
        },
      },
    );
    await expect(failure).rejects.toThrow('the process ends here');
    await place.execute("update svc_schema_applies set state = 'running'");
    return wanted;
  };

  it('can be given up, which leaves the schema unchanged', async () => {
    await cutOff();
    const half = await place.snapshot();
    expect(await abandonApply({ database: place.database, tables: {}, user: null })).toBe(true);
    expect(await lastApplies(place.database, 1)).toMatchObject([{ state: 'abandoned' }]);
    expect(await place.snapshot()).toEqual(half);
    expect(await recorded()).toBe(1);
    expect(await resumeApply({ database: place.database, tables: {}, user: null })).toBe(false);
  });

  it('is not completed where others changed the schema meanwhile', async () => {
    await cutOff();
    await place.execute('create table other (id int primary key); alter table b add column theirs int');
    const resumed = resumeApply({ database: place.database, tables: {}, user: null });
    await expect(resumed).rejects.toThrow(/changed by others.*"other", "b\.theirs"/);
    expect(await openApply(place.database)).toBeDefined();
  });

  it('does not undo what others did to tables and meta', async () => {
    await cutOff(extra);
    await place.execute(`create index theirs on a (title);
      create index theirs on c (id, title);
      alter table c add constraint theirs check (id > 0);
      alter table b modify title varchar(40) default 'theirs';
      alter table c modify title varchar(70);
      alter table kept modify title varchar(70);
      alter table kept drop index kept_title;
      insert into svc_collections (collection, note) values ('kept', 'theirs');`);
    const half = await place.snapshot();
    const resumed = resumeApply({ database: place.database, tables: {}, user: null });
    await expect(resumed).rejects.toThrow(
      'changed by others before the apply has ended: index "theirs" of "a", index "theirs" of "c", check "theirs" of "c", ' +
        '"kept", index "kept_title" of "kept", "b.title", "c.title", "kept.title"; abandon',
    );
    expect(await place.snapshot()).toEqual(half);
  });

  it('is completed at every step, with keys that are made anew', async () => {
    for (const step of [1, 3, 5, 7, 9]) {
      if (step > 1) await place.drop();
      const wanted = await cutOff(extra, true, step);
      expect(await resumeApply({ database: place.database, tables: {}, user: null })).toBe(true);
      expect(await place.diff(wanted)).toBeNull();
    }
  });

  it('is completed with the losses that were accepted', async () => {
    const values = "insert into t values (1, 'too long')";
    place = await createPlace(
      dialect,
      `create table t (id int not null primary key, title varchar(40)); ${values}`,
    );
    const { database } = place;
    const snapshot = await place.snapshot();
    const fields = snapshot.fields.map((entry) =>
      entry.field === 'title' ? { ...entry, schema: { ...entry.schema, max_length: 3 } } : entry,
    );
    const wanted = { ...snapshot, fields } as Snapshot;
    const { hash = '', diff } = (await place.diff(wanted)) ?? {};
    await queueApply(database, { hash, diff: diff as never, wanted, acceptLoss: true, user: null });
    await place.execute("update svc_schema_applies set state = 'running'");
    expect(await resumeApply({ database, tables: {}, user: null })).toBe(true);
    expect(await database.query('select title from t')).toEqual([{ title: 'too' }]);
  });

  it('is completed before the next apply', async () => {
    const wanted = await cutOff();
    const difference = await place.diff({
      ...wanted,
      collections: wanted.collections.slice(1),
      fields: wanted.fields.filter(({ collection }) => collection !== 'a'),
      relations: [],
    });
    await expect(place.apply(difference ?? { hash: '', diff: null as never })).rejects.toThrow(
      /make a new diff/,
    );
    expect(await place.diff(wanted)).toBeNull();
    expect(await recorded()).toBe(1);
  });
});

/** A label that a default has, and an index on a table with rows. */
const wantedOf = (snapshot: Snapshot): Snapshot =>
  ({
    ...snapshot,
    fields: snapshot.fields.map((entry) =>
      entry.field === 'v'
        ? { ...entry, schema: { ...entry.schema, enum_values: ['b', 'c'], default_value: 'c' } }
        : entry,
    ),
    collections: snapshot.collections.map((entry) => ({
      ...entry,
      schema: { ...entry.schema, indexes: [{ name: 'by_v', unique: false, columns: ['v', 'id'] }] },
    })),
  }) as Snapshot;

describe('cut off on postgres', () => {
  it.each([
    ['after a label was added', 'alter t'],
    ['before an index is built', 'build index by_v of t'],
  ])('%s, it is completed', async (_name, moment) => {
    place = await createPlace(
      'postgres',
      "create type mood as enum ('b'); create table t (id integer primary key, v mood); insert into t values (1, 'b')",
    );
    await place.serve();
    const { database } = place;
    const wanted = wantedOf(await place.snapshot());
    const difference = (await place.diff(wanted)) ?? { hash: '', diff: null };
    const options = { database, tables: {}, user: null };
    const onStep = ({ description }: { readonly description: string }): void => {
      if (description === moment) throw new Error('the process ends here');
    };
    const request = { hash: difference.hash, diff: JSON.parse(JSON.stringify(difference.diff)) as unknown };
    await expect(applyDifference(request, { ...options, onStep })).rejects.toThrow('ends here');
    expect(await place.diff(wanted)).not.toBeNull();
    await place.execute("update svc_schema_applies set state = 'running'");
    expect(await resumeApply(options)).toBe(true);
    expect(await lastApplies(database, 1)).toMatchObject([{ state: 'done' }]);
    expect(await place.diff(wanted)).toBeNull();
  });
});
