/**
 * The first door: node:http hands the data plane straight to the pipeline, everything else to Express, which is
 * loaded when it is first needed. Merely entering Express costs as much as a whole small read.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { routeOf, type Answer } from './respond.js';
import { sendResponse, toApiRequest, type EdgeOptions } from './messages.js';
import type { Observe } from '../observe.js';

export interface ListenOptions extends EdgeOptions {
  readonly host: string;
  readonly port: number;
  readonly answer: Answer;
  readonly observe: Observe;
  /** Answers whatever is not of the data plane. */
  loadRest(): Promise<RequestListener>;
}

export interface Listener {
  readonly port: number;
  /** Takes no more connections; resolves when the last request is answered, also of a client who has left. */
  close(): Promise<void>;
}

export const listen = (options: ListenOptions): Promise<Listener> => {
  const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 60_000, headersTimeout: 20_000 });
  const answering = { count: 0 };
  server.on('request', createListener(options, answering));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve({ port: (server.address() as AddressInfo).port, close: () => close(server, answering) });
    });
  });
};

/** Requests of the data plane that have no answer yet. */
interface Answering {
  count: number;
}

const createListener = (options: ListenOptions, answering: Answering): RequestListener => {
  let rest: Promise<RequestListener> | null = null;
  return (request: IncomingMessage, response: ServerResponse) => {
    const apiRequest = toApiRequest(request, response, options);
    const answered = options.answer(apiRequest);
    if (answered !== null) {
      answering.count += 1;
      answered
        .then((answer) => sendResponse(answer, apiRequest, response))
        .catch((error: unknown) => {
          const { id, method, path } = apiRequest;
          options.observe({ kind: 'requestFailed', id, method, route: routeOf(path), error });
          response.destroy();
        })
        .finally(() => {
          answering.count -= 1;
        });
      return;
    }
    rest ??= options.loadRest();
    rest.then(
      (listener) => listener(request, response),
      () => response.destroy(),
    );
  };
};

/** Connections that are kept alive become idle one by one, each when its last answer is out. */
const close = (server: Server, answering: Answering): Promise<void> =>
  new Promise((resolve) => {
    let isClosed = false;
    const closeIdle = setInterval(() => {
      server.closeIdleConnections();
      finish();
    }, 50);
    const finish = (): void => {
      if (!isClosed || answering.count > 0) return;
      clearInterval(closeIdle);
      resolve();
    };
    server.close(() => {
      isClosed = true;
      finish();
    });
    server.closeIdleConnections();
  });
