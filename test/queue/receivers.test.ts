/** A receiver that is slow or gone takes its share of the attempts, and no more. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReceivers } from '../../runtime/queue/webhooks/receivers.js';
import { dialects } from '../databases.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

const url = 'http://receiver:81/';

describe('attempts of one process at one receiver', () => {
  it('are limited, separately for each receiver', async () => {
    const receivers = createReceivers({ maxConcurrent: 2, maxWaiting: 0 });
    const entered = [
      await receivers.acquire(`${url}a`),
      await receivers.acquire(`${url}b`),
      await receivers.acquire(url),
      await receivers.acquire('http://receiver:82/'),
    ];
    expect(entered.map((leave) => leave !== null)).toEqual([true, true, false, true]);
  });

  it('pass their slot to waiting attempts in order', async () => {
    const receivers = createReceivers({ maxConcurrent: 1, maxWaiting: 2 });
    const order: string[] = [];
    const enter = async (name: string) => {
      const leave = await receivers.acquire(url);
      order.push(`${name} ${leave === null ? 'away' : 'in'}`);
      return leave;
    };
    const leave = await enter('first');
    const [second, third] = [enter('second'), enter('third')];
    await enter('fourth');
    leave?.();
    (await second)?.();
    (await third)?.();
    expect(order).toEqual(['first in', 'fourth away', 'second in', 'third in']);
    expect(await receivers.acquire(url)).not.toBeNull();
  });

  it('reject attempts that have waited too long', async () => {
    const receivers = createReceivers({ maxConcurrent: 1, maxWaiting: 1, waitTimeout: 10 });
    const leave = await receivers.acquire(url);
    expect(await receivers.acquire(url)).toBeNull();
    leave?.();
    expect(await receivers.acquire(url)).not.toBeNull();
  });
});

describe('time in the queue', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('does not count against later attempts', async () => {
    const receivers = createReceivers({ maxConcurrent: 1, maxWaiting: 2, waitTimeout: 100 });
    const leave = await receivers.acquire(url);
    const second = receivers.acquire(url);
    vi.advanceTimersByTime(90);
    leave?.();
    const leaveSecond = await second;
    const third = receivers.acquire(url);
    vi.advanceTimersByTime(20);
    leaveSecond?.();
    expect(await third).not.toBeNull();
  });
});

const crowd = 60;

describe.each(dialects)('webhooks on %s', (dialect) => {
  let queue: TestQueue;
  let silent: Server;
  const held = new Set<ServerResponse>();
  let mostHeld = 0;

  beforeAll(async () => {
    silent = createServer((_request, response) => {
      held.add(response);
      mostHeld = Math.max(mostHeld, held.size);
      // an attempt ends by itself, at some time
      response.once('close', () => held.delete(response));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    queue = await startTestQueue(dialect);
    await queue.startWorkers();
  });
  afterAll(async () => {
    for (const response of held) response.destroy();
    silent.close();
    await queue.close();
  });

  const deliver = async (target: string): Promise<string> => {
    const answer = await queue.request('POST', '/webhooks/test', { as: 'ann', body: { url: target } });
    return (answer.data as { id: string }).id;
  };
  const stateOf = async (id: string) =>
    (await queue.database.query('select state from svc_deliveries where id = ?', [id]))[0]?.state;
  const delivered = (id: string) => until(async () => (await stateOf(id)) === 'delivered' || null);

  it('to one receiver do not wait for another that does not respond', async () => {
    const target = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const crowded = await Promise.all(Array.from({ length: crowd }, () => deliver(target)));
    await until(() => held.size >= 16 || null);
    for (let index = 0; index < 20; index += 1) await delivered(await deliver(`${queue.receiver.url}/quick`));
    expect(mostHeld).toBeLessThan(2 * 16);
    const states = await Promise.all(crowded.map(stateOf));
    expect(new Set(states)).toEqual(new Set(['pending']));
  });

  it('all reach a slow receiver', async () => {
    const slow = createServer((_request, response) => void sleep(50).then(() => response.end()));
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const target = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
    const ids = await Promise.all(Array.from({ length: crowd }, () => deliver(target)));
    for (const id of ids) await delivered(id);
    slow.close();
    const attempts = await queue.database.query(
      `select count(*) as n from svc_delivery_attempts where delivery in (${ids.map(() => '?').join(', ')})`,
      ids,
    );
    expect(Number(attempts[0]?.n)).toBe(crowd);
  });
});
