/** Converts node:http messages to and from ApiRequest and ApiResponse, for both listeners. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { Readable, pipeline } from 'node:stream';
import { apiError } from '../../contract/errors.js';
import { packageVersion } from '../config/package.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import type { Connection, Proxies } from '../request/client-address.js';
import { isForeign } from '../request/origin.js';

export interface EdgeOptions {
  /** Path prefix without a trailing slash, such as `/api`; empty at the root. */
  readonly base: string;
  /** Maximum size of a request body in bytes. */
  readonly payloadMax: number;
  readonly proxies: Proxies;
  /** Of pages of this server; `null`: whatever host they ask. */
  readonly ownOrigin: string | null;
}

export const toApiRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  { base, payloadMax, proxies, ownOrigin }: EdgeOptions,
): ApiRequest => {
  const url = request.url ?? '/';
  const local = base !== '' && url.startsWith(`${base}/`) ? url.slice(base.length) : url;
  const mark = local.indexOf('?');
  let body: Promise<Buffer> | null = null;
  return {
    id: requestId(request.headers['x-request-id']),
    method: request.method ?? 'GET',
    path: mark === -1 ? local : local.slice(0, mark),
    query: mark === -1 ? '' : local.slice(mark + 1),
    headers: request.headers,
    address: () => proxies.addressOf(connectionOf(request)),
    isSecure: () =>
      // whoever ends TLS in front, and whether or not they say so
      ownOrigin?.startsWith('https:') === true ||
      'encrypted' in request.socket ||
      proxies.isSecure(connectionOf(request)),
    isForeign: () => isForeign(request.headers, ownOrigin),
    gone: () => goneSignal(response),
    body: () => (body ??= readBody(request, payloadMax)),
  };
};

const goneSignal = (response: ServerResponse): AbortSignal => {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
};

const connectionOf = ({ socket, headers }: IncomingMessage): Connection => ({
  remoteAddress: socket.remoteAddress,
  headers,
});

const processId = randomBytes(6).toString('hex');
let counter = 0;

/** Returns the request id of the caller if it is safe, otherwise a new one. */
const requestId = (given: string | string[] | undefined): string => {
  if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given;
  counter += 1;
  return `${processId}-${counter.toString(36)}`;
};

/**
 * Reads a body. The rest of an oversized body is read and discarded, as a client that is still sending would
 * not read a response on a closed connection.
 * @throws CONTENT_TOO_LARGE as soon as the limit is exceeded
 */
const readBody = (request: IncomingMessage, most: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const refuse = (): void =>
      reject(apiError('CONTENT_TOO_LARGE', { limit: most }, `at most ${most} bytes are read`));
    if (Number(request.headers['content-length'] ?? 0) > most) return refuse();
    const keep = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= most) return;
      chunks.length = 0;
      request.off('data', keep).resume();
      refuse();
    };
    request.on('data', keep);
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('the request was given up'));
    });
  });

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
  for (const name of Object.keys(headers)) head.push(name, headers[name] ?? '');
  // in one call, as an Express application keeps one value per name
  if (cookies !== undefined && cookies.length > 0) head.push('set-cookie', [...cookies]);
  if (body instanceof Readable) return sendStream(body, { status, head, request, response });
  if (status !== 204) head.push('content-length', String(body === null ? 0 : Buffer.byteLength(body)));
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
