/** Explain lists the effects that a change has on views and triggers; an apply has these effects. */
import { afterEach, describe, expect, it } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { edited, field, type Edit, type MutableSnapshot } from './edits.js';
import { createPlace, type Place } from './places.js';

const body: Readonly<Record<TestDialect, string>> = {
  sqlite: 'begin update others set n = new.weight; end',
  mysql: 'for each row update others set n = new.weight',
  mariadb: 'for each row update others set n = new.weight',
  postgres: 'for each row execute function note()',
};

const script = (dialect: TestDialect): string => `
  create table boxes (code varchar(20) not null primary key, weight integer, label varchar(20));
  create table others (id integer not null primary key, n integer);
  insert into boxes values ('a', 1, 'b');
  ${
    dialect === 'postgres'
      ? 'create function note() returns trigger language plpgsql as $$ begin update others set n = new.weight; return new; end $$;'
      : ''
  }
  create trigger heavy after update on boxes ${body[dialect]};
  create view heavy_boxes as select code, weight from boxes where weight > 1;`;

/** The effect on view and trigger: the database refuses the change because of them, or they fail when they are used. */
type Effects = Readonly<Record<'view' | 'trigger', 'refused' | 'broken' | null>>;

const isBoxes = ({ collection }: { readonly collection: string }): boolean => collection === 'boxes';

const renameBoxes = (snapshot: MutableSnapshot): void => {
  for (const entry of snapshot.collections.filter(isBoxes))
    Object.assign(entry, { collection: 'crates', meta: { previous_name: 'boxes' } });
  for (const entry of snapshot.fields.filter(isBoxes)) Object.assign(entry, { collection: 'crates' });
};

const none: Effects = { view: null, trigger: null };
const broken: Effects = { view: 'broken', trigger: 'broken' };
const edits: readonly (readonly [string, Edit, Readonly<Record<TestDialect, Effects>>])[] = [
  [
    'a dropped field',
    (snapshot) => {
      snapshot.fields = snapshot.fields.filter((entry) => entry.field !== 'weight');
    },
    { sqlite: broken, mysql: broken, mariadb: broken, postgres: { view: 'refused', trigger: 'broken' } },
  ],
  [
    'a renamed field',
    (snapshot) => {
      const weight = field(snapshot, 'boxes', 'weight');
      Object.assign(weight, { field: 'mass', meta: { previous_name: 'weight' } });
      Object.assign(weight.schema, { name: 'mass' });
    },
    { sqlite: none, mysql: broken, mariadb: broken, postgres: { view: null, trigger: 'broken' } },
  ],
  [
    'another type',
    (snapshot) => {
      Object.assign(field(snapshot, 'boxes', 'weight').schema, { data_type: 'bigint' });
    },
    { sqlite: none, mysql: none, mariadb: none, postgres: { view: 'refused', trigger: null } },
  ],
  [
    'another type of what they do not name',
    (snapshot) => {
      Object.assign(field(snapshot, 'boxes', 'label').schema, { max_length: 40 });
    },
    { sqlite: none, mysql: none, mariadb: none, postgres: none },
  ],
  [
    'a dropped collection',
    (snapshot) => {
      for (const list of ['collections', 'fields', 'relations'] as const)
        snapshot[list] = snapshot[list].filter(({ collection }) => collection !== 'boxes') as never;
    },
    {
      sqlite: { view: 'broken', trigger: null },
      mysql: { view: 'broken', trigger: null },
      mariadb: { view: 'broken', trigger: null },
      postgres: { view: 'refused', trigger: null },
    },
  ],
  [
    'a renamed collection',
    renameBoxes,
    {
      sqlite: none,
      mysql: { view: 'broken', trigger: null },
      mariadb: { view: 'broken', trigger: null },
      postgres: none,
    },
  ],
];

let place: Place;
afterEach(() => place.drop());

describe.each(dialects)('on %s', (dialect) => {
  it.each(edits)('%s', async (_name, edit, effects) => {
    place = await createPlace(dialect, script(dialect));
    const before = await place.snapshot();
    const difference = await place.diff(edited(before, edit), { explain: true });
    if (difference?.explain === undefined) throw new Error('there is no difference');
    const { explain } = difference;
    const dependants = explain.collections.flatMap((each) => each.dependants);
    const said = { view: null, trigger: null } as Record<'view' | 'trigger', string | null>;
    for (const { kind, blocks } of dependants) said[kind] = blocks ? 'refused' : 'broken';
    expect(said).toEqual(effects[dialect]);
    const isRefused = effects[dialect].view === 'refused';
    expect(explain.refused).toBe(isRefused);
    const outcome = await place.apply(difference).then(() => 'done', String);
    expect(outcome).toMatch(isRefused ? /the view "heavy_boxes" uses "boxes/ : /^done$/);
    const after = await place.snapshot();
    expect(JSON.stringify(after) === JSON.stringify(before)).toBe(isRefused);
    const works = (text: string): Promise<boolean> =>
      place.execute(text).then(
        () => true,
        () => false,
      );
    expect(await works('select * from heavy_boxes')).toBe(effects[dialect].view !== 'broken');
    const table = after.collections.find(({ collection }) =>
      /^(?:boxes|crates)$/.test(collection),
    )?.collection;
    const isWritable = table === undefined || (await works(`update ${table} set label = 'c'`));
    expect(isWritable).toBe(isRefused || effects[dialect].trigger === null);
  });
});
