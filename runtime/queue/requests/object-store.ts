/** Stores files of models in a bucket of an S3-compatible store, which clients read by URLs that it verifies itself. */
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { createWorkerPool } from '../../concurrency/worker-pool.js';
import type { ObjectStoreAddress } from '../settings.js';
import { isId } from '../store/ids.js';
import { contentTypeOf, type FileStore } from './files.js';

/** Attempts of a call, and milliseconds before the second one. */
const maxAttempts = 3;
const retryDelay = 500;
/** Milliseconds of one attempt; larger files take longer than others. */
const callTimeout = 300_000;
const maxConcurrentDeletes = 8;
/** Maximum seconds that the signature of a URL may be valid. */
const maxExpiry = 604_800;

interface Call {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Opens the body, again for each attempt. */
  body?(): Readable;
}

/**
 * Creates the store of result files in an S3-compatible bucket.
 * @param spool local folder in which runs write files before they are uploaded
 */
export const createObjectStore = (address: ObjectStoreAddress, spool: string): FileStore => {
  const urlOf = (request: string, name: string): string => `${address.url}/${request}/${name}`;
  const call = (given: Call): Promise<Response> => callStore(given, address);
  return {
    spool,
    async adopt({ request, name, spooled }) {
      if (!isId(spooled)) throw new Error('a spooled file has a UUID as its name');
      const file = join(spool, spooled);
      const { size } = await stat(file);
      const headers = { 'content-type': contentTypeOf(name), 'content-length': String(size) };
      const body = () => createReadStream(file);
      await discard(await call({ method: 'PUT', url: urlOf(request, name), headers, body }));
      await rm(file);
      return size;
    },
    async remove(request, name) {
      await discard(await call({ method: 'DELETE', url: urlOf(request, name) }));
    },
    async read(request, name, start = 0) {
      const headers = start === 0 ? {} : { range: `bytes=${start}-` };
      const response = await call({ method: 'GET', url: urlOf(request, name), headers });
      if (response.status === 404) {
        await discard(response);
        return null;
      }
      // the start is the end of the file, or of an empty one
      if (response.status === 416) {
        await discard(response);
        return { stream: Readable.from([]), size: 0 };
      }
      const stream = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
      return { stream, size: Number(response.headers.get('content-length')) };
    },
    sign: ({ request, name, expires }) =>
      signUrl(`${address.publicUrl}/${request}/${name}`, expires, address),
    async removeBefore(time) {
      const removed = new Set<string>();
      const failures: unknown[] = [];
      const pool = createWorkerPool({
        concurrency: maxConcurrentDeletes,
        onFailure: (error) => failures.push(error),
      });
      for await (const { request, name, modified } of listFiles(address)) {
        if (modified >= time) continue;
        removed.add(request);
        pool.add(
          async () => void (await discard(await call({ method: 'DELETE', url: urlOf(request, name) }))),
        );
      }
      await pool.idle();
      if (failures.length > 0) throw failures[0];
      return removed.size;
    },
  };
};

/** Checks that the store can be reached and accepts the key. @returns an error message, or null */
export const checkObjectStore = async (address: ObjectStoreAddress): Promise<string | null> => {
  try {
    await discard(await callStore({ method: 'GET', url: listUrl(address, null, 1) }, address));
    return null;
  } catch (error) {
    return `QUEUE_FILES_URL: files of models cannot be stored: ${(error as Error).message}; correct the address, or the rights of its key`;
  }
};

/** Statuses that are no failures: there is no such file, or it ends before the range. */
const answers: ReadonlySet<number> = new Set([404, 416]);

/** @throws Error with status and code of the store, and without its address */
const callStore = async (given: Call, address: ObjectStoreAddress): Promise<Response> => {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(given, address).catch((error: Error) => error);
    if (!(response instanceof Error) && (response.ok || answers.has(response.status))) return response;
    const isFinal = !(response instanceof Error) && response.status < 500 && response.status !== 429;
    if (isFinal || attempt === maxAttempts) throw await toError(response);
    await sleep(retryDelay * attempt);
  }
};

const send = async (
  { method, url, headers = {}, body }: Call,
  address: ObjectStoreAddress,
): Promise<Response> => {
  const signed = await new AwsV4Signer({ ...address, service: 's3', method, url, headers }).sign();
  return fetch(signed.url, {
    method,
    headers: signed.headers,
    signal: AbortSignal.timeout(callTimeout),
    redirect: 'error',
    ...(body !== undefined && { body: Readable.toWeb(body()) as ReadableStream, duplex: 'half' }),
  });
};

const toError = async (response: Response | Error): Promise<Error> => {
  if (response instanceof Error) {
    const { cause } = response as { readonly cause?: { readonly code?: unknown } };
    return new Error(`the store of files cannot be reached (${String(cause?.code ?? response.name)})`);
  }
  const [, code = 'no code'] = /<Code>(\w+)<\/Code>/.exec(await response.text()) ?? [];
  return new Error(`the store of files answers ${response.status} (${code})`);
};

/** Reads the body of a response that nobody uses, so that its connection is free. */
const discard = async (response: Response): Promise<void> => void (await response.arrayBuffer());

/** Returns a URL that the store answers until a Unix time in seconds, at most for `maxExpiry`. */
const signUrl = async (path: string, expires: number, address: ObjectStoreAddress): Promise<string> => {
  const url = new URL(path);
  const seconds = Math.min(maxExpiry, Math.max(1, expires - Math.floor(Date.now() / 1000)));
  url.searchParams.set('X-Amz-Expires', String(seconds));
  const signer = new AwsV4Signer({
    ...address,
    service: 's3',
    method: 'GET',
    url: url.href,
    signQuery: true,
  });
  return (await signer.sign()).url.href;
};

interface StoredFile {
  readonly request: string;
  readonly name: string;
  /** Unix time in milliseconds. */
  readonly modified: number;
}

/** Lists the files of all requests. */
async function* listFiles(address: ObjectStoreAddress): AsyncGenerator<StoredFile> {
  let token: string | null = null;
  do {
    const response = await callStore({ method: 'GET', url: listUrl(address, token, 1_000) }, address);
    const text = await response.text();
    for (const [entry] of text.matchAll(/<Contents>.*?<\/Contents>/gs)) {
      const [request = '', name = ''] = decodeURIComponent(textOf(entry, 'Key')).split('/').slice(-2);
      if (isId(request)) yield { request, name, modified: Date.parse(textOf(entry, 'LastModified')) };
    }
    token = textOf(text, 'NextContinuationToken') || null;
  } while (token !== null);
}

/** Returns the text of an element; names of files, in the URL encoding, need no unescaping. */
const textOf = (xml: string, element: string): string =>
  (new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? '').replaceAll('&amp;', '&');

const listUrl = ({ url }: ObjectStoreAddress, token: string | null, limit: number): string => {
  const { origin, pathname } = new URL(url);
  const [, bucket = '', ...folders] = pathname.split('/');
  const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', 'max-keys': String(limit) });
  if (folders.length > 0) query.set('prefix', `${decodeURIComponent(folders.join('/'))}/`);
  if (token !== null) query.set('continuation-token', token);
  return `${origin}/${bucket}?${query.toString().replaceAll('+', '%20')}`;
};
