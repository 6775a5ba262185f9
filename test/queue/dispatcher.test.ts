/** Starts of workflows after the response: limited concurrency, and a deadline at shutdown. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestHead } from '../../runtime/queue/store/request-head.js';
import { createDispatcher } from '../../runtime/queue/temporal/dispatcher.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await setImmediate();
};

const headOf = (id: string, state: 'waiting' | 'queued') => ({ id, state }) as unknown as RequestHead;

const createCalls = () => {
  const marked: string[] = [];
  const losses: unknown[] = [];
  const open: (() => void)[] = [];
  const dispatcher = createDispatcher({
    mark: async (requests) => void marked.push(...requests.map(({ id }) => id)),
    onError: (error) => losses.push(error),
  });
  let begun = 0;
  const call = () =>
    new Promise<void>((resolve) => {
      begun += 1;
      open.push(resolve);
    });
  return { dispatcher, marked, losses, open, call, begun: () => begun };
};

describe('calls', () => {
  it('starts at most two waiting and sixteen admitted requests at a time', async () => {
    for (const [state, width] of [
      ['waiting', 2],
      ['queued', 16],
    ] as const) {
      const { dispatcher, call, begun } = createCalls();
      for (let each = 0; each < 20; each += 1) dispatcher.add(headOf(`${each}`, state), call);
      await settle();
      expect(begun()).toBe(width);
    }
  });

  it('wait up to ten thousand; the sweep makes up for further ones', async () => {
    const { dispatcher, call, open, begun } = createCalls();
    for (let each = 0; each < 16 + 10_100; each += 1) dispatcher.add(headOf(`${each}`, 'queued'), call);
    for (let turn = 0; open.length > 0 && turn < 2_000; turn += 1) {
      for (const end of open.splice(0)) end();
      await settle();
    }
    expect(begun()).toBe(16 + 10_000);
  });

  it('are recorded only if they succeeded', async () => {
    const { dispatcher, marked, losses } = createCalls();
    dispatcher.add(headOf('a', 'queued'), async () => undefined);
    dispatcher.add(headOf('b', 'queued'), () => Promise.reject(new Error('unreachable')));
    await settle();
    expect([marked, losses]).toEqual([['a'], [new Error('unreachable')]]);
  });
});

describe('close', () => {
  it('waits for admitted requests but not for queued ones', async () => {
    const { dispatcher, open, call, begun } = createCalls();
    for (let each = 0; each < 17; each += 1) dispatcher.add(headOf(`${each}`, 'queued'), call);
    for (let each = 0; each < 3; each += 1) dispatcher.add(headOf(`w${each}`, 'waiting'), call);
    await settle();
    let isOver = false;
    const over = dispatcher.flush().then(() => (isOver = true));
    for (const end of open.splice(0)) end();
    await settle();
    expect([begun(), isOver]).toEqual([19, false]);
    for (const end of open) end();
    await over;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes at most three seconds, even with starts in progress', async () => {
    const { dispatcher, open, call, begun } = createCalls();
    for (let each = 0; each < 17; each += 1) void dispatcher.sendDelivery(call);
    await settle();
    const over = dispatcher.flush();
    vi.advanceTimersByTime(3_000);
    for (const end of open) end();
    await over;
    expect(begun()).toBe(16);
  });
});
