/** Tasks that run one at a time. */
import { describe, expect, it } from 'vitest';
import { until } from '../../until.js';
import { createFairQueue } from '../../../runtime/concurrency/fair-queue.js';

const options = { tasks: 'logins', service: 'authentication' };

it('starts the next task after the pause, even after a failure', async () => {
  const events: string[] = [];
  const queue = createFairQueue({
    ...options,
    maxTasks: 3,
    pause: async () => {
      events.push('pause');
      await Promise.resolve();
      events.push('resume');
    },
  });
  const work = (name: string, fails = false) =>
    queue.run(async () => {
      events.push(name);
      if (fails) throw new Error(name);
    });
  const ended = await Promise.allSettled([work('first', true), work('second'), work('third')]);
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(events.slice(0, 7)).toEqual(['first', 'pause', 'resume', 'second', 'pause', 'resume', 'third']);
});

it('resolves a task without waiting for the pause', async () => {
  const queue = createFairQueue({ ...options, maxTasks: 1, pause: () => new Promise(() => undefined) });
  expect(await queue.run(async () => 'done')).toBe('done');
});

/** Runs tasks by caller and number (`a1`, `b1`); requeue their order and those that were rejected. */
const runTasks = async (maxTasks: number, names: string) => {
  const queue = createFairQueue({ ...options, maxTasks });
  const order: string[] = [];
  const tasks = names.split(' ').map(async (name) => {
    const work = async () => void order.push(name);
    return queue.run(work, () => name.charAt(0)).catch((error: { code: string }) => error.code);
  });
  const refused = (await Promise.all(tasks)).flatMap((code, index) =>
    code === 'SERVICE_UNAVAILABLE' ? names.split(' ')[index] : [],
  );
  return { order: order.join(' '), refused: refused.join(' ') };
};

it('serves callers in rotation, each in their own order', async () => {
  expect(await runTasks(10, 'a1 a2 a3 b1 b2 c1')).toEqual({ order: 'a1 a2 b1 c1 a3 b2', refused: '' });
});

it('gives a single caller the whole queue', async () => {
  expect(await runTasks(4, 'a1 a2 a3 a4 a5')).toEqual({ order: 'a1 a2 a3 a4', refused: 'a5' });
});

it('replaces the last task of the longest queue by one of a caller with fewer', async () => {
  expect(await runTasks(4, 'a1 a2 a3 a4 b1')).toEqual({ order: 'a1 a2 b1 a3', refused: 'a4' });
  expect(await runTasks(4, 'a1 a2 a3 a4 b1 b2')).toEqual({ order: 'a1 a2 b1 a3', refused: 'a4 b2' });
  expect(await runTasks(4, 'a1 a2 a3 a4 b1 c1 d1')).toEqual({ order: 'a1 a2 b1 c1', refused: 'a3 a4 d1' });
});

it('rejects tasks beyond the maximum with their name', async () => {
  const queue = createFairQueue({ ...options, maxTasks: 1 });
  const first = queue.run(async () => 'first');
  await expect(queue.run(async () => 'second')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'A service is not available: too many logins at once; try again.',
    details: { service: 'authentication' },
  });
  expect(await first).toBe('first');
  expect(queue.isIdle()).toBe(true);
});

it('starts the next task after a failed one', async () => {
  const queue = createFairQueue({ ...options, maxTasks: 1 });
  await expect(queue.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(queue.isIdle()).toBe(true);
  expect(await queue.run(async () => 'done')).toBe('done');
});

it('begins as many tasks in a turn of the event loop as it may, and refuses those beyond the queue', async () => {
  const queue = createFairQueue({ ...options, maxTasks: 6, concurrency: 10, perTurn: 2 });
  const started: string[] = [];
  const run = (name: string) =>
    queue
      .run(async () => void started.push(name))
      .then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
  const first = ['a', 'b', 'c', 'd'].map(run);
  await Promise.all(first.slice(0, 2));
  expect(started).toEqual(['a', 'b']);
  const second = ['e', 'f', 'g', 'h', 'i'].map(run);
  expect(started).toEqual(['a', 'b']);
  expect(await Promise.all(second)).toEqual(['done', 'done', 'done', 'done', 'SERVICE_UNAVAILABLE']);
  expect(await Promise.all(first)).toEqual(Array(4).fill('done'));
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  expect(queue.isIdle()).toBe(true);
});

it('begins the tasks of a turn of the event loop together, so that each step of all runs before the next', async () => {
  const queue = createFairQueue({ ...options, maxTasks: 10, concurrency: 10, perTurn: 3 });
  const steps: string[] = [];
  const run = (name: string): Promise<void> =>
    queue.run(async () => {
      steps.push(`${name} 1`);
      await Promise.resolve();
      steps.push(`${name} 2`);
    });
  const first = run('a');
  await Promise.resolve();
  const others = ['b', 'c', 'd'].map(run);
  expect(steps).toEqual([]);
  await Promise.all([first, ...others]);
  expect(steps).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'c 2', 'd 1', 'd 2']);
});

/** Tasks that end when they are told to. */
const createTasks = (maxTasks: number, maxWait?: number) => {
  const queue = createFairQueue({
    ...options,
    maxTasks,
    concurrency: 2,
    ...(maxWait !== undefined && { maxWait }),
  });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string): Promise<unknown> =>
    queue
      .run(
        () => {
          started.push(name);
          return new Promise<void>((resolve) => ends.set(name, resolve));
        },
        () => name.charAt(0),
      )
      .then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
  return { queue, run, started, end: (name: string) => ends.get(name)?.() };
};

describe('with several tasks at a time', () => {
  it('runs as many, and the next in rotation when one ends', async () => {
    const { queue, run, started, end } = createTasks(10);
    const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map(run);
    expect(started).toEqual(['a1', 'a2']);
    end('a2');
    expect(await all[1]).toBe('done');
    expect(started).toEqual(['a1', 'a2', 'a3']);
    end('a3');
    await until(() => started.length === 4);
    expect(started.at(-1)).toBe('b1');
    for (const name of ['a1', 'b1', 'a4']) {
      await until(() => started.includes(name));
      end(name);
    }
    expect(await Promise.all(all)).toEqual(Array(5).fill('done'));
    expect(queue.isIdle()).toBe(true);
  });

  it('refuses a task that has waited for too long, and keeps its place free', async () => {
    const { queue, run, started, end } = createTasks(3, 20);
    const all = ['a1', 'a2', 'a3', 'b1'].map(run);
    expect(await all[3]).toBe('SERVICE_UNAVAILABLE');
    expect(await all[2]).toBe('SERVICE_UNAVAILABLE');
    expect(started).toEqual(['a1', 'a2']);
    end('a1');
    end('a2');
    expect(await Promise.all([all[0], all[1]])).toEqual(['done', 'done']);
    expect(queue.isIdle()).toBe(true);
  });
});
