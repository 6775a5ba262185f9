/** Calls the generated REST functions and converts their errors to `ApiError`. */
import { ApiError, toApiError } from './errors.js';
import { createClient, createConfig, type Client } from './rest/client/index.js';

export interface ClientOptions {
  /** URL of the API with its path, such as `https://api.example.com`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`: a token, or a function that returns the current one. */
  readonly token?: string | TokenSource | undefined;
  /** Queue key `<id>:<secret>`, sent to the queue instead of the token. */
  readonly key?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

type TokenSource = () => string | null | undefined | Promise<string | null | undefined>;

export interface CallOptions {
  /** Aborts the call, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The options that every generated function receives. */
export interface Shared {
  readonly client: Client;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
}

/** The result of a generated function: data or an error, and the response if there is one. */
interface Outcome<Answer> {
  readonly data: Answer | undefined;
  readonly error?: unknown;
  readonly response?: Response;
}

/**
 * Runs a generated function; returns undefined for a response without a body.
 * @throws ApiError; errors of `fetch`
 */
export type Call = <Answer>(
  run: (shared: Shared) => Promise<Outcome<Answer>>,
  options?: CallOptions,
) => Promise<Answer>;

/** Creates the function that calls the API. @param path prefix of the paths of the functions, below the URL */
export const createCall = ({ url, token, fetch }: ClientOptions, path = ''): Call => {
  const config = createConfig({ baseUrl: url.replace(/\/+$/, '') + path });
  const client = createClient(fetch === undefined ? config : { ...config, fetch });
  return async (run, { signal = null } = {}) => {
    signal?.throwIfAborted();
    return answerOf(await run({ client, headers: await authorize(token), signal: signal ?? null }));
  };
};

/**
 * Returns the header of a token, which a function may compute for each request; none for an empty token or
 * none.
 */
export const authorize = async (token: ClientOptions['token']): Promise<Record<string, string>> => {
  const value = typeof token === 'function' ? await token() : token;
  return value ? { authorization: `Bearer ${value}` } : {};
};

const answerOf = <Answer>({ data, error, response }: Outcome<Answer>): Answer => {
  if (response === undefined) throw error;
  if (response.status === 304) return undefined as Answer;
  if (!response.ok) throw toApiError(response.status, error);
  return (response.status === 204 ? undefined : data) as Answer;
};

/** Returns the data of a response; null if the response is empty because the caller may not read the data. */
export const dataOf = <Data>(answer: { readonly data: Data } | void): Data => {
  if (answer === undefined) return null as Data;
  if (typeof answer === 'object' && 'data' in answer) return answer.data;
  throw new ApiError('The response did not come from the API. Is "url" correct?', {
    code: 'UNKNOWN',
    status: 200,
    errors: [],
  });
};
