/** Requests over HTTP, and what came back. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';

export interface RequestOptions {
  /** A user; absent: nobody. */
  readonly as?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `null` for an empty one. */
  readonly body: unknown;
  /** Its `data`. */
  readonly data: unknown;
  /** `extensions` of its errors. */
  readonly errors: readonly Readonly<Record<string, unknown>>[];
  /** Codes of its errors. */
  readonly codes: readonly unknown[];
}

export interface Client {
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
}

/**
 * Sends the tests' requests, uncompressed: `fetch`, which asks for `gzip`, takes a processor four to ten times as long for each.
 */
const agent = new Agent();

/** `tokens` by user. */
export const createClient = (url: string, tokens: ReadonlyMap<string, string>): Client => ({
  async request(method, path, options = {}) {
    const { pathname, search, origin } = new URL(`${url}${path}`);
    const response = await agent.request({
      origin,
      path: `${pathname}${search}`,
      method: method as Method,
      headers: toHeaders(options, tokens),
      body: options.body === undefined ? (options.raw ?? null) : JSON.stringify(options.body),
    });
    return readAnswer(response, await readText(response));
  },
});

type Method = Dispatcher.HttpMethod;

const toHeaders = (
  { as, body, raw, headers }: RequestOptions,
  tokens: ReadonlyMap<string, string>,
): Record<string, string> => {
  const token = as === undefined ? undefined : tokens.get(as);
  if (as !== undefined && token === undefined) throw new Error(`there is no user "${as}"`);
  return {
    'user-agent': 'svc-tests',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    // as `fetch` does
    ...(typeof raw === 'string' && { 'content-type': 'text/plain;charset=UTF-8' }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
};

interface Envelope {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions: Readonly<Record<string, unknown>> }[];
}

/** Reads a body, which is compressed where a test asks for that. */
const readText = async ({ headers, body }: Dispatcher.ResponseData): Promise<string> => {
  const decode = decoders[String(headers['content-encoding'])];
  return decode === undefined ? body.text() : decode(await body.bytes()).toString();
};

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

const readAnswer = ({ statusCode: status, headers: raw }: Dispatcher.ResponseData, text: string): Answer => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const isJson = (headers.get('content-type') ?? '').includes('json');
  const body = isJson && text !== '' ? (JSON.parse(text) as Envelope) : null;
  const errors = (body?.errors ?? []).map(({ extensions }) => extensions);
  return { status, headers, text, body, data: body?.data, errors, codes: errors.map(({ code }) => code) };
};
