/** Characters of four bytes in UTF-8, which MySQL and MariaDB list as question marks, are read and applied exactly. */
import { describe, expect, it } from 'vitest';

import { readDetails } from '../../../generator/introspection/index.js';
import { openDatabase } from '../../../runtime/databases/open.js';
import { catalogReader, dialectsOf, type TestDialect } from '../../databases.js';
import { createLimitedUser } from '../../limited-user.js';
import { edited, field } from './edits.js';
import { usePlaces } from './places.js';

const create = usePlaces();

const ofServer = `
  create table t (
    id int not null primary key, word varchar(20) default 'x😀?''y', plain varchar(20) default '????',
    must varchar(20) not null default '😎?',
    label enum('a😀', 'b?', 'c''😎') default 'c''😎', tags set('a', 'é', '😎?') default '😎?',
    made varchar(20) generated always as (concat('😀?', word)) stored, given varchar(20) default (concat('😀', '????')),
    words longtext default ('it''s 😀?'), constraint c check (word <> '😎' and word <> '????')
  );`;

const scripts: Readonly<Record<TestDialect, string>> = {
  mysql: ofServer,
  mariadb: ofServer,
  postgres: `
    create type label as enum ('a😀', 'c''😎');
    create table t (
      id int primary key, word varchar(20) default 'x😀?''y', label label default 'c''😎', constraint c check (word <> '😎')
    );
    comment on table t is '😀'; comment on column t.word is '😎';`,
  sqlite: `
    create table t (
      id integer primary key, word varchar(20) default 'x😀?''y', label text default 'c''😎', constraint c check (word <> '😎')
    );`,
};

/** The rest of the row of MySQL and MariaDB. */
const further = {
  plain: '????',
  must: '😎?',
  tags: '😎?',
  made: "😀?x😀?'y",
  given: '😀????',
  words: "it's 😀?",
};

describe.each(dialectsOf(import.meta.url))('on %s', (dialect) => {
  it('a snapshot has them, and makes the same in an empty database', async () => {
    const [source, target] = [await create(dialect, scripts[dialect]), await create(dialect)];
    const snapshot = await source.snapshot();
    expect(await source.diff(snapshot)).toBeNull();
    expect(JSON.stringify(snapshot)).not.toContain('incomplete');
    await target.become(snapshot);
    expect(await target.snapshot()).toEqual(snapshot);
    await target.execute('insert into t (id) values (1)');
    const isServer = dialect === 'mysql' || dialect === 'mariadb';
    const names = ['word', 'label', ...(isServer ? Object.keys(further) : [])];
    expect(await target.database.query(`select ${names.join(', ')} from t`)).toEqual([
      { word: "x😀?'y", label: "c'😎", ...(isServer && further) },
    ]);
  });

  it('another one is a difference', async () => {
    const [source, target] = [
      await create(dialect, scripts[dialect]),
      await create(dialect, scripts[dialect].replaceAll('😎', '🙃')),
    ];
    const difference = await target.diff(await source.snapshot());
    expect(
      difference?.diff.collections.flatMap(({ diff }) => diff.map(({ path }) => path?.at(-1))),
    ).toContain('checks');
    const changed = difference?.diff.fields.flatMap(({ field: name }) => name);
    expect(changed).toContain('label');
    expect(changed).not.toContain('made');
  });
});

describe.each(['mysql', 'mariadb'] as const)('on %s', (dialect) => {
  it('a comment or name that would lose them is rejected, and mapped from another database with a loss', async () => {
    const target = await create(dialect, 'create table t (id int primary key, word varchar(20));');
    const wanted = edited(await target.snapshot(), (snapshot) => {
      field(snapshot, 't', 'word').schema.comment = 'wide 😀';
      Object.assign(snapshot.collections[0]?.schema ?? {}, {
        indexes: [{ name: 'by😀', unique: false, columns: ['word'] }],
      });
    });
    const refused = target.become(wanted);
    await expect(refused).rejects.toThrow(/the name "by😀" has characters of four bytes/);
    await expect(refused).rejects.toThrow(/the comment "wide 😀" has characters of four bytes/);
    const other = await create('postgres', scripts.postgres);
    const difference = await target.diff(await other.snapshot(), { force: true });
    const losses = difference?.losses?.filter(({ loss }) => loss.includes('four bytes'));
    expect(losses?.map(({ field: name }) => name)).toEqual([undefined, 'word'].toSorted());
  });

  it('a user who may not read a table is told that some of its characters are unknown', async () => {
    const place = await create(dialect, ofServer);
    const limited = await createLimitedUser(dialect, { ...place, rights: 'insert' });
    const database = await openDatabase({ url: limited.url });
    try {
      const { tables } = await readDetails(catalogReader(database));
      expect(tables.get('t')?.incomplete).toEqual([expect.stringMatching(/characters that .* may not read/)]);
      expect(tables.get('t')?.columns.get('label')?.values).toEqual(['a?', 'b?', "c'?"]);
    } finally {
      await database.close();
      await limited.drop();
    }
  });
});
