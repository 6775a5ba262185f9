/** Latency of reads during logins, whose hashes use a whole processor. */
import { setTimeout } from 'node:timers/promises';
import { startArticles } from './articles.js';
import { logIn } from './callers.js';
import { createRandom } from './random.js';
import type { BenchServer } from './databases.js';
import { runLoad, type LoadOptions, type LoadResult, type Target } from './load.js';
import { median } from './measure.js';
import type { Finding } from './report.js';
import { administrator, type Running } from './servers.js';
import { shapes } from './shapes.js';

const outstanding = 50;
const rounds = 9;
const seconds = 2;
const warmUpSeconds = 5;
const settleMilliseconds = 500;

/** Reads come at a quarter of what the server can answer, once alone and once beside the logins. */
export const measureLogins = async (database: BenchServer, connections: number): Promise<Finding[]> => {
  const running = await startArticles(database);
  try {
    const load = readsOf(running, connections);
    // what a server can answer is known when the compiler has seen its work
    await runLoad({ ...load, seconds: warmUpSeconds });
    const { requestsPerSecond } = await runLoad(load);
    const paced = { ...load, rate: requestsPerSecond / 4 };
    // the first logins load what they need
    await besideLogins(running.target, paced);
    const alone: number[] = [];
    const beside: number[] = [];
    const done: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      alone.push((await runLoad(paced)).p99);
      const { reads, loginsPerSecond } = await besideLogins(running.target, paced);
      beside.push(reads.p99);
      done.push(loginsPerSecond);
    }
    return [
      {
        name: `${database.dialect} reads beside logins`,
        value: median(beside) / median(alone),
        unit: '× p99',
        target: 2,
        atLeast: false,
        note:
          `${outstanding} logins outstanding, ${median(done).toFixed(1)} done a second; ` +
          `${Math.round(paced.rate)} reads a second; p99 ${toRange(alone)} ms alone, ${toRange(beside)} ms beside`,
      },
    ];
  } finally {
    await running.stop();
  }
};

const toRange = (values: readonly number[]): string =>
  `${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)}`;

const readsOf = ({ target }: Running, connections: number): LoadOptions => {
  const random = createRandom(11);
  const one = shapes.find(({ name }) => name === 'one');
  const requests = Array.from({ length: 5_000 }, () => one?.draw(random).server).filter(
    (request) => request !== undefined,
  );
  return { target, requests, connections, seconds };
};

/** Every login that ends is followed by the next; reads begin when all wait for their turn, and end before them. */
const besideLogins = async (
  target: Target,
  paced: LoadOptions,
): Promise<{ readonly reads: LoadResult; readonly loginsPerSecond: number }> => {
  const login = { method: 'POST', path: '/auth/login', body: JSON.stringify(administrator) } as const;
  const load = runLoad({
    target: { origin: target.origin, headers: {} },
    requests: [login],
    connections: outstanding,
    seconds: seconds + 1,
  });
  await setTimeout(settleMilliseconds);
  const reads = await runLoad(paced);
  const { requestsPerSecond: loginsPerSecond } = await load;
  await drain(target);
  return { reads, loginsPerSecond };
};

/** Logins that nobody waits for any more are finished all the same; one more has its turn after them all. */
const drain = async (target: Target): Promise<void> => {
  for (let tries = 100; ; tries -= 1) {
    try {
      await logIn(target);
      return;
    } catch (error) {
      if (tries === 0) throw error;
      await setTimeout(settleMilliseconds);
    }
  }
};
