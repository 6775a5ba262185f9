/** Values that only PostgreSQL parses are reported like others. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

const readByDatabase = `
create extension hstore;
create type "place" as (x integer, y integer);
create table "oddity" (id integer primary key, word varchar(9), address inet, span int4range, place "place", cost money,
  page xml, pairs hstore, numbers numeric(3,1)[], ratio real);
insert into "oddity" (id) values (1);
`;

describe('values that only PostgreSQL parses', () => {
  const server = useServer({ dialect: 'postgres', sql: readByDatabase });
  const change = (body: unknown) => server().request('PATCH', '/items/oddity/1', { as: 'admin', body });

  it.each([
    ['address', '1.2.3', 'FAILED_VALIDATION'],
    ['span', '[2,1)', 'FAILED_VALIDATION'],
    ['place', '(1)', 'FAILED_VALIDATION'],
    ['cost', 'dear', 'FAILED_VALIDATION'],
    ['page', '<p>', 'FAILED_VALIDATION'],
    ['pairs', 'a', 'FAILED_VALIDATION'],
    ['numbers', [1.5, 100], 'VALUE_OUT_OF_RANGE'],
    ['ratio', 1e39, 'VALUE_OUT_OF_RANGE'],
  ])('are rejected with their field: %s', async (field, value, code) => {
    const { status, errors } = await change({ word: 'x', [field]: value });
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ code, field }] });
  });

  it('are rejected with their field among several that it could be', async () => {
    const { errors } = await change({ address: '1.2.3', span: '[1,2)' });
    expect(errors).toMatchObject([{ code: 'FAILED_VALIDATION', field: 'address' }]);
  });
});

describe('a key that a table of postgres has twice, because another one inherits from it', () => {
  const server = useServer({
    dialect: 'postgres',
    sql: `create table animal (id int primary key, name text, notes json);
create table dog (primary key (id)) inherits (animal);
insert into animal values (1, 'one', '{"a":"}{\\""}'); insert into dog values (1, 'two', '{}');`,
  });
  const send = (method: string, path: string, body?: unknown) =>
    server().request(method, path, { as: 'admin', ...(body !== undefined && { body }) });

  it.each([
    ['GET', '/items/animal/1?fields=id,notes', undefined],
    ['PATCH', '/items/animal/1?fields=id,notes', { name: 'both' }],
    ['POST', '/graphql', { query: '{ animal_by_id(id: 1) { id notes } }' }],
  ])('is answered with one item: %s %s', async (method, path, body) => {
    const { status, text } = await send(method, path, body);
    expect(status).toBe(200);
    expect(() => void JSON.parse(text)).not.toThrow();
  });
});

describe('the year of a value of postgres before the year 1', () => {
  const server = useServer({
    dialect: 'postgres',
    sql: `create table era (id int primary key, day date, at timestamptz);
insert into era values (1, '0001-03-15 BC', '0001-03-15 BC'), (2, '0044-03-15 BC', '0044-03-15 BC'), (3, '2020-03-15', '2020-03-15'), (4, 'infinity', null);`,
  });
  const read = async (query: string) =>
    (await server().request('GET', `/items/era?sort=id&${query}`, { as: 'admin' })).data;

  it('is that of the value as it is shown', async () => {
    expect(await read('fields=day,year(day),year(at)')).toEqual([
      { day: '0000-03-15', day_year: 0, at_year: 0 },
      { day: '-0043-03-15', day_year: -43, at_year: -43 },
      { day: '2020-03-15', day_year: 2020, at_year: 2020 },
      { day: 'infinity', day_year: null, at_year: null },
    ]);
    expect(await read('fields=id&filter[year(day)][_eq]=-43')).toEqual([{ id: 2 }]);
    expect(await read('fields=id&filter[year(day)][_eq]=0')).toEqual([{ id: 1 }]);
  });
});
