/** Serves the router on a node:http server. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Responder } from './responder.js';
import { acceptBacklog } from './backlog.js';
import { idleTimeout, advertisedTimeout } from './timeouts.js';
import { sendResponse, toApiRequest, type MessageOptions } from './messages.js';
import type { Observe } from '../observe.js';
import type { ApiRequest } from '../request/api-request.js';

export interface ListenOptions extends MessageOptions {
  readonly host: string;
  readonly port: number;
  readonly respond: Responder;
  readonly observe: Observe;
  /** Source of connections; without it, the server listens itself. */
  readonly connections?: ConnectionSource;
  /** Returns the path of a request's route, without its values. */
  templateOf(request: ApiRequest): string;
}

/** Calls `accept` for every connection. @returns a function that stops it */
export type ConnectionSource = (accept: (socket: Socket) => void) => () => void;

export interface Listener {
  readonly port: number;
  /**
   * Stops accepting connections; resolves after the last response, including those of disconnected clients.
   * @param grace milliseconds for which connections are kept open and each response asks to close its own, so that no
   * request meets a connection that is being closed
   */
  close(grace?: number): Promise<void>;
}

/** Resolves when the server accepts connections. @throws what Node throws where the port is taken */
export const listen = (options: ListenOptions): Promise<Listener> => {
  const server = createServer({
    keepAliveTimeout: advertisedTimeout,
    requestTimeout: 60_000,
    headersTimeout: 20_000,
  });
  const inProgress: InProgress = {
    responses: new Set(),
    isLeaving: false,
    sockets: new Set(),
    idle: new WeakSet(),
  };
  server.on('timeout', (socket) => keepIdle(socket, inProgress));
  server.on('connection', (socket) => track(socket, inProgress.sockets));
  server.on('request', createListener(options, inProgress));
  const { connections } = options;
  if (connections !== undefined)
    return Promise.resolve(serveConnections({ server, inProgress, connections }, options));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const { port, host } = options;
    server.listen({ port, host, backlog: acceptBacklog }, () => {
      server.off('error', reject);
      resolve({
        port: (server.address() as AddressInfo).port,
        close: (grace) => close(server, inProgress, grace),
      });
    });
  });
};

interface Serving {
  readonly server: Server;
  readonly inProgress: InProgress;
  readonly connections: ConnectionSource;
}

/** Serves connections that another process has accepted. */
const serveConnections = (
  { server, inProgress, connections }: Serving,
  { port }: ListenOptions,
): Listener => {
  // begins to enforce the time limits of requests
  server.emit('listening');
  const stop = connections((socket) => server.emit('connection', socket));
  return {
    port,
    close(grace) {
      stop();
      return close(server, inProgress, grace);
    },
  };
};

interface InProgress {
  /** Responses to requests in progress. */
  readonly responses: Set<ServerResponse>;
  /** True where responses ask to close their connection. */
  isLeaving: boolean;
  /** Open connections: those without a request yet are not idle in the sense of `closeIdleConnections`. */
  readonly sockets: Set<Socket>;
  /** Connections that have been idle for longer than `Keep-Alive` advertises. */
  readonly idle: WeakSet<Socket>;
}

/** Keeps a connection that clients are no longer to use for proxies, unless the server is leaving. */
const keepIdle = (socket: Socket, { idle, isLeaving }: InProgress): void => {
  if (isLeaving || idle.has(socket)) {
    socket.destroy();
    return;
  }
  idle.add(socket);
  socket.setTimeout(idleTimeout - advertisedTimeout);
};

const track = (socket: Socket, sockets: Set<Socket>): void => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
};

/** Closes connections without a request, which clients open in advance. */
const closeUnused = ({ sockets }: InProgress): void => {
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
};

const createListener =
  (options: ListenOptions, inProgress: InProgress): RequestListener =>
  (request: IncomingMessage, response: ServerResponse) => {
    const apiRequest = toApiRequest(request, response, options);
    inProgress.idle.delete(request.socket);
    inProgress.responses.add(response);
    if (inProgress.isLeaving) response.shouldKeepAlive = false;
    void answer(apiRequest, response, options).finally(() => {
      inProgress.responses.delete(response);
    });
  };

const answer = async (
  request: ApiRequest,
  response: ServerResponse,
  { respond, observe, templateOf }: ListenOptions,
): Promise<void> => {
  try {
    sendResponse(await respond(request), request, response);
  } catch (error) {
    const { id, method } = request;
    observe({ kind: 'requestFailed', id, method, route: templateOf(request), error });
    response.destroy();
  }
};

/** Closes keep-alive connections as each becomes idle after its last response. */
const close = async (server: Server, inProgress: InProgress, grace = 0): Promise<void> => {
  inProgress.isLeaving = true;
  for (const response of inProgress.responses) response.shouldKeepAlive = false;
  if (grace > 0) await sleep(grace);
  await closeServer(server, inProgress);
};

const closeServer = (server: Server, inProgress: InProgress): Promise<void> =>
  new Promise((resolve) => {
    let isClosed = false;
    const closeIdle = setInterval(() => {
      closeUnused(inProgress);
      server.closeIdleConnections();
      finish();
    }, 50);
    const finish = (): void => {
      if (!isClosed || inProgress.responses.size > 0) return;
      clearInterval(closeIdle);
      resolve();
    };
    server.close(() => {
      isClosed = true;
      finish();
    });
    server.closeIdleConnections();
  });
