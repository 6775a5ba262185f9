/** Two spellings of one schema are no difference, and a real change beside each of them is seen. */
import { describe, expect, it } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { createPlace } from './places.js';

interface Spelling {
  readonly name: string;
  /** After the name: of a column, or of a check. */
  readonly first: string;
  readonly same: string;
  readonly other: string;
}

const spell = (name: string, first: string, same: string, other: string): Spelling => ({
  name,
  first,
  same,
  other,
});

const mysqlColumns: readonly Spelling[] = [
  spell('width', 'int', 'int(11)', 'bigint'),
  spell('flag', 'boolean', 'tinyint(1)', 'tinyint'),
  spell('exact', 'decimal(10,0)', 'numeric', 'decimal(10,1)'),
  spell('approximate', 'double', 'real', 'float'),
  spell('flag_on', 'boolean default true', "tinyint(1) default '1'", 'boolean default false'),
  spell('scaled', 'decimal(5,2) default 0.1', 'decimal(5,2) default 0.10', 'decimal(5,2) default 0.11'),
  spell('present', 'datetime default now()', 'datetime default current_timestamp', 'datetime'),
  spell(
    'touched',
    'timestamp(3) null default current_timestamp(3) on update current_timestamp(3)',
    'timestamp(3) null default now(3) on update now(3)',
    'timestamp(3) null default now(3)',
  ),
  spell('quoted', "varchar(20) default 'it''s'", `varchar(20) default "it's"`, "varchar(20) default 'its'"),
  spell('blank', 'varchar(9) default null', 'varchar(9)', "varchar(9) default ''"),
  spell('label', "enum('a','b')", 'enum("a","b")', "enum('b','a')"),
  spell(
    'made',
    'int generated always as (n + 1) stored',
    'int as ((`n` + 1)) stored',
    'int as (n + 2) stored',
  ),
  spell('virtual_one', 'int generated always as (n + 1) virtual', 'int as (n + 1)', 'int as (n + 1) stored'),
  spell('noted', "int comment ''", 'int', "int comment 'x'"),
  spell(
    'collated',
    'varchar(9) collate utf8mb4_bin',
    'varchar(9) character set utf8mb4 collate utf8mb4_bin',
    'varchar(9)',
  ),
];

const columns: Readonly<Record<TestDialect, readonly Spelling[]>> = {
  mysql: mysqlColumns,
  mariadb: [
    ...mysqlColumns,
    spell(
      'document',
      'json',
      'longtext character set utf8mb4 collate utf8mb4_bin check (json_valid(`document`))',
      'longtext',
    ),
    spell('calendar', 'year', 'year(4)', 'smallint'),
  ],
  postgres: [
    spell('width', 'integer', 'int4', 'bigint'),
    spell('text20', 'varchar(20)', 'character varying(20)', 'varchar(21)'),
    spell('exact', 'decimal(10,2)', 'numeric(10,2)', 'numeric(10,3)'),
    spell('approximate', 'double precision', 'float(53)', 'real'),
    spell('instant', 'timestamptz', 'timestamp with time zone', 'timestamp'),
    spell('list', 'integer[]', '_int4', 'bigint[]'),
    spell('flag_on', "bool default 't'", 'boolean default true', 'boolean default false'),
    spell('cast_text', "varchar(5) default 'x'", "varchar(5) default 'x'::text", "varchar(5) default 'y'"),
    spell('present', 'timestamp default now()', 'timestamp default current_timestamp', 'timestamp'),
    spell('negative', 'int default -1', "int default '-1'::integer", 'int default -2'),
    spell('document', "jsonb default '{}'", "jsonb default '{}'::jsonb", `jsonb default '{"a": 1}'`),
    spell('blank', 'varchar(20) default null', 'varchar(20)', "varchar(20) default ''"),
    spell(
      'made',
      'int generated always as (n + 1) stored',
      'int generated always as ((n) + (1)) stored',
      'int generated always as (n + 2) stored',
    ),
    spell('counted', 'serial', 'serial', 'integer not null'),
  ],
  sqlite: [
    spell('literal', 'INTEGER DEFAULT 1', 'INTEGER DEFAULT (1)', 'INTEGER DEFAULT 2'),
    spell(
      'present',
      'DATETIME DEFAULT CURRENT_TIMESTAMP',
      'DATETIME DEFAULT (current_timestamp)',
      'DATETIME',
    ),
    spell('quoted', "TEXT DEFAULT 'it''s'", `TEXT DEFAULT ('it''s')`, "TEXT DEFAULT 'its'"),
    spell('blank', 'TEXT DEFAULT NULL', 'TEXT', "TEXT DEFAULT ''"),
    spell(
      'made',
      'INTEGER AS (n + 1)',
      'INTEGER GENERATED ALWAYS AS ("n" + 1) VIRTUAL',
      'INTEGER AS (n + 2)',
    ),
    spell('sized', 'VARCHAR(20)', 'VARCHAR( 20 )', 'VARCHAR(21)'),
  ],
};

const checks: readonly Spelling[] = [
  spell('range', 'n between 1 and 24', 'n >= 1 and (n <= 24)', 'n between 1 and 25'),
  spell('choice', "v in ('a', 'b')", "(v in ('a','b'))", "v in ('a', 'c')"),
  spell('pattern', "v not like 'q%'", "not (v like 'q%')", "v not like 'r%'"),
  spell('filled', 'v is not null or n > 3', 'not (v is null) or (n > 3)', 'v is null or n > 3'),
  spell('folded', "lower(v) <> 'x'", "(lower(v) <> ('x'))", "upper(v) <> 'x'"),
];

const indexes: Readonly<Record<TestDialect, readonly [first: string, same: string, other: string]>> = {
  mysql: [
    'create index i on t (n)',
    'create index i using btree on t (n asc)',
    'create index i on t (n desc)',
  ],
  mariadb: [
    'create index i on t (n)',
    'create index i using btree on t (n asc)',
    'create index i on t (n, v)',
  ],
  postgres: [
    'create index i on t (n)',
    'create index i on t using btree (n asc nulls last)',
    'create index i on t (n desc)',
  ],
  sqlite: ['create index i on t (n)', 'create index i on "t" ("n" asc)', 'create index i on t (n desc)'],
};

/** An action that is not written is this one. */
const actions: Readonly<Record<TestDialect, readonly [same: string, other: string]>> = {
  mysql: ['on delete no action', 'on delete cascade'],
  mariadb: ['on delete restrict', 'on delete cascade'],
  postgres: ['on delete no action', 'on delete restrict'],
  sqlite: ['on delete no action', 'on delete restrict'],
};

const script = (dialect: TestDialect, kind: 'first' | 'same' | 'other'): string => {
  const at = { first: 0, same: 1, other: 2 }[kind];
  const action = ['', ...actions[dialect]][at] ?? '';
  const parts = [
    'id int not null primary key',
    'n int',
    'v varchar(20)',
    'up int',
    ...columns[dialect].map((each) => `${each.name} ${each[kind]}`),
    ...checks.map((each) => `constraint ${each.name}_check check (${each[kind]})`),
    `constraint t_up foreign key (up) references up (id) ${action}`,
  ];
  return `create table up (id int not null primary key); create table t (${parts.join(', ')}); ${indexes[dialect][at] ?? ''};`;
};

const named = (value: unknown): readonly string[] =>
  (value as readonly { readonly name: string; readonly expression: string }[]).map(
    ({ name, expression }) => `${name}: ${expression}`,
  );

describe.each(dialects)('on %s', (dialect) => {
  it('only real changes are differences, other spellings are not', async () => {
    const [first, same, other] = await Promise.all(
      (['first', 'same', 'other'] as const).map((kind) => createPlace(dialect, script(dialect, kind))),
    );
    try {
      const snapshot = await first?.snapshot();
      expect(await same?.diff(snapshot)).toBeNull();
      const difference = await other?.diff(snapshot);
      const changed = difference?.diff.fields.map(({ field }) => field) ?? [];
      expect(changed).toEqual(expect.arrayContaining(columns[dialect].map(({ name }) => name)));
      const table = difference?.diff.collections.find(({ collection }) => collection === 't');
      const paths = table?.diff.map(({ path }) => path?.join('.'));
      expect(paths).toEqual(expect.arrayContaining(['schema.checks', 'schema.indexes']));
      const [edit] = table?.diff.filter(({ path }) => path?.join('.') === 'schema.checks') ?? [];
      if (edit?.kind !== 'E') throw new Error('the checks are not edited');
      for (const text of named(edit.rhs)) expect(named(edit.lhs)).not.toContain(text);
      expect(difference?.diff.relations).toHaveLength(1);
    } finally {
      await Promise.all([first, same, other].map((place) => place?.drop()));
    }
  });
});
