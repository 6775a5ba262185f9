/**
 * What one, two and four worker processes carry, each of all roles. `BENCH_BACKLOG` is the number of requests that wait for them,
 * 1 000 by default. `BENCH_CLUSTER=1` runs Temporal as in production, with 512 shards on PostgreSQL, which is built by Go once.
 */
import { readCpu } from './cpu.js';
import type { Measure } from './queue-measures.js';
import type { QueuePlace } from './queue-place.js';
import { clients, waitFor } from './queue-turns.js';
import type { Finding } from './report.js';

const backlog = Number(process.env.BENCH_BACKLOG ?? 1_000);
const processes = [1, 2, 4];

const print = (value: number): string => String(Number(value.toPrecision(3)));

const countOpen = async ({ column }: QueuePlace): Promise<number> =>
  Number((await column("SELECT COUNT(*) FROM svc_requests WHERE state <> 'ended'"))[0]);

/** Resolves when at most so many requests have not ended. */
const untilOpen = (place: QueuePlace, most: number): Promise<void> =>
  waitFor(`${most} requests or less are open`, async () => (await countOpen(place)) <= most, { pause: 100 });

const submitAll = async ({ url, key }: QueuePlace): Promise<void> => {
  let left = backlog;
  const client = async (): Promise<void> => {
    while ((left -= 1) >= 0) {
      const answer = await fetch(`${url}/queue/bench/echo`, {
        method: 'POST',
        headers: key,
        body: '{"n":1}',
      });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`submit: ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
};

const cpuOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + readCpu(pid), 0);

/** The workers run before the requests come; what counts is the time from the last submit until a tenth is left. */
const carry = async (place: QueuePlace, count: number): Promise<Finding> => {
  const workers = await Promise.all(Array.from({ length: count }, place.startWorker));
  await untilOpen(place, 0);
  await submitAll(place);
  const pids = workers.map(({ pid }) => pid);
  const [began, first] = [performance.now(), await countOpen(place)];
  const [ofWorkers, ofApi] = [cpuOf(pids), readCpu(place.api.pid)];
  await untilOpen(place, backlog / 10);
  const ended = first - (await countOpen(place));
  const seconds = (performance.now() - began) / 1000;
  const [workerMicros, apiMicros] = [cpuOf(pids) - ofWorkers, readCpu(place.api.pid) - ofApi];
  await untilOpen(place, 0);
  for (const worker of workers) await worker.stop('SIGTERM');
  return {
    name: `${count} worker process${count === 1 ? '' : 'es'}`,
    value: ended / seconds,
    unit: 'requests/s',
    target: null,
    atLeast: true,
    note:
      `${ended} of ${backlog} requests, ${print(workerMicros / ended)} µs of the workers and ` +
      `${print(apiMicros / ended)} µs of the API each`,
  };
};

export const workerProcesses: Measure = async (place) => {
  const findings: Finding[] = [];
  for (const count of processes) findings.push(await carry(place, count));
  return findings;
};
