/** Lists of callers who may not read the key: ties have a stable order, which tells nothing about the key. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestAccess } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const sql = `
create table mark (id integer primary key, word varchar(20), data text, note varchar(20));
insert into mark (id, word, data, note) values
  (1, 'a', '{}', 'z'), (2, 'b', '{}', 'b'), (3, 'a', '{}', 'y'), (4, 'b', '{}', 'a'), (5, 'a', '{}', 'x');
`;

const meta = { fields: { mark: { data: { special: ['cast-json'] } } } };

const access: TestAccess = {
  policies: { Words: [{ collection: 'mark', action: 'read', fields: ['word', 'data', 'note'] }] },
  users: { words: { policies: ['Words'] } },
};

const sorted = ['a x', 'a y', 'a z', 'b a', 'b b'];

describe.each(settings)('a hidden key on $dialect', (setting) => {
  const server = useServer({ ...setting, sql, meta, access });

  const read = async (query: string): Promise<readonly string[]> => {
    const { data } = await server().request('GET', `/items/mark?fields=word,note&${query}`, { as: 'words' });
    return (data as { word: string; note: string }[]).map(({ word, note }) => `${word} ${note}`);
  };

  it.each(['', 'sort=word', 'sort=word,note'])(
    'leaves the order of ties to the readable fields: "%s"',
    async (sort) => {
      expect(await read(sort)).toEqual(sorted);
    },
  );

  it('shows every row on one page', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => read(`sort=word&limit=2&page=${page}`)));
    expect(pages.flat()).toEqual(sorted);
  });
});
