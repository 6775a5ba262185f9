/** An account with many deliveries does not fill Temporal: most wait in the database, and none is lost. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createDeliveryStarts, type DeliveryStarts } from '../../runtime/queue/requests/delivery-starts.js';
import {
  insertAttempts,
  insertDelivery,
  markDeliveriesStarted,
  scheduleNext,
  type Delivery,
  type DeliveryPostponement,
} from '../../runtime/queue/store/deliveries.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { startTestServer, type TestServer } from '../runtime/server-harness.js';
import { until } from '../until.js';

let server: TestServer;
const running: DeliveryStarts[] = [];

beforeAll(async () => {
  server = await startTestServer({ dialect: 'sqlite' });
});
afterEach(async () => {
  for (const starts of running.splice(0)) await starts.stop();
  await server.database.write({ text: 'delete from svc_deliveries', values: [] });
});
afterAll(() => server.close());

interface Started {
  readonly starts: DeliveryStarts;
  /** Ids in the order of their starts. */
  readonly ids: string[];
  /** True while Temporal is away. */
  isAway: boolean;
}

/** Starts of a process, and what Temporal got from it. */
const createProcess = (): Started => {
  const process: Started = {
    ids: [],
    isAway: false,
    starts: createDeliveryStarts({
      database: server.database,
      async start({ id }, isWaiting) {
        if (process.isAway) throw new Error('away');
        process.ids.push(id);
        if (isWaiting) await markDeliveriesStarted(server.database, [id]);
      },
      onError: () => undefined,
    }),
  };
  running.push(process.starts);
  return process;
};

let created = 1;

const store = async (account: string, count: number): Promise<readonly Delivery[]> => {
  const stored: Delivery[] = [];
  for (let each = 0; each < count; each += 1) {
    created += 1;
    stored.push(
      await insertDelivery(server.database, {
        id: createId(),
        request: null,
        account,
        url: 'http://example.com/',
        created,
      }),
    );
  }
  return stored;
};

const attempt = (ids: readonly string[]): Promise<void> =>
  insertAttempts(
    server.database,
    ids.map((delivery) => ({ delivery, number: 1, status: 500, error: null, milliseconds: 1, created: 1 })),
  );

const postpone = async (ids: readonly string[], postponed: DeliveryPostponement): Promise<void> => {
  for (const id of ids) await scheduleNext(server.database, { id, next: Date.now(), postponed });
};

const idsOf = (deliveries: readonly Delivery[]): readonly string[] => deliveries.map(({ id }) => id);

it('gives Temporal a few deliveries of an account, and the next in their order once these were attempted', async () => {
  const { starts, ids } = createProcess();
  const many = await store(createId(), 60);
  for (const delivery of many) starts.add(delivery);
  expect(ids).toEqual(idsOf(many.slice(0, 24)));
  const [other] = await store(createId(), 1);
  starts.add(other as Delivery);
  expect(ids.at(-1)).toBe(other?.id);
  await attempt(ids.slice(0, 10));
  await until(() => ids.length === 35 || null);
  expect(ids.slice(25)).toEqual(idsOf(many.slice(24, 34)));
  await attempt(ids.slice(10, 35));
  await until(() => ids.length === 59 || null);
  await attempt(ids.slice(35));
  await until(() => ids.length === 61 || null);
  expect(new Set(ids).size).toBe(61);
});

it('divides what Temporal gets among the accounts of which deliveries wait', async () => {
  const { starts, ids } = createProcess();
  const lists = [await store(createId(), 50), await store(createId(), 50), await store(createId(), 50)];
  for (const list of lists) for (const delivery of list) starts.add(delivery);
  await attempt(ids.splice(0));
  await until(() => ids.length >= 24 || null);
  expect(lists.map((list) => list.filter(({ id }) => ids.includes(id)).length)).toEqual([8, 8, 8]);
});

it('starts others in place of deliveries whose receiver fails, but not of those that wait for a place', async () => {
  const { starts, ids } = createProcess();
  const many = await store(createId(), 40);
  for (const delivery of many) starts.add(delivery);
  await postpone(ids.slice(0, 2), 'receiver_busy');
  await postpone(ids.slice(2, 5), 'receiver_failing');
  await until(() => ids.length === 27 || null);
  expect(ids.slice(24)).toEqual(idsOf(many.slice(24, 27)));
});

it('starts others in place of deliveries that were not attempted for a minute, as where their workflow is gone', async () => {
  const { starts, ids } = createProcess();
  const many = await store(createId(), 48);
  for (const delivery of many) starts.add(delivery);
  expect(ids).toEqual(idsOf(many.slice(0, 24)));
  await markDeliveriesStarted(server.database, ids);
  vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] });
  try {
    await until(() => ids.length === 48 || null);
  } finally {
    vi.useRealTimers();
  }
  expect(ids).toEqual(idsOf(many));
});

it('starts what a process has left when it was killed, and what waited while Temporal was away', async () => {
  const killed = createProcess();
  const account = createId();
  const many = await store(account, 60);
  for (const delivery of many) killed.starts.add(delivery);
  await killed.starts.stop();
  const next = createProcess();
  next.isAway = true;
  await expect(next.starts.resume(account)).rejects.toThrow('away');
  next.isAway = false;
  expect(await next.starts.resume(account)).toBe(24);
  for (let begun = 0; begun < 60;) {
    const ids = next.ids.slice(begun);
    begun += ids.length;
    await attempt(ids);
    await until(() => next.ids.length > begun || begun === 60 || null);
  }
  expect(next.ids.toSorted()).toEqual(idsOf(many).toSorted());
});
