/** Each property of a table, key or column that a snapshot has is seen as a difference, and applied. */
import { expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { createPlace } from './places.js';

/** Pairs of a table that differ in one property of the table or of a key of it; `null`: in none. */
const properties: readonly (readonly [TestDialect, first: string, other: string, path: string | null])[] = [
  [
    'sqlite',
    'create table t (id integer primary key) strict',
    'create table t (id integer primary key)',
    'schema.strict',
  ],
  [
    'sqlite',
    'create table t (id integer primary key) without rowid',
    'create table t (id integer primary key)',
    'schema.without_rowid',
  ],
  [
    'sqlite',
    'create table t (id integer primary key) STRICT, WITHOUT ROWID',
    'create table t (id integer primary key) without rowid, strict',
    null,
  ],
  [
    'sqlite',
    'create table t (id integer primary key, n int, constraint named check (n > 0))',
    'create table t (id integer primary key, n int, constraint called check (n > 0))',
    'schema.checks',
  ],
  [
    'mysql',
    'create table t (id int primary key, n int, constraint c check (n > 0))',
    'create table t (id int primary key, n int, constraint c check (n > 0) enforced)',
    null,
  ],
  [
    'mysql',
    'create table t (id int primary key, n int, constraint c check (n > 0))',
    'create table t (id int primary key, n int, constraint c check (n > 0) not enforced)',
    'schema.checks',
  ],
  [
    'mysql',
    'create table t (id int primary key, n int invisible)',
    'create table t (id int primary key, n int)',
    'schema.is_invisible',
  ],
  [
    'mariadb',
    'create table t (id int primary key, n int invisible)',
    'create table t (id int primary key, n int)',
    'schema.is_invisible',
  ],
  ...(['mysql', 'mariadb'] as const).map(
    (dialect) =>
      [
        dialect,
        'create table t (id int primary key, up int, constraint f foreign key (up) references t (id))',
        'create table t (id int primary key, up int, index f (up), constraint f foreign key (up) references t (id))',
        null,
      ] as const,
  ),
  ...(['mysql', 'mariadb'] as const).map(
    (dialect) =>
      [
        dialect,
        'create table t (id int primary key, n int, up int, index i (up, n), constraint f foreign key (up) references t (id))',
        'create table t (id int primary key, n int, up int, constraint f foreign key (up) references t (id))',
        'schema.indexes',
      ] as const,
  ),
  [
    'postgres',
    'create table t (id int primary key, up int references t (id) not deferrable)',
    'create table t (id int primary key, up int references t (id))',
    null,
  ],
  ...['deferrable', 'deferrable initially deferred'].map(
    (clause) =>
      [
        'postgres',
        `create table t (id int primary key, up int references t (id) ${clause})`,
        'create table t (id int primary key, up int references t (id))',
        'schema.deferrable',
      ] as const,
  ),
  [
    'postgres',
    'create table t (id int primary key, up int references t (id))',
    'create table t (id int primary key, up int references t (id) deferrable)',
    'schema.deferrable',
  ],
  [
    'postgres',
    'create table t (id int primary key, n int unique deferrable initially deferred)',
    'create table t (id int primary key, n int unique deferrable)',
    'schema.uniques',
  ],
  [
    'postgres',
    'create table t (id int primary key, n int unique)',
    'create table t (id int primary key, n int unique deferrable)',
    'schema.uniques',
  ],
  [
    'postgres',
    'create table t (id int primary key deferrable initially deferred)',
    'create table t (id int primary key)',
    'schema.primary_key_deferrable',
  ],
  [
    'sqlite',
    'create table t (id integer primary key, up int references t (id) not null deferrable initially deferred)',
    'create table t (id integer primary key, up int not null references t (id) deferrable initially immediate)',
    'schema.deferrable',
  ],
  ...['', 'deferrable', 'not deferrable initially deferred'].map(
    (clause) =>
      [
        'sqlite',
        `create table t (id integer primary key, up int, foreign key (up) references t (id) ${clause})`,
        'create table t (id integer primary key, up int references t (id) deferrable initially deferred)',
        'schema.deferrable',
      ] as const,
  ),
  [
    'sqlite',
    'create table t (id integer primary key, up int references t (id) deferrable)',
    'create table t (id integer primary key, up int references t (id) not deferrable initially deferred)',
    null,
  ],
];

it.each(properties)('on %s, %s differs from %s in %s', async (dialect, first, other, path) => {
  const places = await Promise.all(
    [`${first};`, `${other};`, undefined].map((sql) => createPlace(dialect, sql)),
  );
  try {
    const [place, target, empty] = places;
    const difference = await target?.diff(await place?.snapshot());
    const { collections = [], fields = [], relations = [] } = difference?.diff ?? {};
    const paths = [...collections, ...fields, ...relations].flatMap(({ diff }) =>
      diff.map((each) => each.path?.join('.')),
    );
    expect(paths).toEqual(path === null ? [] : [path]);
    const snapshot = await place?.snapshot();
    await target?.become(snapshot);
    expect(await target?.snapshot()).toEqual(snapshot);
    await empty?.become(snapshot);
    expect(await empty?.snapshot()).toEqual(snapshot);
  } finally {
    await Promise.all(places.map((place) => place.drop()));
  }
});
