/** Work that is done one piece at a time. */
import { expect, it } from 'vitest';
import { createTurns } from '../../../runtime/turns.js';

it('begins the next piece when what comes between is over too, whatever became of the one before', async () => {
  const events: string[] = [];
  const turns = createTurns(3, async () => {
    events.push('rest');
    await Promise.resolve();
    events.push('rested');
  });
  const work = (name: string, fails = false) =>
    turns.take(async () => {
      events.push(name);
      if (fails) throw new Error(name);
    });
  const ended = await Promise.allSettled([work('first', true), work('second'), work('third')]);
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(events.slice(0, 7)).toEqual(['first', 'rest', 'rested', 'second', 'rest', 'rested', 'third']);
});

it('answers before what comes between is over', async () => {
  const turns = createTurns(1, () => new Promise(() => undefined));
  expect(await turns.take(async () => 'done')).toBe('done');
});

it('refuses more than may wait', async () => {
  const turns = createTurns(1);
  const first = turns.take(async () => 'first');
  await expect(turns.take(async () => 'second')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await first).toBe('first');
  expect(turns.isIdle()).toBe(true);
});
