/** Columns of names that mean something elsewhere: to lists of names, and to the language this is written in. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { ask } from './library.js';

const inherited = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const;

/** MySQL and MariaDB take no blank at the end of a name. */
const lastName = { sqlite: 'trail ', postgres: 'trail ', mariadb: 'trail', mysql: 'trail' } as const;

describe.each(dialects)('names on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(
      dialect,
      `create table odd (id {counter}, "a,b" integer, " lead" integer, "${lastName[dialect]}" integer,
         constraint odd_lead unique (" lead"));
       insert into odd (id, "a,b", " lead", "${lastName[dialect]}") values (1, 2, 5, 7), (2, 1, 6, 9), (3, 3, 4, 8);
       create table "order" (id {counter}, plain integer, ${inherited.map((name) => `"${name}" integer`).join()});
       insert into "order" (id, plain, "constructor") values (1, 1, 1), (2, 2, 2);`,
    ),
  });

  it.each([
    ['a_u2c_b', ['2', '1', '3']],
    ['-a_u2c_b', ['3', '1', '2']],
    ['_lead', ['3', '1', '2']],
    [lastName[dialect].replace(' ', '_'), ['1', '3', '2']],
  ])('sort by %s', async (name, ids) => {
    const { data } = await ask(server(), 'query ($s: [String]) { odd(sort: $s) { id } }', {
      variables: { s: [name] },
    });
    expect(data).toEqual({ odd: ids.map((id) => ({ id })) });
  });

  it('errors of writes and the fields of a conflict have the names of the schema', async () => {
    const { body } = await ask(
      server(),
      'mutation { create_odd_items(data: [{ _lead: 50 }, { _lead: 6 }]) { id } }',
    );
    expect(body).toMatchObject({
      errors: [
        {
          message: expect.stringContaining('"_lead" of "odd"') as string,
          extensions: { code: 'RECORD_NOT_UNIQUE', field: ' lead', pointer: '/1/_lead' },
        },
      ],
    });
    const upsert =
      'mutation { upsert_odd_items(data: { _lead: 5, a_u2c_b: 2 }, conflict: ["_lead"]) { id } }';
    expect((await ask(server(), upsert)).body).toEqual({
      data: { upsert_odd_items: [{ id: '1' }] },
      extensions: { meta: { upsert_odd_items: { outcomes: ['updated'] } } },
    });
  });

  describe('of members of Object', () => {
    it('are filtered in variables and can be omitted there', async () => {
      const document = 'query ($f: order_filter) { order(filter: $f, sort: ["id"]) { id constructor } }';
      const find = async (f: object) => (await ask(server(), document, { variables: { f } })).body;
      expect(await find({ _or: [{ plain: { _eq: 2 } }, { plain: { _null: true } }] })).toEqual({
        data: { order: [{ id: '2', constructor: 2 }] },
      });
      expect(await find({ constructor: { _eq: 1 } })).toEqual({
        data: { order: [{ id: '1', constructor: 1 }] },
      });
    });

    it('are written by variables', async () => {
      const document =
        'mutation ($d: [create_order_input!]!) { create_order_items(data: $d) { plain constructor valueOf } }';
      const { body } = await ask(server(), document, {
        variables: { d: [{ plain: 3 }, { plain: 4, valueOf: 5 }] },
      });
      expect(body).toEqual({
        data: {
          create_order_items: [
            { plain: 3, constructor: null, valueOf: null },
            { plain: 4, constructor: null, valueOf: 5 },
          ],
        },
      });
    });

    it('are names of optional variables', async () => {
      const document =
        'query ($toString: Int, $valueOf: String) { order(limit: $toString, filter: { plain: { _eq: 1 } }, search: $valueOf) { plain } }';
      expect((await ask(server(), document)).body).toEqual({ data: { order: [{ plain: 1 }] } });
      const { body } = await ask(server(), document, { variables: { toString: 0 } });
      expect(body).toEqual({ data: { order: [] } });
    });
  });
});
