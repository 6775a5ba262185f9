/** Connections are accepted, and their requests counted, before further work begins. */
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createArrivals, arrivals as ofThread } from '../../../runtime/concurrency/arrivals.js';
import { createFairQueue } from '../../../runtime/concurrency/fair-queue.js';
import { toApiRequest, type MessageOptions } from '../../../runtime/http/messages.js';

const queueOf = (arrivals = createArrivals()) =>
  createFairQueue({ maxTasks: 1000, concurrency: 10, arrivals, tasks: 'requests', service: 'server' });

it('work waits for the first turn of the event loop without a new connection, and then begins in order', async () => {
  const arrivals = createArrivals();
  const queue = queueOf(arrivals);
  const begun: number[] = [];
  const run = (name: number): Promise<void> => queue.run(async () => void begun.push(name));
  const all: Promise<void>[] = [];
  for (let name = 1; name <= 5; name += 1) {
    arrivals.count();
    all.push(run(name));
    await turn();
    expect(begun).toEqual([]);
  }
  await turn();
  await Promise.all(all);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(arrivals.arePending(() => undefined)).toBe(false);
  await run(6);
  expect(begun).toHaveLength(6);
});

it('work that began goes on', async () => {
  const arrivals = createArrivals();
  const queue = queueOf(arrivals);
  const running = queue.run(() => turn('done'));
  arrivals.count();
  expect(await running).toBe('done');
});

it('work goes on where connections never cease to come', async () => {
  const arrivals = createArrivals();
  const queue = queueOf(arrivals);
  const begun: string[] = [];
  arrivals.count();
  const task = queue.run(async () => void begun.push('task'));
  for (let turns = 0; turns < 300 && begun.length === 0; turns += 1) {
    arrivals.count();
    await turn();
  }
  expect(begun).toEqual(['task']);
  await task;
});

it('work waits for a connection that a supervisor has announced, but not for one that does not come', async () => {
  const arrivals = createArrivals();
  const queue = queueOf(arrivals);
  const begun: string[] = [];
  arrivals.count();
  arrivals.expect(true);
  const first = queue.run(async () => void begun.push('first'));
  await turn();
  await turn();
  await turn();
  expect(begun).toEqual([]);
  arrivals.count();
  arrivals.expect(false);
  await first;
  arrivals.count();
  arrivals.expect(true);
  await queue.run(async () => void begun.push('second'));
  expect(begun).toEqual(['first', 'second']);
});

const options: MessageOptions = {
  base: '',
  payloadMax: 0,
  proxies: { addressOf: () => '', isSecure: () => false },
  ownOrigin: null,
  trustsOrigin: () => false,
};

it('requests of many new connections are read before they run', async () => {
  const queue = queueOf(ofThread);
  let read = 0;
  const readBefore: number[] = [];
  const server = createServer((request, response) => {
    toApiRequest(request, response, options);
    read += 1;
    void queue.run(async () => void readBefore.push(read)).then(() => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = 40;
  const responses = Array.from({ length: connections }, async () => {
    // an address, as names are looked up in other threads: all connect before the server accepts the first
    const request = get({ host: '127.0.0.1', port, agent: false });
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
    await once(response.resume(), 'end');
  });
  await Promise.all(responses);
  server.close();
  // the sixth of the first ones would otherwise begin when six were read
  expect(readBefore[5]).toBeGreaterThan(connections / 2);
});
