/** Requests over HTTP, and what came back. */

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

/** `tokens` by user. */
export const createClient = (url: string, tokens: ReadonlyMap<string, string>): Client => ({
  async request(method, path, options = {}) {
    const response = await fetch(new URL(`${url}${path}`), toInit(method, options, tokens));
    return readAnswer(response, await response.text());
  },
});

const toInit = (
  method: string,
  { as, body, raw, headers = {} }: RequestOptions,
  tokens: ReadonlyMap<string, string>,
): RequestInit => {
  const token = as === undefined ? undefined : tokens.get(as);
  if (as !== undefined && token === undefined) throw new Error(`there is no user "${as}"`);
  return {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(raw !== undefined && { body: raw as BodyInit }),
  };
};

interface Envelope {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions: Readonly<Record<string, unknown>> }[];
}

const readAnswer = ({ status, headers }: Response, text: string): Answer => {
  const isJson = (headers.get('content-type') ?? '').includes('json');
  const body = isJson && text !== '' ? (JSON.parse(text) as Envelope) : null;
  const errors = (body?.errors ?? []).map(({ extensions }) => extensions);
  return { status, headers, text, body, data: body?.data, errors, codes: errors.map(({ code }) => code) };
};
