/** Constraints that are checked at commit are reported like those that each statement checks. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

const sql = {
  postgres: `create table parent (id int primary key);
    create table child (id int primary key, up int references parent (id) deferrable initially deferred,
      n int unique deferrable initially deferred, m int);`,
  sqlite: `create table parent (id integer primary key);
    create table child (id integer primary key, up int references parent (id) deferrable initially deferred,
      n int unique, m int);`,
};

describe.each(['postgres', 'sqlite'] as const)('on %s', (dialect) => {
  const server = useServer({ dialect, sql: sql[dialect], access: {} });
  const send = (method: string, path: string, body: unknown) =>
    server().request(method, path, { as: 'admin', body });

  it('a relation to nothing is refused, and nothing is stored', async () => {
    const response = await send('POST', '/items/child', { id: 5, up: 9 });
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      errors: [{ extensions: { code: 'INVALID_FOREIGN_KEY', collection: 'child', field: 'up' } }],
    });
    const stored = await server().request('GET', '/items/child?filter[id]=5', { as: 'admin' });
    expect(stored.body).toEqual({ data: [] });
  });

  it('two equal values are refused, and an upsert finds the row that has the value', async () => {
    const response = await send('POST', '/items/child', [
      { id: 1, n: 7 },
      { id: 2, n: 7 },
    ]);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      errors: [{ extensions: { code: 'RECORD_NOT_UNIQUE', collection: 'child' } }],
    });
    await send('POST', '/items/child', { id: 1, n: 7 });
    const merged = await send('POST', '/items/child?on_conflict=update&conflict=n', { id: 1, n: 7, m: 3 });
    expect(merged.body).toMatchObject({ data: { id: 1, m: 3 } });
  });
});
