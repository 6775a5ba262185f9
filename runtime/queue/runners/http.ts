/**
 * Models behind an inference server. The input is POSTed; 2xx is the result, 4xx and 500 are the model's own answer,
 * 502 to 504 and broken connections are the platform's. An answer of `text/event-stream` is followed: `log` events
 * are logs, the `result` event ends it.
 */
import type { QueueRunner } from '../../queue-model.js';
import { platformOutcome, type ErrorType, type Outcome } from '../outcome.js';
import { final, type Attempted, type Run } from './index.js';

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
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream && response.ok) return final(await followEvents(response, run));
  const body = await readJson(response);
  const wanted = headers.get('x-svc-needs-retry');
  const retry = wanted === null ? status === 503 || status === 504 : wanted === '1';
  if (retry) return { outcome: platformOutcome('runner_disconnected'), retry: true };
  if (response.ok) return final(body === undefined ? incomplete() : { status: 200, body, errorType: null });
  if (status >= 400 && body !== undefined) return final({ status, body, errorType: null });
  return final(status >= 400 ? { ...platformOutcome('runner_server_error'), status } : incomplete());
};

const incomplete = (): Outcome => platformOutcome('runner_incomplete_response');

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
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    const events = (rest + Buffer.from(chunk).toString('utf8')).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const result = readEvent(event, run);
      if (result !== undefined) outcome = { status: 200, body: result, errorType: null };
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
