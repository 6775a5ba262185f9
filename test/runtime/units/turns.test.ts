/** Work that is done one piece at a time. */
import { expect, it } from 'vitest';
import { createFairQueue } from '../../../runtime/concurrency/fair-queue.js';

it('begins the next piece when what comes between is over too, whatever became of the one before', async () => {
  const events: string[] = [];
  const turns = createFairQueue(3, async () => {
    events.push('rest');
    await Promise.resolve();
    events.push('rested');
  });
  const work = (name: string, fails = false) =>
    turns.run(async () => {
      events.push(name);
      if (fails) throw new Error(name);
    });
  const ended = await Promise.allSettled([work('first', true), work('second'), work('third')]);
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(events.slice(0, 7)).toEqual(['first', 'rest', 'rested', 'second', 'rest', 'rested', 'third']);
});

it('answers before what comes between is over', async () => {
  const turns = createFairQueue(1, () => new Promise(() => undefined));
  expect(await turns.run(async () => 'done')).toBe('done');
});

/** Pieces of work by who asks for them (`a1`, `b1`), and what became of each. */
const offer = async (most: number, names: string) => {
  const turns = createFairQueue(most);
  const order: string[] = [];
  const pieces = names.split(' ').map(async (name) => {
    const work = async () => void order.push(name);
    return turns.run(work, name.charAt(0)).catch((error: { code: string }) => error.code);
  });
  const refused = (await Promise.all(pieces)).flatMap((code, index) =>
    code === 'SERVICE_UNAVAILABLE' ? names.split(' ')[index] : [],
  );
  return { order: order.join(' '), refused: refused.join(' ') };
};

it('serves those who ask in rotation, each in their own order', async () => {
  expect(await offer(10, 'a1 a2 a3 b1 b2 c1')).toEqual({ order: 'a1 a2 b1 c1 a3 b2', refused: '' });
});

it('gives all places to one who asks alone', async () => {
  expect(await offer(4, 'a1 a2 a3 a4 a5')).toEqual({ order: 'a1 a2 a3 a4', refused: 'a5' });
});

it('gives the last place of the longest queue to whoever has fewer even then', async () => {
  expect(await offer(4, 'a1 a2 a3 a4 b1')).toEqual({ order: 'a1 a2 b1 a3', refused: 'a4' });
  expect(await offer(4, 'a1 a2 a3 a4 b1 b2')).toEqual({ order: 'a1 a2 b1 a3', refused: 'a4 b2' });
  expect(await offer(4, 'a1 a2 a3 a4 b1 c1 d1')).toEqual({ order: 'a1 a2 b1 c1', refused: 'a3 a4 d1' });
});

it('refuses more than may wait', async () => {
  const turns = createFairQueue(1);
  const first = turns.run(async () => 'first');
  await expect(turns.run(async () => 'second')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await first).toBe('first');
  expect(turns.isIdle()).toBe(true);
});

it('gives the place of failed work to the next', async () => {
  const turns = createFairQueue(1);
  await expect(turns.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(turns.isIdle()).toBe(true);
  expect(await turns.run(async () => 'done')).toBe('done');
});
