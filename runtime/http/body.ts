/** Reads request bodies, compressed or not, up to a maximum size before and after decompression. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { PassThrough, Transform, type Readable } from 'node:stream';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  inflate,
} from 'node:zlib';
import { apiError, invalidPayload, type ApiError } from '../../contract/errors.js';

/**
 * Reads a body. The rest of an oversized body is read and discarded, because a client that is still sending would
 * not read the response on a closed connection.
 * @param maxSize in bytes, of the body as sent and as decompressed
 * @throws CONTENT_TOO_LARGE as soon as the limit is exceeded, UNSUPPORTED_MEDIA_TYPE for a
 * Content-Encoding other than gzip, deflate and br, INVALID_PAYLOAD where decompression fails or the body is not complete
 */
export const readBody = async (request: IncomingMessage, maxSize: number): Promise<Buffer> => {
  const bytes = await readBytes(request, maxSize);
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? identity;
  return encoding === identity || bytes.length === 0 ? bytes : decompress(bytes, encoding, maxSize);
};

const identity = 'identity';

const readBytes = (request: IncomingMessage, maxSize: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const refuse = (): void => reject(tooLarge(maxSize));
    if (Number(request.headers['content-length'] ?? 0) > maxSize) return refuse();
    const keep = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= maxSize) return;
      chunks.length = 0;
      request.off('data', keep).resume();
      refuse();
    };
    request.on('data', keep);
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    // the error of a reset connection looks like one of the database
    const abort = (): void => reject(incompleteBody());
    request.once('error', abort);
    request.once('close', () => {
      if (!request.complete) abort();
    });
  });

/**
 * Returns a body as it arrives, decompressed. The rest of a body that is not read to its end is discarded.
 * @param maxSize in bytes, as decompressed; above it the stream fails with CONTENT_TOO_LARGE
 * @throws UNSUPPORTED_MEDIA_TYPE as `readBody`
 */
export const streamBody = (request: IncomingMessage, maxSize: number): Readable => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? identity;
  const decompressor = encoding === identity ? new PassThrough() : streams.get(encoding)?.();
  if (decompressor === undefined) throw unknownEncoding(encoding);
  let length = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _, callback) {
      length += chunk.length;
      callback(length > maxSize ? tooLarge(maxSize) : null, chunk);
    },
  });
  request.pipe(decompressor).pipe(limit);
  decompressor.once('error', () => limit.destroy(invalidEncoding(encoding)));
  request.once('close', () => {
    if (!request.complete) limit.destroy(incompleteBody());
  });
  limit.once('close', () => {
    request.unpipe(decompressor).resume();
    decompressor.destroy();
  });
  return limit;
};

const streams: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

const tooLarge = (limit: number): ApiError =>
  apiError('CONTENT_TOO_LARGE', { limit }, `the maximum size is ${limit} bytes`);

const [fromGzip, fromDeflate, fromBrotli] = [
  promisify(gunzip),
  promisify(inflate),
  promisify(brotliDecompress),
];

const decompressors: ReadonlyMap<string, typeof fromGzip> = new Map([
  ['gzip', fromGzip],
  ['x-gzip', fromGzip],
  ['deflate', fromDeflate],
  ['br', fromBrotli],
]);

/** Decompresses a body, and stops at the limit. */
const decompress = async (bytes: Buffer, encoding: string, maxSize: number): Promise<Buffer> => {
  const run = decompressors.get(encoding);
  if (run === undefined) throw unknownEncoding(encoding);
  try {
    return await run(bytes, { maxOutputLength: maxSize });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxSize);
    throw invalidEncoding(encoding);
  }
};

const incompleteBody = (): ApiError =>
  invalidPayload('the client closed the connection before the body was complete');

const invalidEncoding = (encoding: string): ApiError =>
  invalidPayload(`the body is not valid ${encoding}, which its Content-Encoding names`);

const unknownEncoding = (encoding: string): ApiError =>
  apiError(
    'UNSUPPORTED_MEDIA_TYPE',
    { mediaType: encoding, where: 'Content-Encoding' },
    `the Content-Encoding "${encoding}" is not supported; send gzip, deflate, br or none`,
  );
