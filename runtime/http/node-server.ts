/** Serves the router on a node:http server. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Responder } from './respond.js';
import { sendResponse, toApiRequest, type MessageOptions } from './messages.js';
import type { Observe } from '../observe.js';
import type { ApiRequest } from '../request/api-request.js';

export interface ListenOptions extends MessageOptions {
  readonly host: string;
  readonly port: number;
  readonly respond: Responder;
  readonly observe: Observe;
  /** Where connections come from; without it, the server listens itself. */
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
   */
  close(): Promise<void>;
}

export const listen = (options: ListenOptions): Promise<Listener> => {
  const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 60_000, headersTimeout: 20_000 });
  const inProgress = { count: 0 };
  server.on('request', createListener(options, inProgress));
  const { connections } = options;
  if (connections !== undefined)
    return Promise.resolve(serveConnections({ server, inProgress, connections }, options));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve({ port: (server.address() as AddressInfo).port, close: () => close(server, inProgress) });
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
    close() {
      stop();
      return close(server, inProgress);
    },
  };
};

/** Number of requests in progress. */
interface InProgress {
  count: number;
}

const createListener =
  (options: ListenOptions, inProgress: InProgress): RequestListener =>
  (request: IncomingMessage, response: ServerResponse) => {
    const apiRequest = toApiRequest(request, response, options);
    inProgress.count += 1;
    options
      .respond(apiRequest)
      .then((output) => sendResponse(output, apiRequest, response))
      .catch((error: unknown) => {
        const { id, method } = apiRequest;
        options.observe({ kind: 'requestFailed', id, method, route: options.templateOf(apiRequest), error });
        response.destroy();
      })
      .finally(() => {
        inProgress.count -= 1;
      });
  };

/** Closes keep-alive connections as each becomes idle after its last response. */
const close = (server: Server, inProgress: InProgress): Promise<void> =>
  new Promise((resolve) => {
    let isClosed = false;
    const closeIdle = setInterval(() => {
      server.closeIdleConnections();
      finish();
    }, 50);
    const finish = (): void => {
      if (!isClosed || inProgress.count > 0) return;
      clearInterval(closeIdle);
      resolve();
    };
    server.close(() => {
      isClosed = true;
      finish();
    });
    server.closeIdleConnections();
  });
