/** Converts node:http messages to and from ApiRequest and ApiResponse, for both listeners. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable, pipeline } from 'node:stream';
import { arrivals } from '../concurrency/arrivals.js';
import { packageVersion } from '../config/package.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import type { Connection, Proxies } from './client-address.js';
import { readBody, streamBody } from './body.js';
import { isUntrustedOrigin, type OriginOptions } from './origin.js';

export interface MessageOptions extends OriginOptions {
  /** Path prefix without a trailing slash, such as `/api`; empty at the root. */
  readonly base: string;
  /** Maximum size of a request body in bytes. */
  readonly payloadMax: number;
  readonly proxies: Proxies;
}

/** Converts a node:http request; the body is read on first use. */
export const toApiRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  { base, payloadMax, proxies, ownOrigin, trustsOrigin }: MessageOptions,
): ApiRequest => {
  const local = withoutBase(originForm(request.url ?? '/'), base);
  const queryStart = local.indexOf('?');
  let body: Promise<Buffer> | null = null;
  countConnection(request);
  return {
    id: requestId(request.headers['x-request-id']),
    method: request.method ?? 'GET',
    path: queryStart === -1 ? local : local.slice(0, queryStart),
    query: queryStart === -1 ? '' : local.slice(queryStart + 1),
    headers: request.headers,
    address: () => proxies.addressOf(connectionOf(request)),
    isSecure: () =>
      // an https PUBLIC_URL means that a proxy terminates TLS, even if it sends no header about it
      ownOrigin?.startsWith('https:') === true ||
      'encrypted' in request.socket ||
      proxies.isSecure(connectionOf(request)),
    isUntrustedOrigin: () => isUntrustedOrigin(request.headers, { ownOrigin, trustsOrigin }),
    closeSignal: () => createCloseSignal(response),
    onClose: (callback) => callOnClose(response, callback),
    body: (maxSize = payloadMax) => (body ??= readBody(request, maxSize)),
    stream: (maxSize) => streamBody(request, maxSize),
  };
};

/** Returns path and query of a target that may name the origin too, as proxies send it (RFC 9112 §3.2.2). */
const originForm = (target: string): string =>
  target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*\/?/i, '/');

/** Returns what follows the path prefix, which proxies may have removed. */
const withoutBase = (url: string, base: string): string => {
  if (base === '' || !url.startsWith(base)) return url;
  const rest = url.slice(base.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
};

const counted = new WeakSet<Socket>();

/** Counts the connection of a request when it is its first; listeners of other applications do not tell of connections. */
const countConnection = ({ socket }: IncomingMessage): void => {
  if (counted.has(socket)) return;
  counted.add(socket);
  arrivals.count();
};

const createCloseSignal = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
};

const callOnClose = (response: ServerResponse, callback: () => void): void => {
  // the event has passed where the client disconnected earlier
  if (response.closed) callback();
  else response.once('close', callback);
};

const connectionOf = ({ socket, headers }: IncomingMessage): Connection => ({
  remoteAddress: socket.remoteAddress,
  headers,
});

const processId = randomBytes(6).toString('hex');
let counter = 0;

/** Returns the request id of the caller if it is safe, otherwise a new one. */
const requestId = (header: string | string[] | undefined): string => {
  if (typeof header === 'string' && /^[\w.-]{1,64}$/.test(header)) return header;
  counter += 1;
  return `${processId}-${counter.toString(36)}`;
};

/** Sends a response, unless the client has disconnected. */
export const sendResponse = (
  { status, headers, cookies, body }: ApiResponse,
  request: ApiRequest,
  response: ServerResponse,
): void => {
  if (response.headersSent || response.destroyed) return;
  // a flat array, as merging objects costs several microseconds
  const head: OutgoingHttpHeader[] = [
    'x-request-id',
    request.id,
    'x-svc-version',
    packageVersion,
    'x-content-type-options',
    'nosniff',
  ];
  if (headers['cache-control'] === undefined) head.push('cache-control', 'no-store');
  for (const name of Object.keys(headers)) head.push(name, headers[name] ?? '');
  // in one call, as an Express application keeps one value per name
  if (cookies !== undefined && cookies.length > 0) head.push('set-cookie', [...cookies]);
  if (body instanceof Readable) return sendStream(body, { status, head, request, response });
  if (status !== 204 && status !== 304)
    head.push('content-length', String(body === null ? 0 : Buffer.byteLength(body)));
  response.writeHead(status, head);
  if (request.method === 'HEAD' || body === null) response.end();
  else response.end(body);
};

interface Outgoing {
  readonly status: number;
  readonly head: readonly OutgoingHttpHeader[];
  readonly request: ApiRequest;
  readonly response: ServerResponse;
}

/**
 * Sends a stream. A disconnect destroys the stream; a failing stream closes the connection, so that the
 * client sees an incomplete response.
 */
const sendStream = (body: Readable, { status, head, request, response }: Outgoing): void => {
  response.writeHead(status, [...head]);
  if (request.method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  response.flushHeaders();
  pipeline(body, response, () => undefined);
};
