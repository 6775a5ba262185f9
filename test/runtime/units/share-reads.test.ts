import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { shareReads } from '../../../runtime/concurrency/shared-read.js';

/** A source whose reads end when told, and which counts how many have begun. */
const createSource = () => {
  const open: { readonly begun: number; resolve(value: number): void; reject(error: Error): void }[] = [];
  let begun = 0;
  const read = (): Promise<number> =>
    new Promise((resolve, reject) => {
      begun += 1;
      open.push({ begun, resolve, reject });
    });
  return { read, open, begun: () => begun };
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
};

it('calls before a read begins share it', async () => {
  const { read, open, begun } = createSource();
  const shared = shareReads(read);
  const answers = [shared(), shared(), shared()];
  await settled();
  expect(begun()).toBe(1);
  open[0]?.resolve(1);
  expect(await Promise.all(answers)).toEqual([1, 1, 1]);
});

it('calls during a read share the next one, which begins when it ends', async () => {
  const { read, open, begun } = createSource();
  const shared = shareReads(read);
  const first = shared();
  await settled();
  const later = [shared(), shared()];
  await settled();
  expect(begun()).toBe(1);
  open[0]?.resolve(1);
  await settled();
  expect(begun()).toBe(2);
  open[1]?.resolve(2);
  expect([await first, ...(await Promise.all(later))]).toEqual([1, 2, 2]);
});

it('a failed read fails only its own callers', async () => {
  const { read, open } = createSource();
  const shared = shareReads(read);
  const first = shared();
  first.catch(() => undefined);
  await settled();
  const second = shared();
  open[0]?.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await settled();
  open[1]?.resolve(2);
  expect(await second).toBe(2);
});

it('every caller gets a read that started after its call', async () => {
  const event = fc.constantFrom('call', 'call', 'end', 'fail', 'wait');
  const isFresh = fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
    const { read, open, begun } = createSource();
    const shared = shareReads(read);
    const calls: { readonly before: number; readonly answer: Promise<number | null> }[] = [];
    let ended = 0;
    for (const each of events) {
      const running = open[ended];
      if (each === 'call') calls.push({ before: begun(), answer: shared().catch(() => null) });
      else if (each === 'wait') await settled();
      else if (running !== undefined) {
        ended += 1;
        if (each === 'end') running.resolve(running.begun);
        else running.reject(new Error('gone'));
      }
      expect(begun() - ended).toBeLessThanOrEqual(1);
    }
    for (await settled(); ended < open.length; await settled()) {
      const running = open[ended++];
      running?.resolve(running.begun);
    }
    for (const { before, answer } of calls) {
      expect((await answer) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(before);
    }
  });
  await fc.assert(isFresh, { seed: 41, numRuns: 300 });
});
