/**
 * Runs models on an inference server. The input is sent with POST, with the `traceparent` of the run; a 2xx response is the
 * result, and other statuses are errors of the model. 503, 504 and lost connections are retried, unless
 * `X-Svc-Needs-Retry: 0` or `1` says otherwise, and not before `Retry-After`.
 * In a `text/event-stream` response, `log` events are log lines and the `result` event is the result.
 */
import type { Agent, Response } from 'undici';
import { parseJson } from '../../../contract/json.js';
import type { QueueRunner } from '../../../contract/queue-model.js';
import { platformOutcome, type ErrorType, type Outcome } from '../requests/outcome.js';
import { readRetryAfter } from '../requests/retry-after.js';
import { final, type RunResult, type RunContext } from './attempt.js';
import { eventsOf, OversizedResponse, textOf, type ServerEvent } from './response-text.js';

type HttpRunner = Extract<QueueRunner, { kind: 'http' }>;

/** Loaded with the first run: many processes run no such model. */
let agent: Agent | null = null;

/** Returns `fetch` without limits of its own: the timeout of the model may be longer than the usual five minutes. */
const loadFetch = async () => {
  const { Agent, fetch } = await import('undici');
  const dispatcher = (agent ??= new Agent({ headersTimeout: 0, bodyTimeout: 0 }));
  return (url: string, init: Parameters<typeof fetch>[1]) => fetch(url, { ...init, dispatcher });
};

/**
 * Runs a model once; the signal of the run aborts the request. It never throws for what the server answers.
 * @throws Error where the address or a header has a variable that is not set, or the address is none
 */
export const runHttp = async (runner: HttpRunner, run: RunContext): Promise<RunResult> => {
  const target = toTarget(runner);
  const send = await loadFetch();
  try {
    const response = await send(target.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-svc-request-id': run.requestId,
        ...(run.traceparent !== null && { traceparent: run.traceparent }),
        ...target.headers,
      },
      body: JSON.stringify(run.input),
      signal: run.signal,
      redirect: 'manual',
    });
    return await readResponse(response, run);
  } catch (error) {
    if (run.signal.aborted) {
      void notifyCancelled(target, run);
      throw error;
    }
    if (error instanceof OversizedResponse) {
      run.log(error.message, 'ERROR');
      return final(incomplete());
    }
    // the error of fetch itself only says that it failed
    run.onFailure((error as Error).cause ?? error);
    return { outcome: platformOutcome(connectionError(error)), retry: true };
  }
};

/** An inference server, with the values of the variables in its address and headers. */
interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const toTarget = (runner: HttpRunner): Target => {
  const url = expandVariables(runner.url);
  // the value may contain a secret
  if (!URL.canParse(url)) throw new Error(`${runner.url} is no address once its variables are replaced`);
  const headers = Object.entries(runner.headers).map(([name, value]) => [name, expandVariables(value)]);
  return { url, headers: Object.fromEntries(headers) as Target['headers'] };
};

/** Replaces `${NAME}` by the environment variable `NAME`. */
const expandVariables = (text: string): string =>
  text.replaceAll(/\$\{([A-Z_][A-Z0-9_]*)\}/g, (_, name: string) => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`the environment variable ${name} is not set`);
    return value;
  });

const readResponse = async (response: Response, run: RunContext): Promise<RunResult> => {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  if (response.ok && type.startsWith('text/event-stream')) return final(await followEvents(response, run));
  const body = parseJson(await textOf(response));
  const needsRetry = headers.get('x-svc-needs-retry');
  if (needsRetry === null ? retryableStatuses.has(status) : needsRetry === '1') {
    run.log(`the inference server answered ${status}, which ends this attempt`, 'WARN');
    const type = retryableStatuses.get(status) ?? 'runner_server_error';
    const after = readRetryAfter(headers.get('retry-after'), maxRetryAfter);
    const outcome = platformOutcome(type, `The inference server answered ${status}`);
    return { outcome, retry: true, ...(after !== null && { after }) };
  }
  const isResult = response.ok || status >= 400;
  if (isResult && body !== undefined) return final(resultOf(response, body));
  const without = isResult ? ' without JSON' : ', which is neither a result nor an error';
  run.log(`the inference server answered ${status}${without}`, 'ERROR');
  if (status < 400) return final(incomplete());
  return final({ ...platformOutcome('runner_server_error'), status });
};

/** Milliseconds: the request keeps its slot meanwhile, and the server may recover earlier than it believes. */
const maxRetryAfter = 300_000;

const retryableStatuses: ReadonlyMap<number, ErrorType> = new Map([
  [503, 'runner_scheduling_failure'],
  [504, 'runner_connection_timeout'],
]);

const incomplete = (): Outcome => platformOutcome('runner_incomplete_response');

const resultOf = ({ ok, status, headers }: Response, body: unknown): Outcome => ({
  status: ok ? 200 : status,
  body,
  errorType: null,
  headers: modelHeaders(headers),
});

/** Maximum total characters of header names and values. */
const maxHeaderLength = 16_384;

/** Headers of svc itself and headers that control proxies. */
const reservedHeaders =
  /^x-(svc-|forwarded-|request-|powered-|real-|accel-|sendfile|reproxy|content-type-options)/;

/** Returns the `X-…` response headers of the model. */
const modelHeaders = (headers: Headers): Readonly<Record<string, string>> => {
  let length = 0;
  const own = [...headers].filter(([name, value]) => {
    if (!name.startsWith('x-') || reservedHeaders.test(name)) return false;
    length += name.length + value.length;
    return length <= maxHeaderLength;
  });
  return Object.fromEntries(own);
};

/** Reads server-sent events until the result, which ends the connection. */
const followEvents = async (response: Response, run: RunContext): Promise<Outcome> => {
  for await (const event of eventsOf(response)) {
    const result = readEvent(event, run);
    if (result !== undefined) return resultOf(response, result);
  }
  run.log('the inference server sent no "result" event with JSON', 'ERROR');
  return incomplete();
};

/** Logs a `log` event. @returns the data of a `result` event that is JSON, otherwise undefined */
const readEvent = ({ name, data }: ServerEvent, run: RunContext): unknown => {
  if (name === 'result') return parseJson(data);
  if (name === 'log' && data !== '') run.log(data);
  return undefined;
};

const connectionErrors: ReadonlyMap<unknown, ErrorType> = new Map<unknown, ErrorType>([
  ['ECONNREFUSED', 'runner_connection_refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'runner_connection_timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'runner_connection_timeout'],
  ['ECONNRESET', 'runner_disconnected'],
  ['UND_ERR_SOCKET', 'runner_disconnected'],
]);

const connectionError = (error: unknown): ErrorType => {
  const { cause } = error as { cause?: { code?: unknown } };
  return connectionErrors.get(cause?.code) ?? 'runner_connection_error';
};

/** Sends `POST <address>/cancel`; servers without this path detect the closed connection. */
const notifyCancelled = async ({ url, headers }: Target, { requestId }: RunContext): Promise<void> => {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/$/, '')}/cancel`;
  const send = await loadFetch();
  await send(address.href, {
    method: 'POST',
    headers: { 'x-svc-request-id': requestId, ...headers },
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined);
};
