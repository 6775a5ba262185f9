/** Shutdown of the listener, and its time limits. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { request, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Responder } from '../../runtime/http/responder.js';
import { listen, type Listener } from '../../runtime/http/node-server.js';
import type { ApiRequest } from '../../runtime/request/api-request.js';
import { createProxies } from '../../runtime/http/client-address.js';
import { until } from '../until.js';

let listener: Listener | null = null;
afterEach(() => listener?.close());

const open = async (answer: Responder): Promise<Listener> =>
  (listener = await listen({
    host: '127.0.0.1',
    port: 0,
    base: '',
    payloadMax: 1_000,
    proxies: createProxies({ hops: 0, ranges: [] }),
    ownOrigin: null,
    trustsOrigin: () => false,
    respond: answer,
    observe: () => undefined,
    templateOf: () => '*',
  }));

/** Returns the server of the next request. */
const nextServer = (): Promise<Server> =>
  new Promise((resolve) => {
    const keep = (message: unknown): void => {
      unsubscribe('http.server.request.start', keep);
      resolve((message as { server: Server }).server);
    };
    subscribe('http.server.request.start', keep);
  });

const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });

describe('a listener that closes', () => {
  it('waits for responses in progress, even if the client has disconnected', async () => {
    const events = new EventEmitter();
    const work = once(events, 'work');
    const { port, close } = await open(async () => {
      events.emit('begun');
      await work;
      return { status: 204, headers: {}, body: null };
    });
    const serving = nextServer();
    const client = request({ port, host: '127.0.0.1' }).on('error', () => undefined);
    client.end();
    await once(events, 'begun');
    const withoutConnections = once(await serving, 'close');
    client.destroy();
    let isClosed = false;
    const closing = close().then(() => (isClosed = true));
    await until(() => isRefused(port), { what: 'connections are refused' });
    await withoutConnections;
    await setImmediate();
    expect(isClosed).toBe(false);
    events.emit('work');
    await closing;
  });

  it('does not wait for connections without a request, which clients open in advance', async () => {
    const { port, close } = await open(async () => ({ status: 204, headers: {}, body: null }));
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const ended = once(socket, 'close');
    await fetch(`http://127.0.0.1:${port}/`);
    await close();
    await ended;
    expect(socket.destroyed).toBe(true);
  }, 15_000);
});

it('gives clients 20 s for the head of a request, a minute for all of it, and advertises 5 s until the next one', async () => {
  const { port } = await open(async () => ({ status: 204, headers: {}, body: null }));
  const serving = nextServer();
  const { headers } = await fetch(`http://127.0.0.1:${port}/`);
  expect(headers.get('keep-alive')).toBe('timeout=5');
  expect(await serving).toMatchObject({
    headersTimeout: 20_000,
    requestTimeout: 60_000,
    // clients that count 5 s do not use a connection that may be closed
    keepAliveTimeout: 5_999,
  });
});

/** Opens a connection, which sends one request after the other. */
const openConnection = async (answer: Responder = async () => ({ status: 204, headers: {}, body: null })) => {
  const opened = await open(answer);
  const serving = nextServer();
  const client = connect(opened.port, '127.0.0.1');
  const accepted = new Promise<Socket>((resolve) => {
    void serving.then((server) => server.once('request', ({ socket }) => resolve(socket as Socket)));
  });
  const send = async (): Promise<string> => {
    client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    return String((await once(client, 'data'))[0]);
  };
  return { ...opened, client, send, accepted };
};

describe('an idle connection', () => {
  it('is kept for proxies beyond the time that is advertised to clients, until it was idle for 75 s', async () => {
    const { client, send, accepted } = await openConnection();
    await send();
    await send();
    const socket = await accepted;
    for (let round = 0; round < 3; round += 1) {
      socket.emit('timeout');
      expect([socket.destroyed, socket.timeout]).toEqual([false, 70_000]);
      expect(await send()).toMatch(/^HTTP\/1\.1 204[^]*timeout=5/);
    }
    socket.emit('timeout');
    socket.emit('timeout');
    expect(socket.destroyed).toBe(true);
    client.destroy();
  });

  it('is answered during the grace of a listener that closes, which asks to close it', async () => {
    const { client, send, close } = await openConnection();
    await send();
    const closing = close(2_000);
    await setImmediate();
    expect(await send()).toMatch(/^HTTP\/1\.1 204[^]*Connection: close/);
    await once(client, 'close');
    await closing;
  });

  it('is not promised by a response that began before its listener closes', async () => {
    const events = new EventEmitter();
    const { send, close } = await openConnection(async () => {
      events.emit('begun');
      await once(events, 'work');
      return { status: 204, headers: {}, body: null };
    });
    const begun = once(events, 'begun');
    const answer = send();
    await begun;
    const closing = close(100);
    events.emit('work');
    expect(await answer).toMatch(/Connection: close/);
    await closing;
  });
});

describe('a request', () => {
  it('reports that its client has disconnected, also to those who ask afterwards', async () => {
    const requests = new EventEmitter();
    const { port } = await open(async (sent) => {
      requests.emit('request', sent);
      await once(requests, 'end');
      return { status: 204, headers: {}, body: null };
    });
    const received = once(requests, 'request');
    const client = request({ port, host: '127.0.0.1' }).on('error', () => undefined);
    client.end();
    const [sent] = (await received) as [ApiRequest];
    const aborted = once(sent.closeSignal(), 'abort');
    client.destroy();
    await aborted;
    await expect(new Promise((resolve) => sent.onClose(() => resolve('closed')))).resolves.toBe('closed');
    requests.emit('end');
  });

  it('is not aborted by its response', async () => {
    const signals: AbortSignal[] = [];
    const ends: Promise<void>[] = [];
    const { port } = await open(async (sent) => {
      signals.push(sent.closeSignal());
      ends.push(new Promise((resolve) => sent.onClose(resolve)));
      return { status: 204, headers: {}, body: null };
    });
    await fetch(`http://127.0.0.1:${port}/`);
    await Promise.all(ends);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('keeps the id of its client up to 64 characters', async () => {
    const { port } = await open(async () => ({ status: 204, headers: {}, body: null }));
    const idOf = async (id: string): Promise<string | null> => {
      const { headers } = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-request-id': id } });
      return headers.get('x-request-id');
    };
    expect(await idOf('i'.repeat(64))).toBe('i'.repeat(64));
    expect(await idOf('i'.repeat(65))).toMatch(/^[0-9a-f]{12}-\w+$/);
  });
});
