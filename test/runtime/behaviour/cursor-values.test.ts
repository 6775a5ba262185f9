/** Pages by cursor over values that clients cannot send, or that answers do not tell apart. */
import { describe, expect, it } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

type Columns = Readonly<Record<string, readonly [type: string, ...values: string[]]>>;

const mysqlColumns: Columns = {
  flag: ['tinyint(1)', '5', '0', '2', '1', '2', '-1'],
  day: ['date', "'2024-01-01'", "'0000-00-00'", "'2024-00-00'", "'0000-00-00'", "'2024-01-02'", 'null'],
  clock: ['time(2)', "'10:00:00'", "'25:00:00'", "'-01:00:00'", "'838:59:59'", "'25:00:00'", 'null'],
  moment: [
    'datetime',
    "'2024-01-01 10:00:00'",
    "'0000-00-00 00:00:00'",
    "'2024-01-00 00:00:00'",
    "'0000-00-00 00:00:00'",
    "'2024-01-01 10:00:00'",
    'null',
  ],
  word: ['varchar(9)', "'b'", "'a\\0b'", "'a\\0b'", "'a'", "'c'", 'null'],
};

const columns: Readonly<Record<TestDialect, Columns>> = {
  mariadb: mysqlColumns,
  mysql: mysqlColumns,
  postgres: {
    day: ['date', "'infinity'", "'-infinity'", "'0044-03-15 BC'", "'0044-03-14 BC'", "'12024-01-01'", 'null'],
    clock: ['time', "'24:00:00'", "'10:00:00'", "'24:00:00'", "'23:59:59'", "'00:00:00'", 'null'],
    moment: [
      'timestamptz',
      "'infinity'",
      "'2024-01-01 10:00:00Z'",
      "'infinity'",
      "'-infinity'",
      "'0044-03-15 10:00:00Z BC'",
      'null',
    ],
    ratio: ['real', "'NaN'", '0.1', "'Infinity'", "'-Infinity'", "'NaN'", 'null'],
    amount: ['numeric', "'NaN'", '0.1', "'Infinity'", "'-Infinity'", "'NaN'", 'null'],
    flag: ['boolean', 'true', 'false', 'true', 'false', 'null', 'true'],
  },
  sqlite: {
    flag: ['boolean', '5', '0', '2', "'true'", '1', 'null'],
    size: ['int', '1', '1.5', "'many'", '2', '1.5', 'null'],
    day: ['date', "'2024-01-01'", "'2024-01-01 10:00'", '1700000000', "'2024'", "'2024-01-02'", 'null'],
    clock: ['time', "'10:00:00'", "'10:00'", '3600', "'25:00:00'", "'10:00:00'", 'null'],
    moment: [
      'datetime',
      "'2024-01-01T10:00:00Z'",
      "'2024-01-01T10:00:00.000Z'",
      "'2024-01-01 10:00:00'",
      '1700000000',
      "'2024-01-01T10:00:00'",
      "'2024-01-01 10:00:00.5'",
    ],
    code: [
      'uuid',
      "'B23E4567-E89B-12D3-A456-426614174000'",
      "'a23e4567-e89b-12d3-a456-426614174000'",
      "'A23E4567-E89B-12D3-A456-426614174000'",
      "'odd'",
      "'b23e4567-e89b-12d3-a456-426614174000'",
      'null',
    ],
    ratio: ['double', '9e999', '-9e999', '0.1', '9e999', "'text'", 'null'],
  },
};

const schemaOf = (dialect: TestDialect): string => {
  const all = Object.entries(columns[dialect]);
  const rows = Array.from({ length: 6 }, (_, index) => [index, ...all.map(([, row]) => row[index + 1])]);
  const lenient = dialect === 'mariadb' || dialect === 'mysql' ? "set sql_mode = '';" : '';
  return `${lenient} create table mixed (id int primary key, ${all.map(([name, [type]]) => `${name} ${type}`).join(', ')});
insert into mixed values ${rows.map((row) => `(${row.join(', ')})`).join(', ')};`;
};

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly meta?: { readonly cursor: string | null };
}

describe.each(dialects)('cursors over values of other programs on %s', (dialect) => {
  const server = useServer({ dialect, sql: schemaOf(dialect) });
  const read = async (query: string): Promise<Page> => {
    const path = `/items/mixed?fields=id&${query}`;
    const { status, body } = await server().request('GET', path, { as: 'admin' });
    expect([path, status]).toEqual([path, 200]);
    return body as Page;
  };
  const sorts = Object.keys(columns[dialect]).flatMap((name) => [name, `-${name}`]);

  it.each(sorts)('pages of sort=%s are the whole list', async (sort) => {
    const found: number[] = [];
    let cursor: string | null = null;
    do {
      const after = cursor === null ? '' : `&after=${cursor}`;
      const page: Page = await read(`sort=${sort}&limit=1&meta=cursor${after}`);
      found.push(...page.data.map(({ id }) => id));
      cursor = page.meta?.cursor ?? null;
    } while (cursor !== null && found.length < 20);
    expect(found).toEqual((await read(`sort=${sort}`)).data.map(({ id }) => id));
  });
});
