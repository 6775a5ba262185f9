/** Lists and JSON that a column does not take: told by name, however deep they are nested. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

const nest = (levels: number, open = '[', close = ']'): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

describe.each(dialects)('JSON of %s', (dialect) => {
  const server = useServer({ dialect, sql: 'create table item (id integer primary key, v json)' });

  it.each([101, 100_000])('of %i levels is taken or refused', async (levels) => {
    const body = { id: levels, v: nest(levels) };
    const { status, errors } = await server().request('POST', '/items/item', { as: 'admin', body });
    if (levels < 500 && status === 200) return;
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [{ code: 'FAILED_VALIDATION' }],
    });
  });
});
