/** PgBouncer between the server and PostgreSQL: what belongs to a session has to stay in it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../runtime/databases/open.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';
import { startPgbouncer } from '../../services/pgbouncer.js';

describe('a pooler', () => {
  let place: TestDatabase;
  beforeAll(async () => {
    place = await createTestDatabase('postgres', { sql: 'create table t (v int)' });
  });
  afterAll(() => place.drop());

  it('of sessions is used', async () => {
    const pooler = await startPgbouncer(place.url, 'session');
    try {
      const database = await openDatabase({ url: pooler.url });
      expect(await database.query('select current_setting(?) as zone', ['timezone'])).toEqual([
        { zone: 'UTC' },
      ]);
      await database.close();
    } finally {
      await pooler.stop();
    }
  });

  it('of transactions is refused, since settings and statements of one would act in others', async () => {
    const pooler = await startPgbouncer(place.url, 'transaction');
    try {
      await expect(openDatabase({ url: pooler.url })).rejects.toThrow(
        'DATABASE_URL leads to a pooler that lends a connection for each transaction',
      );
    } finally {
      await pooler.stop();
    }
  });
});
