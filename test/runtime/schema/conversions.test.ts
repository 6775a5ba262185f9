/** Trials of conversions on MySQL and MariaDB: values that a type does not take are told from other errors. */
import { afterEach, describe, expect, it } from 'vitest';
import { mysqlSchemaPrinter } from '../../../runtime/databases/mysql/schema-ddl.js';
import { isConverted } from '../../../runtime/schema/findings/type-changes.js';
import { countInconvertible } from '../../../runtime/databases/mysql/schema-conversions.js';
import type { ColumnShape } from '../../../runtime/schema/shapes.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';

const open: TestDatabase[] = [];

afterEach(async () => {
  for (const each of open.splice(0)) await each.drop();
});

const column = (dataType: string, sizes: Partial<ColumnShape> = {}): ColumnShape => ({
  name: 'v',
  dataType,
  length: null,
  precision: null,
  scale: null,
  fraction: null,
  values: null,
  nullable: true,
  default: null,
  generated: null,
  autoIncrement: null,
  onUpdate: false,
  collation: null,
  comment: null,
  ...sizes,
});

const create = async (dialect: 'mysql' | 'mariadb', type: string, value: string): Promise<TestDatabase> => {
  const made = await createTestDatabase(dialect, {
    sql: `create table t (id int primary key, v ${type}); insert into t values (1, ${value});`,
  });
  open.push(made);
  return made;
};

const texts: readonly ColumnShape[] = [
  ...['int', 'bigint', 'double', 'float', 'boolean', 'year', 'json'].map((type) => column(type)),
  ...['date', 'datetime', 'timestamp', 'time', 'point', 'geometry'].map((type) => column(type)),
  column('decimal', { precision: 5, scale: 2 }),
  column('enum', { values: ['a', 'b'] }),
  column('set', { values: ['a', 'b'] }),
  column('varchar', { length: 2 }),
  column('varbinary', { length: 2 }),
  column('bit', { precision: 4 }),
];

const own: Readonly<Record<'mysql' | 'mariadb', readonly ColumnShape[]>> = {
  mysql: [column('vector', { length: 2 })],
  mariadb: ['uuid', 'inet4', 'inet6'].map((type) => column(type)),
};

describe.each(['mysql', 'mariadb'] as const)('on %s', (dialect) => {
  it('a text that a type does not take is a value that cannot be converted', async () => {
    const { database } = await create(dialect, 'varchar(40)', "'neither nor'");
    const counted: unknown[] = [];
    for (const wanted of [...texts, ...own[dialect]]) {
      const rows = await database
        .transaction((executor) =>
          countInconvertible(
            { table: 't', column: 'v', old: column('varchar', { length: 40 }), wanted },
            executor,
          ),
        )
        .catch((error: { errno?: number }) => error.errno);
      counted.push([wanted.dataType, rows]);
    }
    expect(counted).toEqual([...texts, ...own[dialect]].map(({ dataType }) => [dataType, 1]));
  });

  it('a table that stays locked is an error, not a problem of its values', async () => {
    const { database } = await create(dialect, 'varchar(40)', "'12'");
    const wanted = column('int');
    const failure = await database.transaction(async (holder) => {
      await holder.query('lock tables t write');
      const trial = await database
        .transaction(async (executor) => {
          await executor.query('set lock_wait_timeout = 1');
          return countInconvertible({ table: 't', column: 'v', old: column('varchar'), wanted }, executor);
        })
        .catch((error: unknown) => error);
      await holder.query('unlock tables');
      return trial;
    });
    expect(failure).toMatchObject({ errno: 1205 });
  });
});

it('on mysql, bytes are no text of JSON', async () => {
  const { database } = await create('mysql', 'blob', "'{}'");
  const values = { table: 't', column: 'v', old: column('blob'), wanted: column('json') };
  expect(await database.transaction((executor) => countInconvertible(values, executor))).toBe(1);
});

it.each([
  ['varchar', false],
  ['longtext', false],
  ['enum', false],
  ['json', true],
  ['int', true],
  ['date', true],
])('labels of an enum are converted to %s: %s', (type, want) => {
  const values = type === 'enum' ? ['a', 'b'] : null;
  expect(isConverted(column('enum', { values: ['a'] }), column(type, { values }), mysqlSchemaPrinter)).toBe(
    want,
  );
});
