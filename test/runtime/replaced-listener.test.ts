/** Clients that keep their connections busy, now and then, lose no request while one listener after the other takes the place of the last. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { listen, type Listener } from '../../runtime/http/node-server.js';
import { clientGrace } from '../../runtime/http/timeouts.js';
import { createProxies } from '../../runtime/http/client-address.js';
import { until } from '../until.js';

let front: Server | null = null;
afterEach(() => void front?.close());

/** A port whose new connections go to the present one of a series of listeners, as those of a supervisor do. */
const openFront = async () => {
  let accept: ((socket: Socket) => void) | null = null;
  const open = (): Promise<Listener> =>
    listen({
      host: '127.0.0.1',
      port: 0,
      base: '',
      payloadMax: 1_000,
      proxies: createProxies({ hops: 0, ranges: [] }),
      ownOrigin: null,
      trustsOrigin: () => false,
      respond: async () => {
        await sleep(5);
        return { status: 204, headers: {}, body: null };
      },
      observe: () => undefined,
      templateOf: () => '*',
      connections: (take) => {
        accept = take;
        return () => undefined;
      },
    });
  front = createServer((socket) => accept?.(socket));
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return { port: (front.address() as AddressInfo).port, open };
};

/** Sends requests with a pause after each response, but none later than the server said it may; returns what was lost. */
const sendWithPauses = (port: number, pause: number) => {
  const state = { isStopped: false, requests: 0 };
  const lost: string[] = [];
  const use = async (socket: Socket): Promise<void> => {
    let head = '';
    let answered: (() => void) | null = null;
    socket.on('error', () => undefined);
    socket.on('close', () => answered?.());
    socket.on('data', (data) => {
      head += String(data);
      answered?.();
    });
    while (!state.isStopped) {
      head = '';
      state.requests += 1;
      const answer = new Promise<void>((resolve) => (answered = resolve));
      socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
      await answer;
      if (!head.startsWith('HTTP/1.1 204')) lost.push('a request without a response');
      if (socket.destroyed || /connection: close/i.test(head)) return;
      const told = Number(/timeout=(\d+)/.exec(head)?.[1] ?? 0) * 1_000;
      await sleep(Math.min(pause, told * 0.9));
      if (!socket.destroyed) continue;
      lost.push('a connection that was closed before the time that the client was told');
      return;
    }
  };
  const run = async (): Promise<void> => {
    while (!state.isStopped) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      await use(socket);
      socket.destroy();
    }
  };
  const running = run();
  return {
    requests: () => state.requests,
    async stop() {
      state.isStopped = true;
      await running;
      return { lost, requests: state.requests };
    },
  };
};

it('20 replacements lose no request of clients that pause for 10 ms, or as long as they were told they may', async () => {
  const { port, open } = await openFront();
  let current = await open();
  /** Clients that send often, so that each replacement happens between two of their requests, and during some. */
  const quick = 3;
  const clients = [10, 50, 300, 1_000, 3_000, 10_000].flatMap((pause) =>
    Array.from({ length: 3 }, () => sendWithPauses(port, pause)),
  );
  const closed: Promise<void>[] = [];
  for (let count = 0; count < 20; count += 1) {
    const sent = clients.map((client) => client.requests());
    await until(() => clients.slice(0, quick).every((client, at) => client.requests() > (sent[at] ?? 0) + 5));
    const last = current;
    current = await open();
    closed.push(last.close(clientGrace));
  }
  await Promise.all(closed);
  const results = await Promise.all(clients.map((client) => client.stop()));
  expect(results.flatMap(({ lost }) => lost)).toEqual([]);
  expect(results.every(({ requests }) => requests > 1)).toBe(true);
  await current.close();
});
