/** A server of the S3 protocol in this process, which verifies signatures by the book and fails where told to. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const [key, secret] = ['own-key', 'own secret'] as const;

interface StoredObject {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly modified: Date;
}

export interface OwnObjectStore {
  readonly url: string;
  readonly objects: Map<string, StoredObject>;
  /** Statuses of the next answers, before anything else. */
  readonly failures: number[];
  stop(): Promise<void>;
}

const hmac = (secretKey: string | Buffer, text: string): Buffer =>
  createHmac('sha256', secretKey).update(text).digest();

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Computes the signature of a request (AWS Signature Version 4), in its headers or its query. */
const signatureOf = (request: IncomingMessage, url: URL): { given: string; expected: string } => {
  const inQuery = url.searchParams.has('X-Amz-Signature');
  const field = (name: string): string =>
    inQuery
      ? (url.searchParams.get(`X-Amz-${name}`) ?? '')
      : (new RegExp(`${name}=([^,]+)`).exec(request.headers.authorization ?? '')?.[1] ?? '');
  const [, ...scope] = field('Credential').split('/');
  const signed = field('SignedHeaders').split(';');
  const time = inQuery ? field('Date') : String(request.headers['x-amz-date']);
  const payload = inQuery ? 'UNSIGNED-PAYLOAD' : String(request.headers['x-amz-content-sha256']);
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
  const canonical = [
    request.method,
    url.pathname,
    query,
    ...signed.map((name) => `${name}:${String(request.headers[name])}`),
    '',
    signed.join(';'),
    payload,
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), digest].join('\n');
  const signingKey = scope.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secret}`);
  return { given: field('Signature'), expected: hmac(signingKey, text).toString('hex') };
};

const isExpired = (url: URL): boolean => {
  const [, date = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(url.searchParams.get('X-Amz-Date') ?? '') ?? [];
  if (date === '') return false;
  const begun = `${date.replace(/(....)(..)/, '$1-$2-')}T${time.replace(/(..)(..)/, '$1:$2:')}Z`;
  return Date.parse(begun) + Number(url.searchParams.get('X-Amz-Expires')) * 1000 <= Date.now();
};

export const startOwnObjectStore = async (): Promise<OwnObjectStore> => {
  const objects: OwnObjectStore['objects'] = new Map();
  const failures: number[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const body = Buffer.concat(await request.toArray());
    const fail = (status: number, code: string) =>
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    const failure = failures.shift();
    if (failure !== undefined) return fail(failure, failure >= 500 ? 'SlowDown' : 'AccessDenied');
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    const { given, expected } = signatureOf(request, url);
    if (given !== expected) return fail(403, 'SignatureDoesNotMatch');
    if (isExpired(url)) return fail(403, 'AccessDenied');
    if (url.searchParams.has('list-type')) return response.end(list(objects, url));
    if (request.method === 'PUT') {
      if (request.headers['content-length'] === undefined) return fail(411, 'MissingContentLength');
      const contentType = String(request.headers['content-type']);
      objects.set(url.pathname, { bytes: body, contentType, modified: new Date() });
      return response.end();
    }
    const found = objects.get(url.pathname);
    if (found === undefined) return fail(404, 'NoSuchKey');
    if (request.method === 'DELETE') objects.delete(url.pathname);
    const [, start] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    if (start !== undefined && Number(start) >= found.bytes.length) return fail(416, 'InvalidRange');
    const bytes = found.bytes.subarray(Number(start ?? 0));
    const headers = { 'content-type': found.contentType, 'content-length': bytes.length };
    return response.writeHead(start === undefined ? 200 : 206, headers).end(bytes);
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${key}:${encodeURIComponent(secret)}@127.0.0.1:${port}/files/some/folder?region=here`,
    objects,
    failures,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

/** Two keys a page. */
const list = (objects: OwnObjectStore['objects'], url: URL): string => {
  const prefix = `${url.pathname}/${url.searchParams.get('prefix') ?? ''}`;
  const from = url.searchParams.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((path) => path.startsWith(prefix) && path >= from).toSorted();
  const entries = keys.slice(0, 2).map((path) => {
    const modified = objects.get(path)?.modified.toISOString();
    const name = encodeURIComponent(path.slice(url.pathname.length + 1));
    return `<Contents><Key>${name}</Key><LastModified>${modified}</LastModified></Contents>`;
  });
  const next = keys[2] === undefined ? '' : `<NextContinuationToken>${keys[2]}</NextContinuationToken>`;
  return `<ListBucketResult>${entries.join('')}${next}</ListBucketResult>`;
};
