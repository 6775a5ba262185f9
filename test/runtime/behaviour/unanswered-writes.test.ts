/** Writes whose answer cannot be read: what fails is not stored, so that a client may send it again. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dialects, type TestDialect } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';

const tables = `
create table "shelf" ("id" {counter}, "name" varchar(20), "place" varchar(20));
create table "jar" (
  "id" {counter}, "label" varchar(20), "content" varchar(20), "shelf" integer,
  foreign key ("shelf") references "shelf" ("id")
);
`;
const rows = `
delete from "jar"; delete from "shelf";
insert into "shelf" ("id", "name") values (1, 'first');
insert into "jar" ("id", "label", "shelf") values (1, 'one', 1), (2, 'two', 1);
`;
const meta = {
  relations: [{ many_collection: 'jar', many_field: 'shelf', one_collection: 'shelf', one_field: 'jars' }],
};

/** Databases that store one row by a statement that cannot give it back. */
const storing: Readonly<Record<'create' | 'update', readonly TestDialect[]>> = {
  create: ['mysql'],
  update: ['mysql', 'mariadb'],
};

describe.each(dialects)('writes whose response fails on %s', (dialect) => {
  // otherwise failed requests run again on the changed schema
  const server = useServer({ dialect, sql: sqlFor(dialect, tables), meta, followsSchema: false });
  const send = (method: string, path: string, body?: unknown) =>
    server().request(method, path, { as: 'admin', ...(body !== undefined && { body }) });
  const stored = async (): Promise<unknown> => [
    (await send('GET', '/items/jar?fields=id,label,shelf&sort=id')).data,
    (await send('GET', '/items/shelf?fields=id,name&sort=id')).data,
  ];

  const loggedFailures = (): number =>
    server().observations.filter(({ kind }) => kind === 'answerFailed').length;

  beforeEach(() => server().execute(sqlFor(dialect, rows)));

  const cases = [
    ['one item', 'POST', '/items/jar', { label: 'new' }, 'create'],
    [
      'one item with its relations',
      'POST',
      '/items/jar?fields=*,shelf.*',
      { label: 'new', shelf: 1 },
      'create',
    ],
    ['several items', 'POST', '/items/jar', [{ label: 'new' }, { label: 'newer' }], null],
    [
      'an item and its list',
      'POST',
      '/items/shelf?fields=id,jars.*',
      { name: 'new', jars: [{ label: 'a' }] },
      null,
    ],
    ['a change', 'PATCH', '/items/jar/1', { label: 'changed' }, 'update'],
    ['a change of several', 'PATCH', '/items/jar', { keys: [1, 2], data: { label: 'changed' } }, null],
    [
      'changes',
      'PATCH',
      '/items/jar',
      [
        { id: 1, label: 'a' },
        { id: 2, label: 'b' },
      ],
      null,
    ],
    ['a change of a list', 'PATCH', '/items/shelf/1?fields=jars.*', { jars: [1, { label: 'new' }] }, null],
  ] as const;

  it.each(cases)('%s succeeds while the schema is unchanged', async (_, method, path, body) => {
    const { status } = await send(method, path, body);
    expect(status).toBe(200);
  });

  describe('after a column was renamed', () => {
    beforeAll(() =>
      server().execute(sqlFor(dialect, 'alter table "jar" rename column "content" to "matter"')),
    );
    afterAll(() =>
      server().execute(sqlFor(dialect, 'alter table "jar" rename column "matter" to "content"')),
    );

    it.each(cases)(
      '%s is not stored if it fails, or else is logged',
      async (_, method, path, body, alone) => {
        const before = JSON.stringify(await stored());
        const logged = loggedFailures();
        const { status } = await send(method, path, body);
        const isStored = JSON.stringify(await stored()) !== before;
        const isExpected = alone !== null && storing[alone].includes(dialect);
        expect({ status, isStored, logged: loggedFailures() - logged }).toEqual({
          status: isExpected ? 204 : 500,
          isStored: isExpected,
          logged: isExpected ? 1 : 0,
        });
      },
    );

    it('a mutation whose stored item cannot be read returns null, without an error', async () => {
      const before = JSON.stringify(await stored());
      const query = 'mutation { create_jar_item(data: { label: "new" }) { label content } }';
      const { data, codes } = await send('POST', '/graphql', { query });
      const isStored = JSON.stringify(await stored()) !== before;
      const isExpected = storing.create.includes(dialect);
      expect({ data, codes, isStored }).toEqual({
        data: { create_jar_item: null },
        codes: isExpected ? [] : ['INTERNAL_SERVER_ERROR'],
        isStored: isExpected,
      });
    });
  });
});
