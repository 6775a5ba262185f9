/** A constraint or index that has another name and is otherwise the same is renamed, where the database can do that. */
import { describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { edited, field, type MutableSnapshot } from './edits.js';
import { usePlaces } from './places.js';

const dialects = dialectsOf(import.meta.url);

const create = usePlaces();

const script = `
  create table up (id int not null primary key);
  create table t (
    id int not null primary key, code varchar(20) not null, n int, m int, ref int,
    constraint old_unique unique (code), constraint old_check check (n < 100),
    constraint old_key foreign key (ref) references up (id)
  );
  create index old_index on t (n, code);
  insert into up values (1);
  insert into t (id, code, n, ref) values (1, 'x', 1, 1);`;

type Named = Record<string, unknown> & { name: string };

const lists = (snapshot: MutableSnapshot): readonly Named[] => {
  const { schema } = snapshot.collections.find(({ collection }) => collection === 't') ?? {};
  return ['uniques', 'indexes', 'checks'].flatMap((key) => (schema?.[key] ?? []) as readonly Named[]);
};

const renameAll = (snapshot: MutableSnapshot): void => {
  for (const each of lists(snapshot)) each.name = each.name.replace('old', 'new');
  for (const { schema } of snapshot.relations) Object.assign(schema ?? {}, { constraint_name: 'new_key' });
};

const ofServer = (dropCheck: string): readonly string[] => [
  'alter table `t` drop foreign key `old_key`, rename index `old_key` to `new_key`, add constraint `new_key` ' +
    'foreign key (`ref`) references `up` (`id`) on delete restrict on update restrict',
  `alter table \`t\` ${dropCheck}, rename index \`old_unique\` to \`new_unique\`, ` +
    'rename index `old_index` to `new_index`, add constraint `new_check` check ((`n` < 100))',
];

/** The last statements of an apply; SQLite alone has others before, which make the table anew. */
const statements: Readonly<Record<TestDialect, readonly string[]>> = {
  postgres: [
    'alter table "t" rename constraint "old_key" to "new_key"',
    'alter table "t" rename constraint "old_unique" to "new_unique"',
    'alter index "old_index" rename to "new_index"',
    'alter table "t" rename constraint "old_check" to "new_check"',
  ],
  mysql: ofServer('drop check `old_check`'),
  mariadb: ofServer('drop constraint if exists `old_check`'),
  sqlite: ['CREATE INDEX "new_index" ON "t" ("n", "code")'],
};

const again = ['drop check', 'add check', 'drop relation', 'add relation'];

/** Changes that `explain` lists: a key that cannot be renamed is dropped and added. */
const changes: Readonly<Record<TestDialect, readonly string[]>> = {
  postgres: ['rename unique', 'rename index', 'rename check', 'rename relation'],
  mysql: ['rename unique', 'rename index', ...again],
  mariadb: ['rename unique', 'rename index', ...again],
  sqlite: ['drop index', 'add index', ...again],
};

const oneLine = (sql: string): string => sql.replaceAll(/\s+/g, ' ');

describe.each(dialects)('on %s', (dialect) => {
  it('other names alone are renames, in the second phase, and no difference afterwards', async () => {
    const place = await create(dialect, script);
    const wanted = edited(await place.snapshot(), renameAll);
    const difference = await place.diff(wanted, { explain: true });
    if (difference?.explain === undefined) throw new Error('there is no difference');
    const { phases, collections, statements: all } = difference.explain;
    const expected = statements[dialect];
    expect(all.slice(dialect === 'sqlite' ? -1 : 0).map(oneLine)).toEqual(expected);
    expect(phases.map(({ phase, statements: own }) => [phase, own])).toEqual([['contract', all]]);
    expect(collections.flatMap((each) => each.changes.map(({ change }) => change))).toEqual(changes[dialect]);
    await place.serve();
    await place.apply(difference);
    expect(await place.diff(wanted)).toBeNull();
    expect(await place.diff(await place.snapshot())).toBeNull();
    expect(await place.database.query('select code from t')).toEqual([{ code: 'x' }]);
    await expect(place.execute("insert into t (id, code, ref) values (2, 'y', 7)")).rejects.toThrow(
      /foreign/i,
    );
    await expect(place.execute("insert into t (id, code) values (2, 'x')")).rejects.toThrow(
      /unique|duplicate/i,
    );
  });

  it('another list of columns under the same name, and names that change places, are applied as they are', async () => {
    const place = await create(dialect, `${script} create index other_index on t (m);`);
    const wanted = edited(await place.snapshot(), (snapshot) => {
      const [unique] = lists(snapshot);
      Object.assign(unique ?? {}, { columns: ['code', 'm'] });
      field(snapshot, 't', 'code').schema.is_unique = false;
      const indexes = lists(snapshot).filter(({ name }) => name.endsWith('index'));
      for (const each of indexes) each.name = each.name === 'old_index' ? 'other_index' : 'old_index';
      Object.assign(indexes[0] ?? {}, { columns: ['code', 'n'] });
    });
    await place.become(wanted);
    expect(await place.diff(wanted)).toBeNull();
    await place.execute("insert into t (id, code, m) values (2, 'x', 1)");
  });
});

const limited = ([check, key]: readonly [string, string], most: number): string => `
  create table up (id int not null primary key);
  create table t (
    id int not null primary key, n int, ref int, constraint ${check} check (n < ${most}),
    constraint ${key} foreign key (ref) references up (id)
  );`;

it.each([
  ['mysql', ['t_chk_1', 't_ibfk_1'], ['t_chk_7', 't_ibfk_3']],
  ['mariadb', ['CONSTRAINT_1', 't_ibfk_1'], ['CONSTRAINT_7', 't_ibfk_3']],
  ['sqlite', ['t_check_1', 't_ref_foreign'], ['t_check_7', 't_foreign']],
] as const)(
  'on %s, names that the database makes are not compared, their constraints are',
  async (dialect, own, other) => {
    const place = await create(dialect, limited(own, 100));
    const same = await create(dialect, limited(other, 100));
    expect(await place.diff(await same.snapshot())).toBeNull();
    const changed = await create(dialect, limited(other, 99));
    const { collections = [], relations = [] } = (await place.diff(await changed.snapshot()))?.diff ?? {};
    expect(collections.flatMap(({ diff }) => diff.map(({ path }) => path?.at(-1)))).toEqual(['checks']);
    expect(relations).toEqual([]);
  },
);
