/** Calls the generated REST functions; what they cannot answer becomes an `ApiError`. */
import { ApiError, toApiError } from './errors.js';
import { createClient, createConfig, type Client } from './rest/client/index.js';

export interface ClientOptions {
  /** Where the API is, as in `https://api.example.com`; a path is part of it. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`: a token, or a function that gives the one of the moment. */
  readonly token?: string | TokenSource | undefined;
  /** Of the queue, `<id>:<secret>`: sent to it instead of the token. */
  readonly key?: string | undefined;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

type TokenSource = () => string | null | undefined | Promise<string | null | undefined>;

export interface CallOptions {
  /** Gives up when it is aborted: the call fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What every generated function is called with. */
export interface Shared {
  readonly client: Client;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
}

/** What generated functions give: an answer or an error, and the response, if there was one. */
interface Outcome<Answer> {
  readonly data: Answer | undefined;
  readonly error?: unknown;
  readonly response?: Response;
}

/**
 * Runs a generated function; nothing for a response without a body.
 * @throws ApiError, and what `fetch` fails with
 */
export type Call = <Answer>(
  run: (shared: Shared) => Promise<Outcome<Answer>>,
  options?: CallOptions,
) => Promise<Answer>;

/** @param path where below the API's address the functions are at home */
export const createCall = ({ url, token, fetch }: ClientOptions, path = ''): Call => {
  const config = createConfig({ baseUrl: url.replace(/\/+$/, '') + path });
  const client = createClient(fetch === undefined ? config : { ...config, fetch });
  return async (run, { signal = null } = {}) => {
    signal?.throwIfAborted();
    return answerOf(await run({ client, headers: await authorize(token), signal: signal ?? null }));
  };
};

export const authorize = async (token: ClientOptions['token']): Promise<Record<string, string>> => {
  const value = typeof token === 'function' ? await token() : token;
  return value ? { authorization: `Bearer ${value}` } : {};
};

const answerOf = <Answer>({ data, error, response }: Outcome<Answer>): Answer => {
  if (response === undefined) throw error;
  if (!response.ok) throw toApiError(response.status, error);
  return (response.status === 204 ? undefined : data) as Answer;
};

/** What an envelope holds; `null` where there is none because the caller may not read it. */
export const dataOf = <Data>(answer: { readonly data: Data } | void): Data => {
  if (answer === undefined) return null as Data;
  if (typeof answer === 'object' && 'data' in answer) return answer.data;
  throw new ApiError('The answer is not one of the API: is "url" its address?', {
    code: 'UNKNOWN',
    status: 200,
    errors: [],
  });
};
