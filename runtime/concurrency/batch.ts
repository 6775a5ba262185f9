/**
 * Batches calls that arrive while a run is in progress: the busier a process, the fewer statements per
 * request.
 */
import { setImmediate } from 'node:timers/promises';

export interface BatchOptions<Item> {
  /** Maximum number of items per run. */
  readonly maxItems: number;
  /** Size of an item, and the maximum total size of a run; a run always has at least one item. */
  readonly size?: { of(item: Item): number; readonly max: number };
}

/**
 * Creates a function that batches its calls.
 * @param run processes items in order; runs do not overlap
 * @returns the result of the item; an error of a run rejects all of its items
 */
export const createBatch = <Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
  { maxItems, size }: BatchOptions<Item>,
): ((item: Item) => Promise<Result>) => {
  interface PendingCall {
    readonly item: Item;
    readonly resolve: (result: Result | Promise<Result>) => void;
    readonly reject: (error: unknown) => void;
  }
  const pending: PendingCall[] = [];
  let isRunning = false;

  /** Removes and returns the items of the next run. */
  const takeBatch = (): readonly PendingCall[] => {
    let total = 0;
    const end = pending.findIndex(({ item }, index) => {
      total += size?.of(item) ?? 0;
      return index === maxItems || (index > 0 && total > (size?.max ?? Infinity));
    });
    return pending.splice(0, end === -1 ? pending.length : end);
  };

  const runAll = async (): Promise<void> => {
    isRunning = true;
    // includes calls of the same tick in the first run
    await setImmediate();
    while (pending.length > 0) {
      const batch = takeBatch();
      try {
        const results = await run(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      pending.push({ item, resolve, reject });
      if (!isRunning) void runAll();
    });
};

/** Batches writes, which return nothing. */
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

/** Batches reads of single rows by id. */
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
