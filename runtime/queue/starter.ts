/**
 * Tells Temporal of requests, behind the answers that were given for their rows: so many calls at a time, and a line
 * of bounded length. What finds no place in it, or does not get through, the sweep repeats.
 */
import { gather } from './gather.js';
import type { RequestHead } from './store/requests.js';

export interface Starter {
  /** @param call tells Temporal; safe to repeat */
  add(request: RequestHead, call: () => Promise<void>): void;
  /** Resolves when nothing is left in the line. */
  idle(): Promise<void>;
}

export interface StarterOptions {
  /** Writes down that Temporal has been told of the state these are all in. */
  readonly mark: (requests: readonly RequestHead[]) => Promise<void>;
  readonly onLoss: (error: unknown) => void;
}

/** Calls at a time. */
const width = 16;
const longest = 10_000;
/** Requests that are marked together. */
const most = 64;

export const createStarter = ({ mark, onLoss }: StarterOptions): Starter => {
  const line: (() => Promise<void>)[] = [];
  const working = new Set<Promise<void>>();
  const markTogether = gather(
    async (requests: readonly RequestHead[]) => {
      await mark(requests);
      return requests.map(() => undefined);
    },
    { most },
  );

  const work = async (): Promise<void> => {
    for (let next = line.shift(); next !== undefined; next = line.shift()) await next().catch(onLoss);
  };

  return {
    add(request, call) {
      if (line.length >= longest) return;
      line.push(async () => {
        await call();
        markTogether(request).catch(onLoss);
      });
      if (working.size >= width) return;
      const worker = work().finally(() => working.delete(worker));
      working.add(worker);
    },
    async idle() {
      while (working.size > 0) await Promise.all(working);
    },
  };
};
