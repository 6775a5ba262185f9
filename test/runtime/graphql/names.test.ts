/** Columns of names that mean something elsewhere: to the language this is written in. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { ask } from './library.js';

const inherited = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const;

describe.each(dialects)('names on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(
      dialect,
      `create table "order" (id {counter}, plain integer, ${inherited.map((name) => `"${name}" integer`).join()});
       insert into "order" (id, plain, "constructor") values (1, 1, 1), (2, 2, 2);`,
    ),
  });

  describe('that every object has', () => {
    it('are filtered in variables, and left out there', async () => {
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

    it('are names of variables that need not be given', async () => {
      const document =
        'query ($toString: Int, $valueOf: String) { order(limit: $toString, filter: { plain: { _eq: 1 } }, search: $valueOf) { plain } }';
      expect((await ask(server(), document)).body).toEqual({ data: { order: [{ plain: 1 }] } });
      const { body } = await ask(server(), document, { variables: { toString: 0 } });
      expect(body).toEqual({ data: { order: [] } });
    });
  });
});
