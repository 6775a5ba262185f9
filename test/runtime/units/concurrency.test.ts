/** Work that waits, runs side by side or is shared: none is lost, none runs twice, and there is an end to how much. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createBackground } from '../../../runtime/concurrency/background.js';
import { batchWrites, createBatch, findById, type BatchOptions } from '../../../runtime/concurrency/batch.js';
import { lazy } from '../../../runtime/concurrency/lazy.js';
import { createWorkerPool } from '../../../runtime/concurrency/worker-pool.js';
import type { Observation } from '../../../runtime/observe.js';

/** Tasks that end when they are told, by name. */
const createTasks = () => {
  const started: string[] = [];
  const ends = new Map<string, { resolve(): void; reject(error: Error): void }>();
  const task = (name: string) => () =>
    new Promise<void>((resolve, reject) => {
      started.push(name);
      ends.set(name, { resolve, reject });
    });
  return { started, ends, task };
};

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
};

/** A pool of two workers. */
const createPool = (maxWaiting?: number) => {
  const failures: unknown[] = [];
  const pool = createWorkerPool({
    concurrency: 2,
    onFailure: (error) => failures.push(error),
    ...(maxWaiting !== undefined && { maxWaiting }),
  });
  return { pool, failures, ...createTasks() };
};

const createWork = () => {
  const seen: Observation[] = [];
  return { background: createBackground((each) => seen.push(each)), seen, ...createTasks() };
};

/** Doubles numbers, but for 13; and the runs that it took. */
const createRuns = (options: BatchOptions<number>) => {
  const runs: (readonly number[])[] = [];
  const call = createBatch(async (items: readonly number[]) => {
    runs.push(items);
    if (items.includes(13)) throw new Error('unlucky');
    return items.map((item) => item * 2);
  }, options);
  return { runs, call };
};

describe('a pool of workers', () => {
  it('runs a limited number at a time and the next when one ends', async () => {
    const { pool, started, ends, task } = createPool();
    for (const name of ['a', 'b', 'c', 'd']) pool.add(task(name));
    await settle();
    expect(started).toEqual(['a', 'b']);
    ends.get('b')?.resolve();
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('continues after a failed task and reports it', async () => {
    const { pool, failures, started, ends, task } = createPool();
    for (const name of ['a', 'b', 'c']) pool.add(task(name));
    await settle();
    const error = new Error('lost');
    ends.get('a')?.reject(error);
    await settle();
    expect([failures, started]).toEqual([[error], ['a', 'b', 'c']]);
  });

  it('drops tasks beyond its queue', async () => {
    const { pool, started, ends, task } = createPool(2);
    for (const name of ['a', 'b', 'c', 'd', 'e']) pool.add(task(name));
    for (const name of ['a', 'b', 'c', 'd']) {
      ends.get(name)?.resolve();
      await settle();
    }
    await pool.idle();
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('drops cleared tasks and runs later ones', async () => {
    const { pool, started, ends, task } = createPool();
    for (const name of ['a', 'b', 'c']) pool.add(task(name));
    pool.clear();
    ends.get('a')?.resolve();
    ends.get('b')?.resolve();
    await pool.idle();
    pool.add(task('d'));
    await settle();
    expect(started).toEqual(['a', 'b', 'd']);
  });

  it('is idle after the last task has ended', async () => {
    const { pool, ends, task } = createPool();
    let isIdle = false;
    pool.add(task('a'));
    const idle = pool.idle().then(() => (isIdle = true));
    pool.add(task('b'));
    ends.get('a')?.resolve();
    await settle();
    expect(isIdle).toBe(false);
    ends.get('b')?.resolve();
    await idle;
    expect(isIdle).toBe(true);
  });
});

describe('work in the background', () => {
  it('is awaited on close, even if it fails', async () => {
    const { background, seen, ends, task } = createWork();
    background.run('a', task('a'));
    background.run('b', () => {
      throw new Error('at once');
    });
    await settle();
    let isClosed = false;
    const closed = background.close().then(() => (isClosed = true));
    await settle();
    expect(isClosed).toBe(false);
    ends.get('a')?.reject(new Error('later'));
    await closed;
    expect(seen).toEqual([
      { kind: 'warning', message: 'b: at once' },
      { kind: 'warning', message: 'a: later' },
    ]);
  });

  it('is dropped while a hundred run, and accepted after they have ended', async () => {
    const { background, seen, started, ends, task } = createWork();
    for (let each = 0; each < 101; each += 1) background.run('mail', task(`${each}`));
    await settle();
    expect(started).toHaveLength(100);
    expect(seen).toEqual([
      { kind: 'warning', message: 'mail: skipped, because 100 tasks are running already' },
    ]);
    ends.get('7')?.resolve();
    await settle();
    background.run('mail', task('next'));
    await settle();
    expect(started.at(-1)).toBe('next');
  });
});

describe('calls that are batched', () => {
  it('share a run up to its size', async () => {
    const { runs, call } = createRuns({ maxItems: 2 });
    expect(await Promise.all([1, 2, 3].map(call))).toEqual([2, 4, 6]);
    expect(runs).toEqual([[1, 2], [3]]);
    expect(await call(4)).toBe(8);
  });

  it('share a run up to a weight, and have a separate one beyond it', async () => {
    const { runs, call } = createRuns({ maxItems: 9, size: { of: (item) => item, max: 5 } });
    await Promise.all([9, 2, 3, 1].map(call));
    expect(runs).toEqual([[9], [2, 3], [1]]);
  });

  it('fail together without affecting the next', async () => {
    const { call } = createRuns({ maxItems: 2 });
    const ended = await Promise.allSettled([12, 13, 14].map(call));
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('find each row by id once; missing rows are null', async () => {
    const asked: (readonly string[])[] = [];
    const find = findById(async (ids) => {
      asked.push(ids);
      return [{ id: 'a' }];
    });
    expect(await Promise.all(['a', 'b', 'a'].map(find))).toEqual([{ id: 'a' }, null, { id: 'a' }]);
    expect(asked).toEqual([['a', 'b']]);
  });

  it('write at most 64 rows together', async () => {
    const sizes: number[] = [];
    const write = batchWrites(async (items: readonly number[]) => void sizes.push(items.length));
    await Promise.all(Array.from({ length: 65 }, (_, each) => write(each)));
    expect(sizes).toEqual([64, 1]);
  });
});

describe('a value that is computed on first use', () => {
  it('that failed is computed again after the pause', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      let made = 0;
      const get = lazy(async () => {
        made += 1;
        if (made === 1) throw new Error('not yet');
        return made;
      }, 1_000);
      await expect(get()).rejects.toThrow('not yet');
      vi.advanceTimersByTime(999);
      await expect(get()).rejects.toThrow('not yet');
      vi.advanceTimersByTime(1);
      expect([await get(), await get()]).toEqual([2, 2]);
    } finally {
      vi.useRealTimers();
    }
  });
});
