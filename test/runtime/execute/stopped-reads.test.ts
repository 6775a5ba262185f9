/** Reads that the server ends when their signal aborts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../runtime/databases/open.js';
import type { Database } from '../../../runtime/databases/contract.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';
import { until } from '../../until.js';

const sqlOf = {
  mariadb: {
    connection: 'connection_id()',
    sleep: 'sleep(?)',
    running: `select 1 from information_schema.processlist where db = database() and info like 'select sleep%'`,
  },
  mysql: {
    connection: 'connection_id()',
    sleep: 'sleep(?)',
    running: `select 1 from information_schema.processlist where db = database() and info like 'select sleep%'`,
  },
  postgres: {
    connection: 'pg_backend_pid()',
    sleep: 'pg_sleep(?)',
    running: `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query like 'select pg_sleep%'`,
  },
} as const;

describe.each(['mariadb', 'mysql', 'postgres'] as const)('a read until a signal on %s', (dialect) => {
  const { connection, sleep, running } = sqlOf[dialect];
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createTestDatabase(dialect);
    database = await openDatabase({ url: place.url, poolMax: 1 });
  });

  afterAll(async () => {
    await database.close();
    await place.drop();
  });

  const isRunning = async (): Promise<boolean> => (await place.database.query(running)).length > 0;
  const connectionOf = async (reader: Pick<Database, 'query'>): Promise<unknown> => {
    const [row] = await reader.query(`select ${connection} as id`);
    return row?.id;
  };

  it('ends in the server, fails with the reason, and leaves the pool another connection', async () => {
    const controller = new AbortController();
    const reader = database.readUntil(controller.signal);
    const before = await connectionOf(reader);
    expect(await connectionOf(database)).toBe(before);
    const read = reader.query(`select ${sleep} as slept`, [100]);
    await until(isRunning);
    controller.abort(new Error('nobody waits'));
    await expect(read).rejects.toThrow('nobody waits');
    // the server answers before its list of statements shows the end
    await until(async () => !(await isRunning()), { timeout: 10_000 });
    expect(database.poolUse()).toEqual({ maximum: 1, used: 0, waiting: 0 });
    expect(await connectionOf(database)).not.toBe(before);
  });

  it('begins nothing after it, and keeps the connection of what has ended before it', async () => {
    const controller = new AbortController();
    const reader = database.readUntil(controller.signal);
    const before = await connectionOf(reader);
    controller.abort(new Error('nobody waits'));
    expect(await connectionOf(database)).toBe(before);
    await expect(connectionOf(reader)).rejects.toThrow('nobody waits');
    expect(await isRunning()).toBe(false);
  });
});
