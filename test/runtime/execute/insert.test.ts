import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRegistry, type Collection } from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { insertRows } from '../../../runtime/execute/insert.js';
import { mysql } from '../../../runtime/databases/mysql/dialect.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';

const declaration = {
  name: 'tally',
  path: '/items/tally',
  key: ['id'],
  fields: { id: integer({ auto: true }), word: string({ nullable: true }) },
};

describe('keys that MySQL generates', () => {
  let place: TestDatabase;
  const tally = createRegistry([declaration]).collections.get('tally') as Collection;

  beforeAll(async () => {
    place = await createTestDatabase('mysql', {
      sql: 'create table tally (id bigint unsigned auto_increment primary key, word varchar(9))',
    });
  });

  afterAll(() => place.drop());

  const insert = (words: readonly string[], setup: readonly string[]) =>
    place.database.transaction(async (executor) => {
      for (const statement of setup) await executor.query(statement);
      const rows = words.map((word) => new Map([['word', word]]));
      const keys = await insertRows(tally, rows, { executor, dialect: mysql });
      const stored = await executor.query('select id, word from tally order by id');
      await executor.query('delete from tally');
      await executor.query('set auto_increment_increment = 1, auto_increment_offset = 1');
      return { keys: keys?.map(([key]) => key), stored: stored.map(({ id }) => Number(id)) };
    });

  it('are consecutive', async () => {
    const { keys, stored } = await insert(['a', 'b', 'c'], []);
    expect(keys).toEqual(stored);
    expect(keys).toHaveLength(3);
  });

  it('are consecutive in the increment of the session', async () => {
    const setup = ['set auto_increment_increment = 7, auto_increment_offset = 3'];
    const { keys, stored } = await insert(['a', 'b', 'c', 'd'], setup);
    expect(keys).toEqual(stored);
    expect(stored[1]).toBe((stored[0] ?? 0) + 7);
  });
});
