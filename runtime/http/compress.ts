/** Compresses answers for callers that ask for it (RFC 9110 §12.5.3). */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ApiResponse } from '../request/api-request.js';
import { addVary } from './headers.js';
import type { Responder } from './respond.js';

/** Bytes from which an answer is compressed: smaller ones fit into one packet. */
const threshold = 1024;

const compressible = /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?json)/;

/**
 * Compresses the answers of a responder. Streams, and answers that hold tokens (`/auth`, and what handlers keep
 * from caches), stay as they are: a compressed length tells of secrets beside text that somebody else chose.
 */
export const compressAnswers =
  (answer: Responder): Responder =>
  async (request) => {
    const response = await answer(request);
    const { headers, body } = response;
    if (body === null || !(typeof body === 'string' || Buffer.isBuffer(body)) || body.length < threshold) {
      return response;
    }
    if (!isCompressible(headers) || /^\/auth(?:\/|$)/.test(request.path)) return response;
    const encoding = encodingFor(request.headers['accept-encoding']);
    return encoding === null ? varying(response) : encode(varying(response), body, encoding);
  };

const isCompressible = (headers: ApiResponse['headers']): boolean =>
  headers['content-encoding'] === undefined &&
  headers['cache-control'] !== 'no-store' &&
  compressible.test(headers['content-type'] ?? '');

type Encoding = 'br' | 'gzip';

/** Returns the encoding for an `Accept-Encoding`, or null for none. */
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

const varying = (response: ApiResponse): ApiResponse => ({
  ...response,
  headers: addVary(response.headers, 'Accept-Encoding'),
});

/** Levels at which a millisecond compresses the most, measured on pages of items: higher ones hardly gain. */
const brotliQuality = 3;
const gzipLevel = 1;

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];

const encode = async (
  { headers, ...response }: ApiResponse,
  body: Buffer | string,
  encoding: Encoding,
): Promise<ApiResponse> => {
  const { etag } = headers;
  return {
    ...response,
    headers: {
      ...headers,
      'content-encoding': encoding,
      // other bytes need another tag
      ...(etag !== undefined && { etag: etag.replace(/"$/, `-${encoding}"`) }),
    },
    body:
      encoding === 'gzip' ? await toGzip(body, { level: gzipLevel }) : await toBrotli(body, brotliOptions),
  };
};

const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } };
