/** A request process that is killed takes only the requests with it that it had begun. */
import { request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { until } from '../until.js';
import type { Running, Workplace } from './commands.js';
import { createBootstrapped } from './harness/bootstrapped.js';

const kills = process.env.LONG === undefined ? 3 : 50;
const processes = 3;

let place: Workplace | null = null;

afterEach(() => place?.remove());

const start = async (): Promise<{ readonly running: Running; readonly port: string }> => {
  place = await createBootstrapped();
  const running = place.start(['start', '--workers', String(processes)], {
    PORT: '0',
    LOG_LEVEL: 'debug',
    RATE_LIMITER_ENABLED: 'false',
  });
  const [, port = ''] = await running.until(/http:\/\/127\.0\.0\.1:(\d+)\/items/);
  return { running, port };
};

/** Request processes that are ready and have not ended. */
const readyProcesses = (running: Running): readonly number[] => {
  const pidsOf = (pattern: RegExp) =>
    Array.from(running.output().matchAll(pattern), ([, pid]) => Number(pid));
  const ended = new Set(pidsOf(/request process (\d+) ended/g));
  return pidsOf(/request process (\d+) is ready/g).filter((pid) => !ended.has(pid));
};

/** Sends a request on a connection of its own. @returns `answered`, `lost`, or `hung` after less than the twenty seconds that connections hung */
const send = (port: string): Promise<string> =>
  new Promise((resolve) => {
    const call = request({ port, path: '/server/ping', agent: false }, (response) => {
      response.resume().once('end', () => resolve('answered'));
      response.once('error', () => resolve('lost'));
    });
    call.setTimeout(15_000, () => {
      resolve('hung');
      call.destroy();
    });
    call.once('error', () => resolve('lost')).end();
  });

it(
  `no connection hangs after ${kills} kills of a process`,
  async () => {
    const { running, port } = await start();
    const outcomes: Promise<string>[] = [];
    /** Requests that have been sent and not answered, by their index; those at the time of a kill. */
    const [open, begun] = [new Set<number>(), new Set<number>()];
    const load = setInterval(() => {
      const index = outcomes.length;
      open.add(index);
      outcomes.push(send(port).finally(() => open.delete(index)));
    }, 5);
    for (let kill = 0; kill < kills; kill += 1) {
      await until(() => readyProcesses(running).length === processes, { timeout: 120_000 });
      const before = outcomes.length;
      await until(() => outcomes.length > before + 20);
      for (const index of open) begun.add(index);
      process.kill(readyProcesses(running)[kill % processes] ?? 0, 'SIGKILL');
      await until(() => readyProcesses(running).length < processes);
    }
    clearInterval(load);
    const ended = await Promise.all(outcomes);
    expect(ended.filter((outcome) => outcome === 'hung')).toEqual([]);
    const lost = ended.flatMap((outcome, index) => (outcome === 'lost' ? [index] : []));
    // how many a process has begun depends on how busy the machine is
    expect(lost.filter((index) => !begun.has(index))).toEqual([]);
    expect(await running.stop('SIGTERM')).toBe(0);
  },
  kills * 60_000,
);

it('connections are spread evenly over the processes', async () => {
  const { running, port } = await start();
  await until(() => readyProcesses(running).length === processes);
  await Promise.all(Array.from({ length: 90 }, () => send(port)));
  const finished = () =>
    Array.from(running.output().matchAll(/"pid":(\d+),"kind":"requestFinished"/g), ([, pid]) => pid);
  await until(() => finished().length >= 90);
  const counts = readyProcesses(running).map(
    (pid) => finished().filter((each) => Number(each) === pid).length,
  );
  expect(counts).toEqual([30, 30, 30]);
  expect(await running.stop('SIGTERM')).toBe(0);
});
