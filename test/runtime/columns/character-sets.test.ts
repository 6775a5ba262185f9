/** Texts of MySQL and MariaDB whose character set lacks what is asked for: found nowhere, and never stored. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';

const columns = {
  latin: 'varchar(10) character set latin1',
  exact: 'varchar(10) character set latin1 collate latin1_bin',
  plain: 'varchar(10) character set ascii',
  short: 'varchar(10) character set utf8mb3',
  japanese: 'varchar(10) character set sjis',
  listed: "enum('Ann', 'Ben') character set latin1",
  several: "set('Ann', 'Ben') character set latin1",
};
const names = Object.keys(columns);
const of = (value: string): string => names.map(() => `'${value}'`).join(', ');

const sql = `
create table word (id int primary key, any_text varchar(10) character set utf8mb4, ${Object.entries(columns)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')}, index (latin)) character set utf8mb4;
insert into word values (1, 'Ann', ${of('Ann')}), (2, '😀', ${of('Ben')});
create table latin_key (id varchar(10) character set latin1 primary key, note varchar(10));
insert into latin_key values ('Ann', null), ('Zoë', null);
`;

describe.each(['mariadb', 'mysql'] as const)('texts outside a character set of %s', (dialect) => {
  const server = useServer({ dialect, sql });
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const options = { as: 'admin', ...(body !== undefined && { body }) };
    const { status, data, text } = await server().request(method, `/items/${path}`, options);
    return status === 200 ? data : `${status} ${text}`;
  };
  const find = async (query: unknown): Promise<unknown> => {
    const found = await send('SEARCH', 'word', { query: { sort: 'id', ...(query as object) } });
    return Array.isArray(found) ? found.map(({ id }: { id: number }) => id) : found;
  };

  it.each(names)('match no value of the column %s', async (name) => {
    for (const text of ['😀', 'Ann😀']) {
      expect(await find({ filter: { [name]: { _eq: text } } })).toEqual([]);
      expect(await find({ filter: { [name]: { _neq: text } } })).toEqual([1, 2]);
    }
    if (name === 'several') return;
    expect(await find({ filter: { [name]: { _in: [name === 'exact' ? 'Ann' : 'ANN', '😀'] } } })).toEqual([
      1,
    ]);
    expect(await find({ filter: { [name]: { _nin: ['Ben', '😀'] } } })).toEqual([1]);
    expect(await find({ filter: { [name]: { _contains: '😀' } } })).toEqual([]);
    expect(await find({ filter: { [name]: { _istarts_with: '😀' } } })).toEqual([]);
  });

  it('are searched in the other columns', async () => {
    expect(await find({ search: '😀' })).toEqual([2]);
    const query = '{ word(search: "😀") { id } }';
    const { data } = await server().request('POST', '/graphql', { as: 'admin', body: { query } });
    expect(data).toEqual({ word: [{ id: '2' }] });
  });

  it.each(['latin', 'plain', 'short', 'japanese'])('are rejected by the column %s', async (name) => {
    expect(await send('POST', 'word', { id: 9, [name]: '😀' })).toMatch(/^400 .*FAILED_VALIDATION/);
    expect(await send('PATCH', 'word/1', { [name]: '😀' })).toMatch(/^400 .*FAILED_VALIDATION/);
  });

  it('do not identify an item', async () => {
    expect(await send('GET', 'latin_key/😀')).toMatch(/^403/);
    expect(await send('PATCH', 'latin_key/😀', { note: 'a' })).toMatch(/^403/);
    expect(await send('DELETE', 'latin_key', ['Ann', '😀'])).toMatch(/^403/);
    expect(await send('GET', 'latin_key/Zoë')).toEqual({ id: 'Zoë', note: null });
  });
});
