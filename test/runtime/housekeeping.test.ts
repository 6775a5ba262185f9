/** Deletion of expired rows. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { removeExpired } from '../../runtime/schema/housekeeping.js';
import { dialectsOf } from '../databases.js';
import { useServer } from './harness/use-server.js';
import { insertRow } from './server-harness.js';

const dialects = dialectsOf(import.meta.url);

const now = Date.now();
const day = 86_400_000;

describe.each(dialects)('housekeeping on %s', (dialect) => {
  const server = useServer({ dialect, access: { users: { ann: {} } } });
  const countOf = async (table: string): Promise<number> =>
    (await server().database.query(`select id from ${table}`)).length;

  it('deletes expired rows and keeps all others', async () => {
    const { database, ids } = server();
    for (const expires of [now - 1, now + 1]) {
      const user = ids.users.get('ann');
      await insertRow(database, 'svc_sessions', {
        id: randomUUID(),
        user,
        credential: 'x',
        created: 1,
        expires,
      });
      await insertRow(database, 'svc_attempts', { id: randomUUID(), count: 1, until: expires });
    }
    await removeExpired(database, now);
    expect([await countOf('svc_sessions'), await countOf('svc_attempts')]).toEqual([1, 1]);
  });

  it('keeps activity forever, or as long as configured', async () => {
    const { database } = server();
    for (const age of [1, 40]) {
      const timestamp = new Date(now - age * day).toISOString().slice(0, 19).replace('T', ' ');
      await insertRow(database, 'svc_activity', {
        action: 'create',
        collection: 'book',
        item: '1',
        timestamp,
      });
    }
    const before = await countOf('svc_activity');
    await removeExpired(database, now);
    expect(await countOf('svc_activity')).toBe(before);
    await server().request('PATCH', '/settings', { as: 'admin', body: { activity_days: 30 } });
    const kept = (await countOf('svc_activity')) - 1;
    await removeExpired(database, now);
    expect(await countOf('svc_activity')).toBe(kept);
  });

  it('keeps activity at most for the largest safe duration', async () => {
    const set = (days: number) =>
      server().request('PATCH', '/settings', { as: 'admin', body: { activity_days: days } });
    for (const days of [0, 100_000, 2_147_483_647])
      expect((await set(days)).errors).toEqual([
        expect.objectContaining({ code: 'FAILED_VALIDATION', field: 'activity_days' }),
      ]);
    expect((await set(99_999)).status).toBe(200);
    await expect(removeExpired(server().database, now)).resolves.toBeUndefined();
  });
});
