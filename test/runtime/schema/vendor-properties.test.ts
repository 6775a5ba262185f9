/** Properties of columns and checks that only MySQL or MariaDB have are part of snapshots, differences and applies. */
import { describe, expect, it } from 'vitest';
import { edited, field } from './edits.js';
import { usePlaces } from './places.js';

const create = usePlaces();

const attributes = {
  mysql: (srid: number) => `srid ${srid}`,
  mariadb: (srid: number) => `ref_system_id=${srid}`,
} as const;

describe.each(['mysql', 'mariadb'] as const)('on %s', (dialect) => {
  const srid = attributes[dialect];
  const table = (system: string): string =>
    `create table places (id int primary key, spot point ${system} not null, near geometry ${srid(3857)}, free polygon);`;

  it('a snapshot has the SRID of each geometry, and an apply to an empty database keeps it', async () => {
    const source = await create(dialect, table(srid(4326)));
    const snapshot = await source.snapshot();
    expect(snapshot.fields.map((entry) => [entry.field, entry.schema?.srid])).toEqual([
      ['id', undefined],
      ['spot', 4326],
      ['near', 3857],
      ['free', null],
    ]);
    expect(await source.diff(snapshot)).toBeNull();
    const target = await create(dialect);
    await target.become(snapshot);
    expect(await target.snapshot()).toEqual(snapshot);
  });

  it.each([3857, null])(
    'another SRID (%s) is a difference, and applied with what else the column has',
    async (to) => {
      const place = await create(dialect, table(srid(4326)));
      const other = await create(dialect, table(to === null ? '' : srid(to)));
      const wanted = await other.snapshot();
      const difference = await place.diff(wanted);
      expect(difference?.diff.fields.map((each) => [each.field, each.diff[0]?.path])).toEqual([
        ['spot', ['schema', 'srid']],
      ]);
      expect((await place.diff(wanted, { explain: true }))?.explain?.breaking).toEqual([]);
      await place.become(wanted);
      expect(await place.snapshot()).toEqual(wanted);
    },
  );

  it('a snapshot without the key leaves the SRID as it is', async () => {
    const place = await create(dialect, table(srid(4326)));
    const wanted = edited(await place.snapshot(), (snapshot) => {
      delete (field(snapshot, 'places', 'spot').schema as { srid?: number }).srid;
    });
    expect(await place.diff(wanted)).toBeNull();
  });
});

it('on mysql, geometries of another system refuse an SRID before anything changes', async () => {
  const place = await create('mysql', 'create table places (id int primary key, spot point not null);');
  await place.execute(
    'insert into places values (1, st_srid(point(1, 1), 3857)), (2, st_srid(point(1, 1), 4326))',
  );
  const before = await place.snapshot();
  const wanted = edited(before, (snapshot) => {
    Object.assign(field(snapshot, 'places', 'spot').schema, { srid: 4326 });
  });
  await expect(place.become(wanted)).rejects.toThrow(
    /"places\.spot": 1 row holds values of another system of coordinates than SRID 4326/,
  );
  expect(await place.snapshot()).toEqual(before);
});

it('what MariaDB does not keep of MySQL is a loss: a geometry of SRID 0 alone', async () => {
  const source = await create(
    'mysql',
    'create table places (id int primary key, spot point srid 0, at point srid 4326);',
  );
  const target = await create('mariadb');
  const difference = await target.diff(await source.snapshot(), { force: true });
  expect(difference?.losses).toEqual([
    { collection: 'places', field: 'spot', loss: 'geometries of any system of coordinates, not only SRID 0' },
  ]);
  if (difference !== null) await target.apply(difference);
  const { fields } = await target.snapshot();
  expect(fields.map(({ schema }) => schema?.srid)).toEqual([undefined, null, 4326]);
  expect(await target.diff(await source.snapshot(), { force: true })).toBeNull();
});

const checked = (what: string): string => `every statement checks ${what}, not the commit`;

it('constraints of PostgreSQL that are checked at commit are so on SQLite if it has them, and a loss elsewhere', async () => {
  const source = await create(
    'postgres',
    `create table t (id int primary key deferrable, n int unique deferrable initially deferred);
    create table s (id int primary key, a int references s (id) deferrable initially deferred, b int references s (id) deferrable);`,
  );
  const snapshot = await source.snapshot();
  const ofT = ['the primary key', 't_n_key'].map((each) => ({ collection: 't', loss: checked(each) }));
  const ofS = ['a', 'b'].map((field) => ({ collection: 's', field, loss: checked('it') }));
  for (const [dialect, losses, kept] of [
    ['mysql', [...ofT, ...ofS], [undefined, undefined]],
    ['sqlite', ofT, ['deferred', undefined]],
  ] as const) {
    const target = await create(dialect);
    const difference = await target.diff(snapshot, { force: true });
    expect(difference?.losses).toEqual(losses);
    if (difference !== null) await target.apply(difference);
    const { relations } = await target.snapshot();
    expect(relations.map(({ schema }) => schema?.deferrable)).toEqual(kept);
    expect(await target.diff(snapshot, { force: true })).toBeNull();
  }
});

it('a check that is not enforced has no findings, and is left out where there are none of its kind', async () => {
  const rows = 'insert into t values (1, -1);';
  const table = (more: string): string => `create table t (id int primary key, n int${more}); ${rows}`;
  const source = await create('mysql', table(', constraint c check (n > 0) not enforced'));
  const wanted = await source.snapshot();
  const target = await create('mysql', table(''));
  await target.become(wanted);
  expect(await target.snapshot()).toEqual(wanted);
  const enforced = edited(wanted, ({ collections }) => {
    Object.assign(collections[0]?.schema ?? {}, { checks: [{ name: 'c', expression: '"n" > 0' }] });
  });
  await expect(target.become(enforced)).rejects.toThrow(/1 row does not meet the check "c"/);

  const other = await create('mariadb', table(''));
  const difference = await other.diff(wanted, { force: true });
  expect(difference).toBeNull();
  await expect(other.diff(wanted)).rejects.toThrow(/the check c is left out, as it is not enforced/);
});
