/** Tables in which an insert may do more than store its row. */
import { createConnection } from 'mysql2/promise';
import { inject } from 'vitest';
import { describe, expect, it } from 'vitest';
import { introspect } from '../../../generator/introspection/index.js';
import { openDatabase } from '../../../runtime/databases/open.js';
import { catalogReader, createTestDatabase, dialects, type TestDialect } from '../../databases.js';

const trigger: Readonly<Record<TestDialect, string>> = {
  sqlite: 'create trigger t after insert on "Loud" begin update "Loud" set v = 1; end;',
  mariadb: 'create trigger t before insert on `Loud` for each row set new.v = 1;',
  mysql: 'create trigger t before insert on `Loud` for each row set new.v = 1;',
  postgres: `create function f() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger t before insert on "Loud" for each row execute function f();
    create table ruled (id int primary key, v int); create rule r as on insert to ruled do also select 1;
    create table split (id int primary key, v int) partition by range (id);
    create table off (id int primary key); create trigger o before insert on off for each row execute function f();
    alter table off disable trigger o;`,
};

const tables = (dialect: TestDialect): string => {
  const quoted = dialect === 'mariadb' || dialect === 'mysql' ? '`Loud`' : '"Loud"';
  return `create table ${quoted} (id int primary key, v int); create table quiet (id int primary key, v int);
    create table child (id int primary key, quiet int, foreign key (quiet) references quiet (id));
    create view seen as select id from quiet; ${trigger[dialect]}`;
};

const triggered = async (database: Parameters<typeof catalogReader>[0]): Promise<readonly string[]> =>
  (await introspect(catalogReader(database), {})).tables
    .filter((table) => table.triggers)
    .map(({ name }) => name);

describe.each(dialects)('tables with triggers on %s', (dialect) => {
  it('are marked; foreign keys and disabled triggers do not count', async () => {
    const place = await createTestDatabase(dialect, { sql: tables(dialect) });
    try {
      expect(await triggered(place.database)).toEqual(
        dialect === 'postgres' ? ['Loud', 'ruled', 'split'] : ['Loud'],
      );
    } finally {
      await place.drop();
    }
  });
});

describe.each(['mariadb', 'mysql'] as const)('a user of %s without the right to see triggers', (dialect) => {
  it('has every table marked, until it is granted', async () => {
    const place = await createTestDatabase(dialect, { sql: tables(dialect) });
    const root = await createConnection(inject('services')[dialect]);
    const url = new URL(place.url);
    const schema = url.pathname.slice(1);
    url.username = `u${schema.slice(-12)}`;
    url.password = 'Secret-0123456789';
    const user = `'${url.username}'@'%'`;
    try {
      await root.query(`create user ${user} identified by '${url.password}'`);
      await root.query(`grant select, insert on ${schema}.* to ${user}`);
      const limited = await openDatabase({ url: url.href });
      expect(await triggered(limited)).toEqual(['Loud', 'child', 'quiet']);
      await limited.close();
      await root.query(`grant trigger on ${schema}.* to ${user}`);
      const granted = await openDatabase({ url: url.href });
      expect(await triggered(granted)).toEqual(['Loud']);
      await granted.close();
    } finally {
      await root.query(`drop user if exists ${user}`);
      await root.end();
      await place.drop();
    }
  });
});
