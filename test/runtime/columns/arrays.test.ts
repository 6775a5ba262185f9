/** Lists and JSON that a column does not take: told by name, however deep they are nested. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

const nest = (levels: number, open = '[', close = ']'): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

describe('arrays of PostgreSQL', () => {
  const sql = `
    create domain posint as integer check (value > 0);
    create table list (id integer primary key, bytes bytea[], numbers posint[], sizes smallint[], texts text[],
      objects jsonb[], moments timestamptz(3)[], letters char(3)[]);
    insert into list (id) values (1);
  `;
  const server = useServer({ dialect: 'postgres', sql });
  const change = (body: unknown) => server().request('PATCH', '/items/list/1', { as: 'admin', body });

  it.each([
    ['bytes', [String.raw`\x00`], 'a list whose elements are each base64'],
    ['bytes', { a: 1 }, 'a list'],
    ['numbers', [1, 'x'], 'a list whose elements are each a whole number'],
    ['moments', [['soon']], 'a list whose elements are each a timestamp, YYYY-MM-DDTHH:MM:SSZ'],
    ['numbers', nest(7), 'lists that are nested no deeper than 6 levels'],
    ['numbers', nest(100_000), 'JSON that is nested no deeper than 500 levels'],
    ['objects', nest(100_000), 'JSON that is nested no deeper than 500 levels'],
    ['texts', `[${nest(100_000, '{"a":', '}')}]`, 'JSON that is nested no deeper than 500 levels'],
  ])('invalid values of %s are rejected with the field (%#)', async (field, value, expected) => {
    expect(await change({ [field]: value })).toMatchObject({
      status: 400,
      errors: [{ code: 'FAILED_VALIDATION', field, expected }],
    });
  });

  it('numbers out of range are rejected with the field', async () => {
    expect(await change({ sizes: [32_768] })).toMatchObject({
      status: 400,
      errors: [{ code: 'VALUE_OUT_OF_RANGE', field: 'sizes' }],
    });
  });

  it('stores bytes as bytes and truncates times to the precision of the type', async () => {
    const sent = { bytes: '["AAH/"]', moments: ['2024-02-29T14:34:56.9999+02:00'], letters: ['a'] };
    expect(await change(sent)).toMatchObject({
      data: { bytes: ['AAH/'], moments: ['2024-02-29T12:34:56.999Z'], letters: ['a'] },
    });
    const stored = await server().database.query(
      'select bytes::text, moments::text, letters::text from list',
      [],
    );
    expect(stored).toEqual([
      { bytes: String.raw`{"\\x0001ff"}`, moments: '{"2024-02-29 12:34:56.999+00"}', letters: '{"a  "}' },
    ]);
  });
});

describe.each(dialects)('JSON of %s', (dialect) => {
  const server = useServer({ dialect, sql: 'create table item (id integer primary key, v json)' });

  it.each([101, 100_000])('of %i levels is accepted or rejected', async (levels) => {
    const body = { id: levels, v: nest(levels) };
    const { status, errors } = await server().request('POST', '/items/item', { as: 'admin', body });
    if (levels < 500 && status === 200) return;
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [{ code: 'FAILED_VALIDATION' }],
    });
  });
});
