/** Writes of many items by their keys, where some of the keys have no item: the error has the place of a key in the body. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess } from '../server-harness.js';

const sql = `
  create table book (id int primary key, title varchar(20));
  insert into book values (1, 'a'), (2, 'b');
  create table page (book int not null, place varchar(9) not null, primary key (book, place));
  insert into page values (1, 'x');`;

const access: TestAccess = {
  policies: {
    Keepers: [
      { collection: 'book', action: 'read' },
      { collection: 'book', action: 'delete', permissions: { title: { _eq: 'a' } } },
    ],
  },
  users: { keeper: { policies: ['Keepers'] } },
};

describe.each(dialectsOf(import.meta.url))('keys of writes on %s', (dialect) => {
  const server = useServer({ dialect, sql, access });
  const placesOf = async (method: string, path: string, body: unknown, as = 'admin') => {
    const { errors } = await server().request(method, `/items/${path}`, { as, body });
    return errors.map(({ code, index, pointer }) => [code, index, pointer]);
  };

  it('the first one without an item is named', async () => {
    const keys = [1, 1, 999, 2, 998];
    const place = ['FORBIDDEN', 2, '/keys/2'];
    expect(await placesOf('PATCH', 'book', { keys, data: { title: 'x' } })).toEqual([place]);
    expect(await placesOf('DELETE', 'book', { keys })).toEqual([place]);
    expect(await placesOf('DELETE', 'book', keys)).toEqual([['FORBIDDEN', 2, '/2']]);
    expect(await placesOf('DELETE', 'page', ['1,x', '1,y'])).toEqual([['FORBIDDEN', 1, '/1']]);
    expect((await server().request('GET', '/items/book?fields=title', { as: 'admin' })).data).toEqual([
      { title: 'a' },
      { title: 'b' },
    ]);
  });

  it('the first one of an item that the caller may not write is named alike', async () => {
    expect(await placesOf('DELETE', 'book', [1, 2], 'keeper')).toEqual([['FORBIDDEN', 1, '/1']]);
  });

  it('each one that is no key is named', async () => {
    expect(await placesOf('DELETE', 'book', [1, 'x', 999, 'y'])).toEqual([
      ['FORBIDDEN', 1, '/1'],
      ['FORBIDDEN', 3, '/3'],
    ]);
  });
});
