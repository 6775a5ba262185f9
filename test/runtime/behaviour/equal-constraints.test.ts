/** Two unique constraints of the same fields, of which databases report one. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

describe.each(dialects)('unique constraints of the same field on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: `create table seat (id integer primary key, code varchar(9));
create unique index seat_b on seat (code);
create unique index seat_a on seat (code);
insert into seat values (1, 'a');`,
  });
  const post = (query: string, payload: unknown) =>
    server().request('POST', `/items/seat${query}`, { as: 'admin', body: payload });

  it('name their field where they refuse a value', async () => {
    const { status, body } = await post('', { id: 2, code: 'a' });
    expect([status, body]).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'RECORD_NOT_UNIQUE', field: 'code', pointer: '/code' } }] },
    ]);
  });

  it('are one choice of "conflict", under either name', async () => {
    for (const conflict of ['seat_a', 'seat_b', 'code']) {
      const { body } = await post(`?on_conflict=ignore&conflict=${conflict}`, { id: 2, code: 'a' });
      expect(body).toMatchObject({ meta: { outcomes: ['ignored'] } });
    }
    const { status, text } = await post('?on_conflict=ignore&conflict=other', { id: 2, code: 'a' });
    expect(status).toBe(400);
    expect(text).toContain(String.raw`or its name: \"id\", \"code\"`);
  });
});
