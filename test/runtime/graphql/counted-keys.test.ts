/** Keys that PostgreSQL alone makes: `GENERATED ALWAYS AS IDENTITY`. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

describe('keys that only the database generates', () => {
  const server = useServer({
    dialect: 'postgres',
    sql: `create table numbered (id integer generated always as identity primary key, word varchar(20));
      create table bare (id integer generated always as identity primary key);
      insert into numbered (word) values ('one'), ('two');`,
  });
  const send = async (query: string) => {
    const { status, codes, body } = await server().request('POST', '/graphql', {
      as: 'admin',
      body: { query },
    });
    return status === 200 ? body : { status, codes };
  };

  it('are not part of the input of a create', async () => {
    const given = 'mutation { create_numbered_item(data: { id: 9, word: "nine" }) { id } }';
    expect(await send(given)).toEqual({ status: 400, codes: ['GRAPHQL_VALIDATION'] });
    expect(await send('mutation { create_numbered_item(data: { word: "three" }) { id } }')).toEqual({
      data: { create_numbered_item: { id: '3' } },
    });
  });

  it('identify items in a batch update', async () => {
    const query =
      'mutation { update_numbered_batch(data: [{ id: 2, word: "second" }, { id: 1, word: "first" }]) { id word } }';
    expect(await send(query)).toEqual({
      data: {
        update_numbered_batch: [
          { id: '1', word: 'first' },
          { id: '2', word: 'second' },
        ],
      },
    });
  });

  it('can be the only column', async () => {
    expect(await send('mutation { create_bare_items(data: [{}, { id: null }]) { id } }')).toEqual({
      data: { create_bare_items: [{ id: '1' }, { id: '2' }] },
    });
  });
});
