/** Requests of clients that know a few fields, sent at a rate while the schema changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from './running-host.js';

/** Statements of the tables that the requests are about. */
export const shopTables = `create table product (id integer not null primary key, title varchar(40), price integer);
  insert into product values (1, 'Chair', 40), (2, 'Table', 90);
  create table shelf (id integer not null primary key, room varchar(40));`;

type Call = (host: Host) => ReturnType<Host['request']>;

/** Number of shelves that were sent, by all senders to all databases: no two have the same id. */
let shelves = 0;

/** Everything but `product.id`, `product.title` and `shelf` may come and go. */
const calls: readonly Call[] = [
  (host) => host.request('/items/product'),
  (host) => host.request('/items/product?fields=id,title&filter[title][_neq]=x&sort=title'),
  (host) => host.request('/items/product/1', 'PATCH', { title: 'Chair' }),
  (host) => host.request('/graphql', 'POST', { query: '{ product { id title } shelf { id room } }' }),
  (host) => host.request('/items/shelf?aggregate[count]=*'),
  (host) => host.request('/items/shelf', 'POST', { id: (shelves += 1), room: 'Room' }),
  (host) => host.request('/items/product/2'),
];

export interface Sent {
  /** Responses other than 200 and 204. */
  readonly failed: readonly { readonly status: number; readonly body: unknown }[];
  /** Milliseconds of each request, ascending. */
  readonly times: readonly number[];
  /** Requests a second. */
  readonly rate: number;
}

export interface MixedRequests {
  count(): number;
  /** Sends nothing for some milliseconds. */
  pause(ms: number): Promise<void>;
  stop(): Promise<Sent>;
}

/** @param rate requests a second, if the machine permits; a request waits for the last one of its sender */
export const sendMixed = (hosts: readonly Host[], rate: number): MixedRequests => {
  const senders = Math.max(hosts.length, Math.ceil(rate / 10));
  const pause = (senders / rate) * 1000;
  const failed: Sent['failed'][number][] = [];
  const times: number[] = [];
  const began = performance.now();
  const state = { isStopped: false, isPaused: false };
  let paused = 0;
  let count = 0;
  const send = async (host: Host): Promise<void> => {
    while (!state.isStopped) {
      if (state.isPaused) {
        await sleep(100);
        continue;
      }
      const started = performance.now();
      count += 1;
      const call = calls[count % calls.length] as Call;
      const answer = await call(host).catch((error: Error) => ({ status: 0, body: error.message }));
      times.push(performance.now() - started);
      if (answer.status !== 200 && answer.status !== 204) failed.push(answer);
      await sleep(Math.max(0, pause - (performance.now() - started)));
    }
  };
  const sending = Array.from({ length: senders }, (_, at) => send(hosts[at % hosts.length] as Host));
  return {
    count: () => count,
    async pause(ms) {
      state.isPaused = true;
      await sleep(ms);
      state.isPaused = false;
      paused += ms;
    },
    async stop() {
      state.isStopped = true;
      await Promise.all(sending);
      const seconds = (performance.now() - began - paused) / 1000;
      return { failed, times: times.toSorted((a, b) => a - b), rate: times.length / seconds };
    },
  };
};
