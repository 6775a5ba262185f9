/** Values that the database itself refuses for more than their type: 400, and its own words stay here. */
import { describe, expect, it } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

const mysqlTables = `
create table part (id int primary key) partition by range (id) (partition low values less than (10));
create table ratio (id int primary key, a int, g int as (10 / a) stored);
create table inner_json (id int primary key, j text, g varchar(20) as (json_extract(j, '$.a')) stored);
`;

const tables: Readonly<Record<TestDialect, string>> = {
  mysql: mysqlTables,
  mariadb: mysqlTables,
  sqlite: `
create table inner_json (id int primary key, j text, g text as (json_extract(j, '$.a')) stored);
`,
  postgres: `
create table part (id int primary key) partition by range (id);
create table part_low partition of part for values from (0) to (10);
create table ratio (id int primary key, a int, g int generated always as (10 / a) stored);
create table inner_json (id int primary key, j text, g json generated always as ((j::json) -> 'a') stored);
create table long (id int primary key, t text unique);
create table odd (id int primary key, vector tsvector, query tsquery, path jsonpath, class regclass, kind regtype, routine regproc, space regnamespace);
insert into odd (id) values (1);
`,
};

/** Too varied to be packed. */
const longText = Array.from({ length: 5_000 }, (_, index) => Math.sin(index).toString(36)).join('');

const cases = [
  ['part', { id: 100 }, 'FAILED_VALIDATION'],
  ['ratio', { id: 1, a: 0 }, 'FAILED_VALIDATION'],
  ['inner_json', { id: 1, j: 'no json' }, 'FAILED_VALIDATION'],
  ['inner_json', { id: 1, j: '{"a":' }, 'FAILED_VALIDATION'],
  ['long', { id: 1, t: longText }, 'VALUE_TOO_LONG'],
] as const;

describe.each(dialects)('values that %s cannot store', (dialect) => {
  const server = useServer({ dialect, sql: tables[dialect] });
  const known = cases.filter(([table]) => tables[dialect].includes(`create table ${table} `));

  it.each(known)('are rejected with 400 in %s', async (table, body, code) => {
    const { status, codes } = await server().request('POST', `/items/${table}`, { as: 'admin', body });
    expect({ status, codes }).toEqual({ status: 400, codes: [code] });
    const update = `mutation { create_${table}_items(data: [${JSON.stringify(body).replaceAll(/"(\w+)":/g, '$1:')}]) { id } }`;
    const answer = await server().request('POST', '/graphql', { as: 'admin', body: { query: update } });
    expect(answer.codes).toEqual([code]);
  });
});

describe('texts that columns of postgres cannot read', () => {
  const server = useServer({ dialect: 'postgres', sql: tables.postgres });

  it.each([
    ['vector', "'"],
    ['query', 'a b'],
    ['path', 'abc'],
    ['class', 'nope'],
    ['kind', 'nope'],
    ['routine', 'nope'],
    ['space', 'nope'],
  ])('are rejected with 400 in %s: %s', async (field, value) => {
    const { status, codes } = await server().request('PATCH', '/items/odd/1', {
      as: 'admin',
      body: { [field]: value },
    });
    expect({ status, codes }).toEqual({ status: 400, codes: ['FAILED_VALIDATION'] });
  });
});
