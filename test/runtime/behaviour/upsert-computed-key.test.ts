/** `on_conflict` with keys that the database always counts itself. */
import { expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

const server = useServer({
  dialect: 'postgres',
  sql: `create table note (id integer generated always as identity primary key, body varchar(20));
insert into note (body) values ('first');`,
});
const post = async (payload: unknown) => {
  const path = '/items/note?on_conflict=update&fields=id,body';
  const { status, body, text } = await server().request('POST', path, { as: 'admin', body: payload });
  const { data, meta } = body as { data?: unknown; meta?: { outcomes: unknown } };
  return { status, data, outcomes: meta?.outcomes, text };
};

it('changes the row of a key that no new row may have', async () => {
  expect(await post([{ id: 1, body: 'changed' }, { body: 'new' }])).toMatchObject({
    status: 200,
    data: [
      { id: 1, body: 'changed' },
      { id: 2, body: 'new' },
    ],
    outcomes: ['updated', 'created'],
  });
});

it('refuses a new row that has such a key, and explains why', async () => {
  expect(await post([{ id: 77, body: 'x' }])).toMatchObject({
    status: 400,
    text: expect.stringContaining('is computed by the database and cannot be written'),
  });
});
