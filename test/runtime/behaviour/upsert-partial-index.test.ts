/** `on_conflict` with an index that is unique for some rows only, so that several rows may have the same values. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

describe.each(['postgres', 'sqlite'] as const)(
  'an index that is unique for some rows only on %s',
  (dialect) => {
    const server = useServer({
      dialect,
      sql: `create table seat (id integer primary key, code varchar(9), taken integer not null, label varchar(9));
create unique index seat_taken on seat (code) where taken = 1;
insert into seat values (1, 'a', 0, 'one'), (2, 'a', 0, 'two'), (3, 'b', 1, 'three');`,
    });
    const request = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { as: 'admin', ...(body !== undefined && { body }) });

    it.each(['code', 'seat_taken'])('does not find the item to change: conflict=%s', async (conflict) => {
      const item = { code: 'a', taken: 0, label: 'new' };
      const { status, text } = await request(
        'POST',
        `/items/seat?on_conflict=update&conflict=${conflict}`,
        item,
      );
      expect({ status, text }).toEqual({
        status: 400,
        text: expect.stringContaining(
          'takes the fields of a unique constraint of \\"seat\\", or its name: \\"id\\"',
        ),
      });
      const { body } = await request('GET', '/items/seat?fields=label&sort=id');
      expect(body).toEqual({ data: [{ label: 'one' }, { label: 'two' }, { label: 'three' }] });
    });

    it('names its field where it refuses a value', async () => {
      const { status, body } = await request('POST', '/items/seat', { id: 9, code: 'b', taken: 1 });
      expect([status, body]).toMatchObject([
        400,
        { errors: [{ extensions: { code: 'RECORD_NOT_UNIQUE', field: 'code' } }] },
      ]);
    });

    it('lets items change that it does not hold for, in one request', async () => {
      const { status } = await request('PATCH', '/items/seat', [
        { id: 1, code: 'b' },
        { id: 2, code: 'c' },
      ]);
      expect(status).toBe(200);
      const { body } = await request('GET', '/items/seat?fields=code&sort=id');
      expect(body).toEqual({ data: [{ code: 'b' }, { code: 'c' }, { code: 'b' }] });
    });
  },
);
