/**
 * Runs models on an inference server. The input is sent with POST, with the `traceparent` of the run; a 2xx response is the
 * result, and other statuses are errors of the model. 503, 504 and lost connections are retried, unless
 * `X-Svc-Needs-Retry: 0` or `1` says otherwise.
 * In a `text/event-stream` response, `log` events are log lines and the `result` event is the result.
 */
import { parseJson } from '../../../contract/json.js';
import type { QueueRunner } from '../../../contract/queue-model.js';
import { platformOutcome, type ErrorType, type Outcome } from '../requests/outcome.js';
import { final, type RunResult, type RunContext } from './attempt.js';

type HttpRunner = Extract<QueueRunner, { kind: 'http' }>;

/**
 * Runs a model once; the signal of the run aborts the request. It never throws for what the server answers.
 */
export const runHttp = async (runner: HttpRunner, run: RunContext): Promise<RunResult> => {
  const call = fetch(expandVariables(runner.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-svc-request-id': run.requestId,
      ...(run.traceparent !== null && { traceparent: run.traceparent }),
      ...Object.fromEntries(
        Object.entries(runner.headers).map(([name, value]) => [name, expandVariables(value)]),
      ),
    },
    body: JSON.stringify(run.input),
    signal: run.signal,
    redirect: 'manual',
  });
  try {
    return await readResponse(await call, run);
  } catch (error) {
    if (run.signal.aborted) {
      void notifyCancelled(runner, run);
      throw error;
    }
    // the error of fetch itself only says that it failed
    run.onFailure((error as Error).cause ?? error);
    return { outcome: platformOutcome(connectionError(error)), retry: true };
  }
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
  const body = parseJson(await response.text());
  const needsRetry = headers.get('x-svc-needs-retry');
  if (needsRetry === null ? retryableStatuses.has(status) : needsRetry === '1') {
    run.log(`the inference server answered ${status}, after which a request is tried again`, 'WARN');
    return { outcome: platformOutcome(retryableStatuses.get(status) ?? 'runner_server_error'), retry: true };
  }
  const isResult = response.ok || status >= 400;
  if (isResult && body !== undefined) return final(resultOf(response, body));
  const without = isResult ? ' without JSON' : ', which is neither a result nor an error';
  run.log(`the inference server answered ${status}${without}`, 'ERROR');
  if (status < 400) return final(incomplete());
  return final({ ...platformOutcome('runner_server_error'), status });
};

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

/**
 * Reads server-sent events until the result, which ends the connection; only `event:` and `data:` lines are supported.
 */
const followEvents = async (response: Response, run: RunContext): Promise<Outcome> => {
  let rest = '';
  const text = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  for await (const chunk of text as AsyncIterable<string>) {
    const events = (rest + chunk).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const result = readEvent(event, run);
      if (result !== undefined) return resultOf(response, result);
    }
  }
  run.log('the inference server sent no "result" event with JSON', 'ERROR');
  return incomplete();
};

/** Logs a `log` event. @returns the data of a `result` event that is JSON, otherwise undefined */
const readEvent = (event: string, run: RunContext): unknown => {
  const lines = event.split(/\r?\n/);
  const of = (field: string): string[] =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ''));
  const data = of('data').join('\n');
  const [name = 'log'] = of('event');
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
const notifyCancelled = async (runner: HttpRunner, { requestId }: RunContext): Promise<void> => {
  await fetch(`${expandVariables(runner.url).replace(/\/$/, '')}/cancel`, {
    method: 'POST',
    headers: { 'x-svc-request-id': requestId },
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined);
};
