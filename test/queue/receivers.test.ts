/** A receiver that is slow or gone takes its share of the attempts, and no more. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBreaker } from '../../runtime/queue/webhooks/breaker.js';
import { createReceivers, type Permit, type Receivers } from '../../runtime/queue/webhooks/receivers.js';
import { sampleDialects } from '../databases.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

const url = 'http://receiver:81/';

const acquire = (receivers: Receivers, account: string, target = url) =>
  receivers.acquire({ account, url: target });
const permit = async (receivers: Receivers, account: string, target = url): Promise<Permit> => {
  const found = await acquire(receivers, account, target);
  if (found.kind === 'postponed') throw new Error(found.reason);
  return found;
};
const kindOf = async (receivers: Receivers, account: string, target = url) =>
  (await acquire(receivers, account, target)).kind;

describe('attempts of one process', () => {
  it('are limited for each receiver of an account, for each account, and in all', async () => {
    const receivers = createReceivers({ maxPerReceiver: 2, maxPerAccount: 3, maxInAll: 5, maxWaiting: 0 });
    const other = 'http://receiver:82/';
    const kinds = [
      await kindOf(receivers, 'ann', `${url}a`),
      await kindOf(receivers, 'ann', `${url}b`),
      // of one origin
      await kindOf(receivers, 'ann', `${url}c`),
      await kindOf(receivers, 'ann', other),
      // of one account
      await kindOf(receivers, 'ann', other),
      // the same receiver, of another account
      await kindOf(receivers, 'bob'),
      await kindOf(receivers, 'bob'),
      // in all
      await kindOf(receivers, 'eve'),
    ];
    const [yes, no] = ['permit', 'postponed'];
    expect(kinds).toEqual([yes, yes, no, yes, no, yes, yes, no]);
  });

  it('pass their permit to waiting attempts in order, and first to the account with the fewest', async () => {
    const receivers = createReceivers({ maxPerReceiver: 9, maxPerAccount: 9, maxInAll: 2, maxWaiting: 2 });
    const order: string[] = [];
    const enter = async (account: string, name: string): Promise<Permit> => {
      const found = await permit(receivers, account);
      order.push(name);
      return found;
    };
    const [first, second] = [await enter('ann', 'ann 1'), await enter('ann', 'ann 2')];
    const waiting = [enter('ann', 'ann 3'), enter('ann', 'ann 4'), enter('bob', 'bob 1')];
    expect(await kindOf(receivers, 'ann')).toBe('postponed');
    first.release('ok');
    await waiting[2];
    second.release('ok');
    (await waiting[0])?.release('ok');
    await waiting[1];
    expect(order).toEqual(['ann 1', 'ann 2', 'bob 1', 'ann 3', 'ann 4']);
  });

  it('are postponed when they have waited too long', async () => {
    const receivers = createReceivers({ maxPerReceiver: 1, maxWaiting: 1, waitTimeout: 10 });
    const taken = await permit(receivers, 'ann');
    expect(await acquire(receivers, 'ann')).toEqual({
      kind: 'postponed',
      reason: 'receiver_busy',
      after: null,
    });
    taken.release('ok');
    expect(await kindOf(receivers, 'ann')).toBe('permit');
  });

  it('can wait again when those before them have a permit', async () => {
    const receivers = createReceivers({ maxPerReceiver: 1, maxWaiting: 1 });
    let taken = await permit(receivers, 'ann');
    for (let count = 0; count < 3; count += 1) {
      const waiting = permit(receivers, 'ann');
      taken.release('ok');
      taken = await waiting;
    }
    expect(taken.kind).toBe('permit');
  });

  it('forget the receiver that was used least recently after 10 000 others', async () => {
    let made = 0;
    const newBreaker = () => {
      made += 1;
      return createBreaker();
    };
    const receivers = createReceivers({ newBreaker });
    const visit = async (index: number) =>
      (await permit(receivers, 'ann', `http://receiver-${index}/`)).release('ok');
    for (let index = 0; index <= 10_000; index += 1) await visit(index);
    await visit(10_000);
    expect(made).toBe(10_001);
    await visit(0);
    expect(made).toBe(10_002);
  });

  it('are postponed while the breaker of their receiver and account is open', async () => {
    const receivers = createReceivers();
    for (let count = 0; count < 10; count += 1) (await permit(receivers, 'ann')).release('failed');
    const postponed = await acquire(receivers, 'ann');
    expect(postponed).toMatchObject({ kind: 'postponed', reason: 'receiver_failing' });
    expect(await kindOf(receivers, 'bob')).toBe('permit');
    expect(await kindOf(receivers, 'ann', 'http://receiver:82/')).toBe('permit');
  });
});

describe('time in the queue', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('does not count against later attempts', async () => {
    const receivers = createReceivers({ maxPerReceiver: 1, maxWaiting: 2, waitTimeout: 100 });
    const first = await permit(receivers, 'ann');
    const second = permit(receivers, 'ann');
    vi.advanceTimersByTime(90);
    first.release('ok');
    const entered = await second;
    const third = acquire(receivers, 'ann');
    vi.advanceTimersByTime(20);
    entered.release('ok');
    expect((await third).kind).toBe('permit');
  });
});

const crowd = 30;

describe.each(sampleDialects(import.meta.url))('webhooks on %s', (dialect) => {
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
    await until(() => held.size >= 8 || null);
    for (let index = 0; index < 20; index += 1) await delivered(await deliver(`${queue.receiver.url}/quick`));
    expect(mostHeld).toBeLessThan(2 * 8);
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
