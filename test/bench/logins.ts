/** What reads feel of logins, whose hashes cost a tenth of a second each. */
import { setTimeout } from 'node:timers/promises';
import { startArticles } from './articles.js';
import { logIn } from './callers.js';
import { createRandom } from './data.js';
import type { BenchServer } from './databases.js';
import { runLoad, type LoadOptions } from './load.js';
import { median } from './measure.js';
import type { Finding } from './report.js';
import type { Running } from './servers.js';
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
    await besideLogins(running, () => runLoad(paced));
    const alone: number[] = [];
    const beside: number[] = [];
    let done = 0;
    for (let round = 0; round < rounds; round += 1) {
      alone.push((await runLoad(paced)).p99);
      const { result, logins } = await besideLogins(running, () => runLoad(paced));
      beside.push(result.p99);
      done += logins;
    }
    return [
      {
        name: `${database.dialect} reads beside logins`,
        value: median(beside) / median(alone),
        unit: '× p99',
        target: 2,
        atLeast: false,
        note:
          `${outstanding} logins outstanding, ${(done / rounds / seconds).toFixed(1)} done a second; ` +
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

/** Every login that ends is followed by the next; the body begins when all wait for their turn. */
const besideLogins = async <Result>(
  { target }: Running,
  body: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly logins: number }> => {
  const ending = new AbortController();
  let logins = 0;
  const repeat = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await logIn(target);
      logins += 1;
    }
  };
  const all = Promise.all(Array.from({ length: outstanding }, repeat));
  try {
    await setTimeout(settleMilliseconds);
    const before = logins;
    const result = await body();
    return { result, logins: logins - before };
  } finally {
    ending.abort();
    await all;
  }
};
