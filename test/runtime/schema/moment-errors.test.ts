/** Errors of a statement at the moment when its table changes: tried again, or known as such, so that the request is. */
import { describe, expect, it } from 'vitest';
import { tinyScript } from './edits.js';
import { usePlaces } from './places.js';

const create = usePlaces();

describe('on postgres', () => {
  it('a prepared statement whose plan would return other columns (0A000) is prepared again, in a transaction as a whole', async () => {
    const place = await create('postgres', tinyScript('postgres'));
    const { database } = place;
    const read = () => database.query('select depth from shelves where id = ?', [1]);
    const [before] = await read();
    await Promise.all(Array.from({ length: 20 }, read));
    await place.execute('alter table shelves alter depth type bigint');
    for (const rows of await Promise.all(Array.from({ length: 20 }, read)))
      expect(rows.map(({ depth }) => Number(depth))).toEqual([Number(before?.depth)]);

    const inside = async (statement?: string) => {
      const seen: string[] = [];
      await database.transaction(async (executor) => {
        seen.push('began');
        if (seen.length === 1 && statement !== undefined) await place.execute(statement);
        await executor.query('select depth from shelves where id = ?', [1]);
        seen.push('read');
      });
      return seen;
    };
    expect(await inside()).toEqual(['began', 'read']);
    expect(await inside('alter table shelves alter depth type integer')).toEqual(['began', 'began', 'read']);
  });
});

describe.each(['mysql', 'mariadb'] as const)('on %s', (dialect) => {
  it('a table that was copied after a transaction began to read is read as it is now, without an error (1412)', async () => {
    const place = await create(dialect, tinyScript(dialect));
    const rows = await place.database.transaction(async (executor) => {
      await executor.query('select * from shelves');
      await place.execute('alter table boxes add column extra integer, algorithm = copy');
      return executor.query('select extra from boxes');
    });
    expect(rows).toEqual([{ extra: null }, { extra: null }]);
  });
});
