/** Compresses responses for clients that accept it (RFC 9110 §12.5.3). */
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { ApiResponse } from '../request/api-request.js';
import { addVary } from './headers.js';
import type { Responder } from './responder.js';

/** Minimum size in bytes of a compressed response; smaller ones fit into one packet. */
const minSize = 1024;

const compressible = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?(?:json|x-ndjson|yaml))/;

/**
 * Compresses the responses of a responder, except streams of a known length (files) and responses with tokens (`/auth`
 * and `no-store`): the compressed length of a secret beside text of an attacker reveals the secret.
 */
export const compressResponses =
  (respond: Responder): Responder =>
  async (request) => {
    const response = await respond(request);
    const { headers, body } = response;
    if (body === null || isLeftAsIs(body, headers)) return response;
    const accepted = request.headers['accept-encoding'];
    // most clients of an API ask for none, and reads of items name the header already
    if (accepted === undefined && variesByEncoding(headers)) return response;
    if (!isCompressible(headers) || /^\/auth(?:\/|$)/.test(request.path)) return response;
    const encoding = encodingFor(accepted);
    return encoding === null ? varyByEncoding(response) : encode(varyByEncoding(response), body, encoding);
  };

/** Returns whether a body is a file, which has a length although it is a stream, or too short. */
const isLeftAsIs = (body: Body, headers: ApiResponse['headers']): boolean =>
  body instanceof Readable ? headers['content-length'] !== undefined : body.length < minSize;

const isCompressible = (headers: ApiResponse['headers']): boolean =>
  headers['content-encoding'] === undefined &&
  headers['cache-control'] !== 'no-store' &&
  compressible.test(headers['content-type'] ?? '');

type Body = NonNullable<ApiResponse['body']>;
type Encoding = 'br' | 'gzip';

/** Returns the preferred encoding that an `Accept-Encoding` header allows, or null. */
export const encodingFor = (accepted: string | string[] | undefined): Encoding | null => {
  if (accepted === undefined) return null;
  const names = new Set<string>();
  for (const entry of String(accepted).toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) names.add(name);
  }
  if (names.has('br')) return 'br';
  return names.has('gzip') ? 'gzip' : null;
};

const variesByEncoding = ({ vary }: ApiResponse['headers']): boolean =>
  vary !== undefined && vary.includes('Accept-Encoding');

const varyByEncoding = (response: ApiResponse): ApiResponse => ({
  ...response,
  headers: addVary(response.headers, 'Accept-Encoding'),
});

/** Compression levels with the best ratio of size to time, measured on pages of items. */
const brotliQuality = 3;
const gzipLevel = 1;

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

const encode = async (
  { headers, ...response }: ApiResponse,
  body: Body,
  encoding: Encoding,
): Promise<ApiResponse> => {
  const { etag } = headers;
  return {
    ...response,
    headers: {
      ...headers,
      'content-encoding': encoding,
      // each encoding needs its own tag
      ...(etag !== undefined && { etag: etag.replace(/"$/, `-${encoding}"`) }),
    },
    body:
      body instanceof Readable
        ? // the end of one of the two, for whatever reason, is the end of the other
          pipeline(body, createCompressor(encoding), () => undefined)
        : await compressAtOnce(body, encoding),
  };
};

const createCompressor = (encoding: Encoding): Transform =>
  encoding === 'gzip' ? createGzip({ level: gzipLevel }) : createBrotliCompress(brotliOptions);

const compressAtOnce = (body: Buffer | string, encoding: Encoding): Promise<Buffer> =>
  encoding === 'gzip' ? toGzip(body, { level: gzipLevel }) : toBrotli(body, brotliOptions);

const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } };
