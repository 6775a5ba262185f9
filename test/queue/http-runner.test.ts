/** Models behind inference servers: the sample one, and one that answers as it is told. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startUpstream, urlOf } from '../../models/upstream.js';
import { listRequestAttempts } from '../../runtime/queue/store/attempts.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';

/** `hang`: never answers; `hold`: answers, and never ends; `drop`: the connection breaks. */
interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  /** Blanks in the body, in a member of its own. */
  readonly padded?: number;
  readonly does?: 'hang' | 'hold' | 'drop';
}

interface Scenario {
  readonly server: Server;
  readonly seen: IncomingHttpHeaders[];
  /** Ids of the requests that `POST …/cancel` named. */
  readonly cancelled: string[];
  /** Connections that their caller closed before the answer. */
  left: number;
}

let queue: TestQueue;
let sample: Server;
let scenario: Scenario;

const startScenario = async (): Promise<Scenario> => {
  const attempts = new Map<string, number>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const id = String(request.headers['x-svc-request-id']);
      const attempt = attempts.get(id) ?? 0;
      if (request.url?.endsWith('/cancel') === true) {
        made.cancelled.push(id);
        return void response.end();
      }
      attempts.set(id, attempt + 1);
      made.seen.push(request.headers);
      response.on('close', () => {
        if (!response.writableFinished) made.left += 1;
      });
      const { answers } = JSON.parse(text) as { answers: Scripted[] };
      play(answers[Math.min(attempt, answers.length - 1)] ?? {}, response);
    });
  });
  const made: Scenario = { server, seen: [], cancelled: [], left: 0 };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return made;
};

const play = (
  { status = 200, headers, body, text, padded, does }: Scripted,
  response: ServerResponse,
): void => {
  if (does === 'hang') return;
  if (does === 'drop') return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  const padding = padded === undefined ? {} : { padding: ' '.repeat(padded) };
  if (does === 'hold') return void response.write(text);
  response.end(text ?? JSON.stringify(Object.assign({}, body, padding)));
};

beforeAll(async () => {
  sample = await startUpstream();
  scenario = await startScenario();
  vi.stubEnv('DEMO_UPSTREAM_URL', urlOf(sample));
  vi.stubEnv('TEST_UPSTREAM_URL', `http://127.0.0.1:${(scenario.server.address() as AddressInfo).port}`);
  vi.stubEnv('TEST_UPSTREAM_KEY', 'between the two');
  queue = await startTestQueue('sqlite', { spec: fileURLToPath(new URL('spec', import.meta.url)) });
  await queue.startWorkers();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await queue.close();
  for (const server of [sample, scenario.server]) {
    server.close();
    server.closeAllConnections();
  }
});

const submit = async (model: string, body: object, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await queue.request('POST', `/queue/${model}`, {
    body,
    headers: { ...queue.auth.ann, ...headers },
  });
  expect(answer.status).toBe(200);
  return (answer.body as { request_id: string }).request_id;
};
const get = (path: string) => queue.request('GET', `/queue/${path}`, { headers: queue.auth.ann });
const resultOf = (model: string, id: string) =>
  until(async () => {
    const answer = await get(`${model}/requests/${id}`);
    return answer.status === 400 && answer.text.includes('in progress') ? null : answer;
  });
const attemptsOf = async (id: string): Promise<number> =>
  ((await queue.request('GET', `/requests/${id}`, { as: 'ann' })).data as { attempts: number }).attempts;

const ask = async (answers: readonly Scripted[], headers: Record<string, string> = {}) => {
  const id = await submit('test/upstream', { answers }, headers);
  const result = await resultOf('test/upstream', id);
  return { id, ...result, attempts: await attemptsOf(id) };
};

const running = async (): Promise<string[]> =>
  ((await (await fetch(`${urlOf(sample)}/running`)).json()) as { running: string[] }).running;

const runOnce = (answer: Scripted) =>
  queue.request('POST', '/run/test/upstream', { body: { answers: [answer] }, headers: queue.auth.ann });

describe('the sample inference server', () => {
  const text = 'The sea is calm. The tide is full.';

  it('adds its logs to the request and its headers to the result', async () => {
    const id = await submit('demo/words', { text, most: 2 });
    const result = await resultOf('demo/words', id);
    expect(result.body).toEqual({
      words: 8,
      distinct: 6,
      most: [
        { word: 'is', count: 2 },
        { word: 'the', count: 2 },
      ],
    });
    expect(result.headers.get('x-model-version')).toBe('1');
    const { logs } = (await get(`demo/words/requests/${id}/status?logs=1`)).body as { logs: object[] };
    expect(logs).toMatchObject([
      { message: 'sentence 1 of 2: 4 words' },
      { message: 'sentence 2 of 2: 4 words' },
    ]);
  });

  it('is called directly by /run', async () => {
    const answer = await queue.request('POST', '/run/demo/words', {
      body: { text },
      headers: queue.auth.ann,
    });
    expect([answer.status, answer.headers.get('x-model-version')]).toEqual([200, '1']);
    expect(answer.body).toMatchObject({ words: 8 });
  });

  it('stops when the request is cancelled', async () => {
    const id = await submit('demo/words', { text: text.repeat(20), pause: 1 });
    await until(async () => (await running()).includes(id) || null);
    const answer = await queue.request('PUT', `/queue/demo/words/requests/${id}/cancel`, {
      headers: queue.auth.ann,
    });
    expect(answer.status).toBe(202);
    expect((await resultOf('demo/words', id)).status).toBe(499);
    await until(async () => (await running()).length === 0 || null);
  });

  it('stops when the client of /run disconnects', async () => {
    const controller = new AbortController();
    const call = fetch(`${queue.url}/run/demo/words`, {
      method: 'POST',
      headers: { ...queue.auth.ann, 'content-type': 'application/json' },
      body: JSON.stringify({ text: text.repeat(20), pause: 1 }),
      signal: controller.signal,
    }).catch((error: Error) => error.name);
    await until(async () => (await running()).length === 1 || null);
    controller.abort();
    expect(await call).toBe('AbortError');
    await until(async () => (await running()).length === 0 || null);
    expect(queue.observations.filter(({ kind }) => kind === 'requestFailed')).toEqual([]);
  });
});

const events = { headers: { 'content-type': 'text/event-stream' } };

describe('a response of an inference server', () => {
  it('is the result, with its end-to-end headers', async () => {
    const headers = {
      'x-billable-units': '3',
      'x-svc-secret': 'no',
      'x-powered-by': 'no',
      'x-accel-redirect': '/no',
      'x-content-type-options': 'no',
      'set-cookie': 'a=b',
    };
    const { status, body, headers: told, attempts } = await ask([{ body: { good: true }, headers }]);
    expect([status, body, attempts]).toEqual([200, { good: true }, 1]);
    expect(told.get('x-billable-units')).toBe('3');
    for (const name of ['x-svc-secret', 'x-powered-by', 'x-accel-redirect', 'set-cookie'])
      expect(told.get(name)).toBeNull();
    expect(told.get('x-content-type-options')).toBe('nosniff');
    expect(scenario.seen.at(-1)).toMatchObject({ 'x-upstream-key': 'between the two' });
  });

  it('is the result once a stream of events has it, though the server keeps it open', async () => {
    const { left } = scenario;
    const stream = 'event: log\ndata:   deep\n\nevent: result\ndata: {"good":true}\n\nevent: log\n';
    const { status, body } = await ask([{ ...events, text: stream, does: 'hold' }]);
    expect([status, body]).toEqual([200, { good: true }]);
    await until(() => scenario.left === left + 1);
  });

  it.each([400, 404, 422, 500, 502])(
    'with status %i is returned unchanged without a retry',
    async (status) => {
      const body = { detail: [{ loc: ['body', 'answers'], msg: 'too sad', type: 'value_error.sad' }] };
      const answer = await ask([{ status, body }, { body: { good: true } }]);
      expect([answer.status, answer.body, answer.attempts]).toEqual([status, body, 1]);
      expect(answer.headers.get('x-svc-error-type')).toBeNull();
    },
  );

  it.each([
    ['503', { status: 503 }, [['WARN', '503']]],
    ['504', { status: 504 }, [['WARN', '504']]],
    ['a broken connection', { does: 'drop' }, []],
    ['X-Svc-Needs-Retry: 1', { status: 500, headers: { 'x-svc-needs-retry': '1' } }, [['WARN', '500']]],
  ] as const)('is retried after %s', async (_, broken, warned) => {
    const { id, status, body, attempts } = await ask([broken, { body: { good: true } }]);
    expect([status, body, attempts]).toEqual([200, { good: true }, 2]);
    const { logs } = (await get(`test/upstream/requests/${id}/status?logs=1`)).body as {
      readonly logs: readonly { readonly level: string; readonly message: string }[];
    };
    const answers = logs.filter(({ message }) => message.startsWith('the inference server answered'));
    expect(answers.map(({ level, message }) => [level, /\d+/.exec(message)?.[0]])).toEqual(warned);
  });

  it.each([
    ['503', { status: 503 }, 503, 'runner_scheduling_failure'],
    ['504', { status: 504 }, 503, 'runner_connection_timeout'],
    ['a broken connection', { does: 'drop' }, 503, 'runner_disconnected'],
  ] as const)('is not retried if the caller disables retries: %s', async (_, broken, status, type) => {
    const answer = await ask([broken, { body: { good: true } }], { 'x-svc-no-retry': '1' });
    expect([answer.status, answer.attempts]).toEqual([status, 1]);
    expect(answer.body).toMatchObject({ error_type: type });
    expect(answer.headers.get('x-svc-error-type')).toBe(type);
  });

  it.each([
    ['503', { status: 503, headers: { 'retry-after': '3' } }],
    ['429', { status: 429, headers: { 'retry-after': '3', 'x-svc-needs-retry': '1' } }],
  ])('is retried after its Retry-After, if that is longer: %s', async (_, busy) => {
    const { id, status, attempts } = await ask([busy, { body: { good: true } }]);
    expect([status, attempts]).toEqual([200, 2]);
    const [first, second] = await listRequestAttempts(queue.database, id);
    expect(Number(second?.begun) - Number(first?.ended)).toBeGreaterThanOrEqual(2_900);
  });

  it('is named where each attempt had it', async () => {
    const { body, attempts } = await ask([{ status: 503 }]);
    const detail = 'The inference server answered 503';
    expect([body, attempts]).toEqual([{ detail, error_type: 'runner_scheduling_failure' }, 4]);
  });

  it('is not retried if the server disables retries', async () => {
    const answer = await ask([
      { status: 503, headers: { 'x-svc-needs-retry': '0' }, body: { detail: 'full' } },
    ]);
    expect([answer.status, answer.body, answer.attempts]).toEqual([503, { detail: 'full' }, 1]);
  });

  it.each([
    ['of another form', { body: { good: 'very' } }],
    ['that is no JSON', { text: '<html>' }],
    ['that is too long to be kept', { body: { good: true }, padded: 8_000_000 }],
    ['that leads elsewhere', { status: 302, headers: { location: '/' } }],
    ['of events whose result is no JSON', { ...events, text: 'event: result\ndata: <html>\n\n' }],
    ['of events without a result', { ...events, text: 'data: a line\n\n' }],
  ])('%s is not a result, and the log says why', async (_, wrong) => {
    const { id, status, body, attempts } = await ask([wrong]);
    expect([status, body, attempts]).toMatchObject([502, { error_type: 'runner_incomplete_response' }, 1]);
    const { logs } = (await get(`test/upstream/requests/${id}/status?logs=1`)).body as { logs: object[] };
    expect(logs.at(-1)).toMatchObject({ level: 'ERROR' });
  });

  it('has a timeout, of which the server is told', async () => {
    const before = scenario.left;
    const cancelled = scenario.cancelled.length;
    const { status, body } = await ask([{ does: 'hang' }]);
    expect([status, body]).toMatchObject([504, { error_type: 'request_timeout' }]);
    await until(() => scenario.left === before + 1 || null);
    await until(() => scenario.cancelled.length === cancelled + 1 || null);
  });

  it('is an error if the server is not reachable', async () => {
    const there = process.env.TEST_UPSTREAM_URL;
    const gone = await startUpstream();
    process.env.TEST_UPSTREAM_URL = urlOf(gone);
    await new Promise((resolve) => gone.close(resolve));
    try {
      const { status, body } = await ask([{}], { 'x-svc-no-retry': '1' });
      expect([status, body]).toMatchObject([503, { error_type: 'runner_connection_refused' }]);
    } finally {
      process.env.TEST_UPSTREAM_URL = there;
    }
  });

  it('states at /run whether a retry is useful', async () => {
    const broken = await runOnce({ status: 503 });
    expect([broken.status, broken.headers.get('x-svc-needs-retry')]).toEqual([503, '1']);
    expect((await runOnce({ status: 503, headers: { 'retry-after': '7' } })).headers.get('retry-after')).toBe(
      '7',
    );
    const final = await runOnce({ status: 422, body: { detail: 'no' } });
    expect([final.status, final.headers.get('x-svc-needs-retry'), final.body]).toEqual([
      422,
      null,
      { detail: 'no' },
    ]);
  });
});
