/** Quotas over a time, and how limits are read: from the rows, again when they are shown and after a read that failed. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Statements } from '../../runtime/execute/system-rows.js';
import { createQuotas, type Quotas } from '../../runtime/queue/requests/quotas.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { quotaNames, recordRedelivery, type Limits } from '../../runtime/queue/store/quotas.js';
import { insertRequests } from '../../runtime/queue/store/requests.js';
import { useServer } from '../runtime/harness/use-server.js';
import { newRequest } from './new-request.js';

const limits = (given: Partial<Limits>): Limits => ({
  ...(Object.fromEntries(quotaNames.map((name) => [name, null])) as Limits),
  ...given,
});

/** Returns the headers of the refusal, or null. */
const refusalOf = (call: Promise<void>): Promise<unknown> =>
  call.then(
    () => null,
    (error: { headers?: Readonly<Record<string, string>>; body?: unknown }) => error.headers,
  );

describe('quotas', () => {
  const server = useServer({ dialect: 'sqlite', access: { users: { ann: {} } } });
  const start = new Date('2026-11-02T10:00:00Z').getTime();

  beforeEach(() => void vi.setSystemTime(start));
  afterEach(() => void vi.useRealTimers());

  const create = (preset: Partial<Limits>, database: Statements = server().database): Quotas =>
    createQuotas({ database, preset: limits(preset) });

  const at = (seconds: number): void => void vi.setSystemTime(start + seconds * 1000);
  it('of submissions name the time at which the window accepts another, and accept it then', async () => {
    const account = createId();
    const quotas = create({ submitted_per_minute: 2 });
    const submit = (seconds: number) =>
      insertRequests(server().database, [
        newRequest('test/quota', { account, priority: 0, created: start + seconds * 1000 }),
      ]);
    await submit(-50);
    expect(await refusalOf(quotas.requireSubmit(account))).toBeNull();
    await submit(-10);
    // the older one leaves the window in ten seconds, the newer one in fifty
    expect(await refusalOf(quotas.requireSubmit(account))).toEqual({ 'retry-after': '10' });
    at(9);
    expect(await refusalOf(quotas.requireSubmit(account))).toEqual({ 'retry-after': '1' });
    at(10.001);
    expect(await refusalOf(quotas.requireSubmit(account))).toBeNull();
    await submit(10);
    expect(await refusalOf(quotas.requireSubmit(account))).toEqual({ 'retry-after': '40' });
  });

  it('of redeliveries have an hour', async () => {
    const account = createId();
    const quotas = create({ redeliveries_per_hour: 1 });
    await recordRedelivery(server().database, { id: createId(), round: 2, account });
    at(600);
    expect(await refusalOf(quotas.requireRedelivery(account))).toEqual({ 'retry-after': '3000' });
    at(3_601);
    expect(await refusalOf(quotas.requireRedelivery(account))).toBeNull();
  });

  it('are read again after a read that failed', async () => {
    const { database } = server();
    let isAway = true;
    const quotas = create(
      { queued: 5 },
      {
        ...database,
        query: (...given) => (isAway ? Promise.reject(new Error('away')) : database.query(...given)),
      },
    );
    const account = createId();
    await expect(quotas.limitsOf(account)).rejects.toThrow('away');
    isAway = false;
    expect((await quotas.limitsOf(account)).queued).toBe(5);
  });

  it('are shown as they are now, with what is used of each', async () => {
    const { database, ids } = server();
    const account = ids.users.get('ann') ?? '';
    const quotas = create({ queued: 5, files: 7 });
    expect((await quotas.limitsOf(account)).queued).toBe(5);
    await database.write({
      text: `insert into svc_quotas (id, ${database.quote('user')}, queued) values (?, ?, 3)`,
      values: [createId(), account],
    });
    const requests = [-70, -20].map((seconds) =>
      newRequest('test/quota', { account, priority: 0, created: start + seconds * 1000 }),
    );
    await insertRequests(database, requests);
    await database.write({
      text: "update svc_requests set state = 'running', log_bytes = 11, files = 2 where id = ?",
      values: [requests[0]?.id ?? ''],
    });
    await recordRedelivery(database, { id: createId(), round: 2, account });
    const shown = await quotas.describe(account);
    expect(Object.fromEntries(shown.map(({ quota, limit, used }) => [quota, [limit, used]]))).toEqual({
      queued: [3, 1],
      running: [null, 1],
      submitted_per_minute: [null, 1],
      stored_bytes: [null, 4],
      log_bytes: [null, 11],
      files: [7, 2],
      redeliveries_per_hour: [null, 1],
    });
    // what was shown is what counts
    expect((await quotas.limitsOf(account)).queued).toBe(3);
  });
});
