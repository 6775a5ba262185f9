/** Calls that come while one is under way share the next: the busier a process, the fewer statements a request. */
import { setImmediate } from 'node:timers/promises';

export interface BatchOptions<Item> {
  /** Items of one run, at most. */
  readonly maxItems: number;
  /** What an item adds to the size of a run, and how large that may be; a run has one item at least. */
  readonly size?: { of(item: Item): number; readonly most: number };
}

/**
 * @param run does what was asked for, in the order of the items; one at a time
 * @returns what was made of the item; what a run throws, all of its items throw
 */
export const createBatch = <Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
  { maxItems: most, size }: BatchOptions<Item>,
): ((item: Item) => Promise<Result>) => {
  interface Asked {
    readonly item: Item;
    readonly resolve: (result: Result | Promise<Result>) => void;
    readonly reject: (error: unknown) => void;
  }
  const asked: Asked[] = [];
  let isRunning = false;

  /** As many as one run takes. */
  const next = (): readonly Asked[] => {
    let total = 0;
    const past = asked.findIndex(({ item }, index) => {
      total += size?.of(item) ?? 0;
      return index === most || (index > 0 && total > (size?.most ?? Infinity));
    });
    return asked.splice(0, past === -1 ? asked.length : past);
  };

  const runAll = async (): Promise<void> => {
    isRunning = true;
    // what has arrived by now is let in before the first run
    await setImmediate();
    while (asked.length > 0) {
      const some = next();
      try {
        const results = await run(some.map(({ item }) => item));
        some.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    isRunning = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      asked.push({ item, resolve, reject });
      if (!isRunning) void runAll();
    });
};

/** The same where nothing is given back, for what is written. */
export const batchWrites = <Item>(
  write: (items: readonly Item[]) => Promise<void>,
): ((item: Item) => Promise<void>) =>
  createBatch(
    async (items) => {
      await write(items);
      return items.map(() => undefined);
    },
    { maxItems: 64 },
  );

/** Rows that are asked for one by one, and read together. */
export const findById = <Found extends { readonly id: string }>(
  find: (ids: readonly string[]) => Promise<readonly Found[]>,
): ((id: string) => Promise<Found | null>) =>
  createBatch(
    async (ids) => {
      const found = new Map((await find([...new Set(ids)])).map((each) => [each.id, each]));
      return ids.map((id) => found.get(id) ?? null);
    },
    { maxItems: 64 },
  );
