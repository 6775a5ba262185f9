/**
 * Tells Temporal of requests, behind the answers that were given for their rows: so many calls at a time, in lines of
 * bounded length. What finds no place in one, or does not get through, the sweep repeats.
 */
import { gather } from './gather.js';
import type { RequestHead } from './store/requests.js';

export interface Starter {
  /** @param call tells Temporal; safe to repeat */
  add(request: RequestHead, call: () => Promise<void>): void;
  /** Tells the rest of who has a slot, as far as there is time; who waits is left to the sweep. */
  settle(): Promise<void>;
}

export interface StarterOptions {
  /** Writes down that Temporal has been told of the states of these. */
  readonly mark: (requests: readonly RequestHead[]) => Promise<void>;
  readonly onLoss: (error: unknown) => void;
}

/** Calls at a time, for who has a slot and for who waits: a crowd that waits must not keep Temporal from the others. */
const widthOfAdmitted = 16;
const widthOfWaiting = 2;
const longest = 10_000;
/** Milliseconds. */
const timeToSettle = 3_000;
/** Requests that are marked together. */
const most = 64;

export const createStarter = ({ mark, onLoss }: StarterOptions): Starter => {
  const admitted = createLine(widthOfAdmitted, onLoss);
  const waiting = createLine(widthOfWaiting, onLoss);
  const markTogether = gather(
    async (requests: readonly RequestHead[]) => {
      await mark(requests);
      return requests.map(() => undefined);
    },
    { most },
  );
  return {
    add(request, call) {
      const line = request.state === 'waiting' ? waiting : admitted;
      line.add(async () => {
        await call();
        markTogether(request).catch(onLoss);
      });
    },
    async settle() {
      waiting.clear();
      const timer = setTimeout(() => admitted.clear(), timeToSettle);
      await Promise.all([admitted.idle(), waiting.idle()]);
      clearTimeout(timer);
    },
  };
};

const createLine = (width: number, onLoss: (error: unknown) => void) => {
  const line: (() => Promise<void>)[] = [];
  const working = new Set<Promise<void>>();

  const work = async (): Promise<void> => {
    for (let next = line.shift(); next !== undefined; next = line.shift()) await next().catch(onLoss);
  };

  return {
    add(task: () => Promise<void>): void {
      if (line.length >= longest) return;
      line.push(task);
      if (working.size >= width) return;
      const worker = work().finally(() => working.delete(worker));
      working.add(worker);
    },
    clear(): void {
      line.length = 0;
    },
    async idle(): Promise<void> {
      while (working.size > 0) await Promise.all(working);
    },
  };
};
