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

const inOneDay = (spelling: string): string => `datetime default (${spelling})`;

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
  spell('whole', 'int', 'integer', 'smallint'),
  spell('truth', 'boolean', 'bool', 'tinyint'),
  spell('digits', 'decimal(6,2)', 'dec(6,2)', 'decimal(6,1)'),
  spell('short_float', 'float', 'float(20)', 'float(30)'),
  spell('national', 'char(5) character set utf8mb3', 'national char(5)', 'char(5)'),
  spell('chosen', "enum('a','b') default 'a'", `enum('a','b') default "a"`, "enum('a','b') default 'b'"),
  spell('bits', "bit(8) default b'101'", "bit(8) default b'00000101'", "bit(8) default b'111'"),
  spell('raw', "varbinary(4) default 'ab'", 'varbinary(4) default 0x6162', "varbinary(4) default 'ac'"),
  spell('padded', "binary(4) default 'ab'", 'binary(4) default 0x6162', "binary(4) default 'ac'"),
  spell(
    'later',
    inOneDay('now() + interval 1 day'),
    inOneDay('current_timestamp + interval 1 day'),
    inOneDay('now() + interval 2 day'),
  ),
  spell('power', 'double default 1e3', 'double default 1000', 'double default 1001'),
  spell(
    'collated',
    'varchar(9) collate utf8mb4_bin',
    'varchar(9) character set utf8mb4 collate utf8mb4_bin',
    'varchar(9)',
  ),
];

const columns: Readonly<Record<TestDialect, readonly Spelling[]>> = {
  mysql: [
    ...mysqlColumns,
    spell('shapes', 'geomcollection', 'geometrycollection', 'geometry'),
    spell(
      'smiling',
      "varchar(30) as (concat(v, '😀')) stored",
      "varchar(30) as (concat(v, _utf8mb4'😀')) stored",
      "varchar(30) as (concat(v, '😁')) stored",
    ),
  ],
  mariadb: [
    ...mysqlColumns,
    spell('kept', 'int as (n + 1) persistent', 'int as (n + 1) stored', 'int as (n + 1) virtual'),
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
    spell(
      'later',
      "timestamp default now() + interval '72 hour'",
      "timestamp default now() + '72:00:00'::interval",
      "timestamp default now() + interval '73 hour'",
    ),
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
    spell(
      'numbered',
      'int generated by default as identity',
      'int generated by default as identity (start with 1 increment by 1 cache 1)',
      'int generated always as identity',
    ),
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

/** Of names that only some databases know. */
const ownChecks: Readonly<Record<TestDialect, readonly Spelling[]>> = {
  mysql: [
    spell('matched', "v regexp '^a'", "regexp_like(v, '^a')", "v regexp '^b'"),
    spell('lowered', "lower(v) <> 'z'", "lcase(v) <> 'z'", "upper(v) <> 'z'"),
    spell('raised', "upper(v) <> 'z'", "ucase(v) <> 'z'", "lcase(v) <> 'z'"),
  ],
  mariadb: [
    spell('matched', "v regexp '^a'", "v rlike '^a'", "v regexp '^b'"),
    spell('lowered', "lower(v) <> 'z'", "lcase(v) <> 'z'", "upper(v) <> 'z'"),
    spell('raised', "upper(v) <> 'z'", "ucase(v) <> 'z'", "lcase(v) <> 'z'"),
  ],
  postgres: [spell('measured', 'char_length(v) < 9', 'character_length(v) < 9', 'octet_length(v) < 9')],
  sqlite: [],
};

/** Whole statements. */
const indexes: Readonly<Record<TestDialect, readonly Spelling[]>> = {
  mysql: [
    spell(
      'i',
      'create index i on t (n)',
      'create index i using btree on t (n asc)',
      'create index i on t (n desc)',
    ),
  ],
  mariadb: [
    spell(
      'i',
      'create index i on t (n)',
      'create index i using btree on t (n asc)',
      'create index i on t (n, v)',
    ),
  ],
  postgres: [
    spell(
      'i',
      'create index i on t (n)',
      'create index i on t using btree (n asc nulls last)',
      'create index i on t (n desc)',
    ),
    spell(
      'part',
      "create index part on t (n) where v in ('a', 'b') and n is not null",
      "create index part on t (n) where ((v = any (array['a', 'b'])) and not (n is null))",
      "create index part on t (n) where v in ('a', 'c') and n is not null",
    ),
    spell(
      'range_part',
      'create index range_part on t (v) where n between 1 and 5',
      'create index range_part on t (v) where (n >= 1 and n <= 5)',
      'create index range_part on t (v) where n between 1 and 6',
    ),
  ],
  sqlite: [
    spell('i', 'create index i on t (n)', 'create index i on "t" ("n" asc)', 'create index i on t (n desc)'),
    spell(
      'part',
      "create index part on t (n) where v in ('a', 'b')",
      `create index "part" on t ("n") where ("v" in ('a','b'))`,
      "create index part on t (n) where v in ('a', 'c')",
    ),
  ],
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
    ...[...checks, ...ownChecks[dialect]].map(
      (each) => `constraint ${each.name}_check check (${each[kind]})`,
    ),
    `constraint t_up foreign key (up) references up (id) ${action}`,
  ];
  return `create table up (id int not null primary key); create table t (${parts.join(', ')}); ${indexes[dialect].map((each) => each[kind]).join('; ')};`;
};

const texts = (value: unknown): readonly string[] =>
  (value as readonly object[]).map((each) => JSON.stringify(each));

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
      for (const key of ['schema.checks', 'schema.indexes']) {
        const [edit] = table?.diff.filter(({ path }) => path?.join('.') === key) ?? [];
        if (edit?.kind !== 'E') throw new Error(`${key} are not edited`);
        for (const text of texts(edit.rhs)) expect(texts(edit.lhs)).not.toContain(text);
      }
      expect(difference?.diff.relations).toHaveLength(1);
    } finally {
      await Promise.all([first, same, other].map((place) => place?.drop()));
    }
  });
});
