/**
 * Models behind an inference server. The input is POSTed; 2xx is the result, other statuses are the model's own
 * answer, save 503, 504 and broken connections: these are tried again (`X-Svc-Needs-Retry: 0` or `1` decides
 * otherwise). An answer of `text/event-stream` is followed: `log` events are logs, the `result` event ends it.
 */
import type { QueueRunner } from '../../../contract/queue-model.js';
import { platformOutcome, type ErrorType, type Outcome } from '../requests/outcome.js';
import { final, type Attempted, type Run } from './attempt.js';

type HttpRunner = Extract<QueueRunner, { kind: 'http' }>;

export const runHttp = async (runner: HttpRunner, run: Run): Promise<Attempted> => {
  const call = fetch(expand(runner.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-svc-request-id': run.requestId,
      ...Object.fromEntries(Object.entries(runner.headers).map(([name, value]) => [name, expand(value)])),
    },
    body: JSON.stringify(run.input),
    signal: run.signal,
    redirect: 'manual',
  });
  try {
    return await judge(await call, run);
  } catch (error) {
    if (run.signal.aborted) {
      void tellCancelled(runner, run);
      throw error;
    }
    return { outcome: platformOutcome(connectionError(error)), retry: true };
  }
};

/** `${NAME}` is the environment variable of that name. */
const expand = (text: string): string =>
  text.replaceAll(/\$\{([A-Z_][A-Z0-9_]*)\}/g, (_, name: string) => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`the environment variable ${name} is not set`);
    return value;
  });

const judge = async (response: Response, run: Run): Promise<Attempted> => {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  if (response.ok && type.startsWith('text/event-stream')) return final(await followEvents(response, run));
  const body = await readJson(response);
  const wanted = headers.get('x-svc-needs-retry');
  if (wanted === null ? brokenStatuses.has(status) : wanted === '1') {
    return { outcome: platformOutcome(brokenStatuses.get(status) ?? 'runner_server_error'), retry: true };
  }
  if (!response.ok && status < 400) return final(incomplete());
  if (body !== undefined) return final(resultOf(response, body));
  return final(response.ok ? incomplete() : { ...platformOutcome('runner_server_error'), status });
};

const brokenStatuses: ReadonlyMap<number, ErrorType> = new Map([
  [503, 'runner_scheduling_failure'],
  [504, 'runner_connection_timeout'],
]);

const incomplete = (): Outcome => platformOutcome('runner_incomplete_response');

const resultOf = ({ ok, status, headers }: Response, body: unknown): Outcome => ({
  status: ok ? 200 : status,
  body,
  errorType: null,
  headers: ownHeaders(headers),
});

/** Characters of names and values together. */
const mostHeaders = 16_384;

/** Of svc itself, and what proxies act on. */
const notOwn = /^x-(svc-|forwarded-|request-|powered-|real-|accel-|sendfile|reproxy|content-type-options)/;

/** `X-…`: what the model says about its answer. */
const ownHeaders = (headers: Headers): Readonly<Record<string, string>> => {
  let length = 0;
  const own = [...headers].filter(([name, value]) => {
    if (!name.startsWith('x-') || notOwn.test(name)) return false;
    length += name.length + value.length;
    return length <= mostHeaders;
  });
  return Object.fromEntries(own);
};

/** `undefined`: it is no JSON. */
const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Server-sent events, as far as inference servers use them: `event:` and `data:` lines. */
const followEvents = async (response: Response, run: Run): Promise<Outcome> => {
  let rest = '';
  let outcome: Outcome = incomplete();
  const text = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  for await (const chunk of text as AsyncIterable<string>) {
    const events = (rest + chunk).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const result = readEvent(event, run);
      if (result !== undefined) outcome = resultOf(response, result);
    }
  }
  return outcome;
};

/** @returns the result, where the event carries it */
const readEvent = (event: string, run: Run): unknown => {
  const lines = event.split(/\r?\n/);
  const of = (field: string): string[] =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).trimStart());
  const data = of('data').join('\n');
  const [name = 'log'] = of('event');
  if (name === 'result') return JSON.parse(data) as unknown;
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

/** A server that knows `POST <address>/cancel` hears of it; for others the closed connection has to do. */
const tellCancelled = async (runner: HttpRunner, { requestId }: Run): Promise<void> => {
  await fetch(`${expand(runner.url).replace(/\/$/, '')}/cancel`, {
    method: 'POST',
    headers: { 'x-svc-request-id': requestId },
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined);
};
