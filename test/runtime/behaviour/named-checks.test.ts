/** Checks of the database are reported with the fields that were written, however the check is named. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { TestServer } from '../server-harness.js';

/** The first unnamed check of each of the two tables has the same name on some databases. */
const sql = `
create table "part" (
  "id" integer primary key, "Unit Price" integer, "low" integer, "high" integer, "kind" varchar(9), "text" varchar(9),
  constraint "price: more than 0?" check ("Unit Price" > 0),
  constraint "in order" check ("low" <= "high"),
  constraint "known kind" check ("kind" in ('text', 'low', 'new'))
);
create table "one" ("id" integer primary key, "a" integer, "b" integer, check ("a" < 10));
create table "two" ("id" integer primary key, "a" integer, "b" integer, check ("b" < 10));
insert into "part" ("id") values (1);
`;

/** Returns the error of a check. */
const of = (field: string | null, invalid: unknown, what = `"${field}" does`) => {
  const message = `Validation failed: ${what} not pass a check of the database.`;
  return [{ code: 'FAILED_VALIDATION', field, invalid, message }];
};

const failureOf =
  (server: () => TestServer) =>
  async (method: string, path: string, body: unknown): Promise<unknown> => {
    const { errors, text } = await server().request(method, path, { as: 'admin', body });
    const [{ message } = {}] = (JSON.parse(text) as { errors: { message?: string }[] }).errors;
    return errors.map(({ code, field, invalid }) => ({ code, field, invalid, message }));
  };

// an error of SQLite has the name of the check alone
describe.each(['mariadb', 'mysql', 'postgres'] as const)('a named check on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlFor(dialect, sql) });
  const failure = failureOf(server);

  it('of one field names it, also where its name has to be quoted', async () => {
    expect(await failure('PATCH', '/items/part/1', { 'Unit Price': -1 })).toEqual(of('Unit Price', -1));
  });

  it('does not take texts of its condition for fields', async () => {
    expect(await failure('PATCH', '/items/part/1', { kind: 'old', text: 'x', low: 1 })).toEqual(
      of('kind', 'old'),
    );
  });

  it('of several fields names those that were written', async () => {
    const both = of(null, null, '"low" and "high" do');
    expect(await failure('POST', '/items/part', { id: 2, low: 2, high: 1 })).toEqual(both);
    await server().request('POST', '/items/part', { as: 'admin', body: { id: 3, low: 2, high: 3 } });
    expect(await failure('PATCH', '/items/part/3', { high: 1 })).toEqual(of('high', 1));
  });
});

describe.each(dialects)('a check on %s', (dialect) => {
  const failure = failureOf(useServer({ dialect, sql: sqlFor(dialect, sql) }));

  it('without a name is that of its own table', async () => {
    expect(await failure('POST', '/items/one', { id: 1, a: 10, b: 10 })).toEqual(of('a', 10));
    expect(await failure('POST', '/items/two', { id: 1, a: 10, b: 10 })).toEqual(of('b', 10));
  });
});

describe('a check of a domain of postgres', () => {
  const server = useServer({
    dialect: 'postgres',
    sql: `create domain address as text check (value like '%@%');
create table person (id int primary key, work address, "Home Address" address); insert into person (id) values (1);`,
  });
  const failures = async (body: unknown) =>
    server().request('PATCH', '/items/person/1', { as: 'admin', body });

  it('names the written field of this type', async () => {
    const { errors } = await failures({ work: 'here' });
    expect(errors).toMatchObject([{ type: 'check', field: 'work', pointer: '/work' }]);
    expect((await failures({ 'Home Address': 'there' })).errors).toMatchObject([{ field: 'Home Address' }]);
    const { text } = await failures({ work: 'here', 'Home Address': 'there' });
    expect(JSON.parse(text)).toMatchObject({
      errors: [{ message: expect.stringContaining('"work" and "Home Address" do not pass') as unknown }],
    });
  });
});
