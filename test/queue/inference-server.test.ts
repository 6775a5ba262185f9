/** Runs on an inference server: the requests that a worker sends, and answers that are too long or malformed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunContext, RunResult } from '../../runtime/queue/models/attempt.js';
import { runHttp } from '../../runtime/queue/models/http-runner.js';
import { until } from '../until.js';
import { testRequest } from './run-once.js';

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

const servers: { close(): void }[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

const startServer = async (answer: Answer): Promise<string> => {
  const server = createServer((request, response) => void answer(response, request));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({ close: () => (server.close(), server.closeAllConnections()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

interface Ran {
  readonly result: RunResult;
  readonly lines: readonly string[];
  readonly failures: readonly unknown[];
}

const ask = async (
  url: string,
  { signal = new AbortController().signal, headers = {} }: Partial<RunInit> = {},
): Promise<Ran> => {
  const [lines, failures]: [string[], unknown[]] = [[], []];
  const run: Partial<RunContext> = {
    requestId: testRequest,
    input: { text: 'ahoy' },
    traceparent: null,
    log: (line, level = 'INFO') => lines.push(`${level} ${line}`),
    signal,
    onFailure: (error) => failures.push(error),
  };
  const result = await runHttp({ kind: 'http', url, headers }, run as RunContext);
  return { result, lines, failures };
};

interface RunInit {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
}

/** Writes the same part until the caller leaves. @returns bytes that were written */
const writeForever = async (response: ServerResponse, part: Buffer): Promise<number> => {
  let bytes = 0;
  while (!response.destroyed && bytes < 1_000_000_000) {
    bytes += part.length;
    if (!response.write(part)) await sleep(1);
  }
  return bytes;
};

describe('an answer without an end', () => {
  it.each([
    ['JSON', 'application/json', '{"text":"'],
    ['an event', 'text/event-stream', 'data: '],
    ['an event of many lines', 'text/event-stream', 'data: \n'],
  ])('of %s is read up to the length that a result may have', async (_, type, start) => {
    const part = Buffer.from(start.endsWith('\n') ? `data: ${'x'.repeat(65_000)}\n` : 'x'.repeat(65_000));
    let written: Promise<number> | undefined;
    const url = await startServer((response) => {
      response.writeHead(200, { 'content-type': type }).write(start);
      written = writeForever(response, part);
    });
    const { result, lines } = await ask(url);
    expect(result).toMatchObject({ retry: false, outcome: { errorType: 'runner_incomplete_response' } });
    expect(lines).toEqual([expect.stringMatching(/^ERROR .*more than 32000000 .*maximum .* 8000000 bytes/)]);
    expect(await written).toBeLessThan(100_000_000);
  });
});

describe('events', () => {
  it.each([
    ['LF', '\n'],
    ['CR LF', '\r\n'],
    ['CR', '\r'],
  ])('may have lines that end with %s, in parts of any length', async (_, end) => {
    const lines = [': hello', 'data: one', 'data:two', '', 'event: log', 'data: three', '', 'id: 7', ''];
    const result = ['event: result', 'data: {"text":', 'data: "é"}', '', ''];
    const bytes = Buffer.from([...lines, ...result].join(end));
    const url = await startServer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await sleep(1);
      }
    });
    const ran = await ask(url);
    expect(ran.result.outcome).toMatchObject({ status: 200, body: { text: 'é' } });
    expect(ran.lines).toEqual(['INFO one\ntwo', 'INFO three']);
  });
});

describe('an address', () => {
  it('keeps its query when the server is told of a cancellation, with the headers of the model', async () => {
    const seen: (readonly [string | undefined, string | undefined])[] = [];
    const url = await startServer((response, { url: path, headers }) => {
      seen.push([path, headers.authorization]);
      if (path?.includes('cancel') === true) response.end();
    });
    const controller = new AbortController();
    const headers = { authorization: 'Bearer abc' };
    const running = ask(`${url}/count?tenant=7`, { signal: controller.signal, headers });
    await until(() => seen.length === 1 || null);
    controller.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    await until(() => seen.length === 2 || null);
    expect(seen).toEqual([
      ['/count?tenant=7', 'Bearer abc'],
      ['/count/cancel?tenant=7', 'Bearer abc'],
    ]);
  });

  it('that is none once its variables are replaced is named, not tried again, and not shown', async () => {
    process.env.TEST_ADDRESS = 'a-secret';
    try {
      await expect(ask('${TEST_ADDRESS}/count')).rejects.toThrow(/^\$\{TEST_ADDRESS\}\/count is no address/);
    } finally {
      delete process.env.TEST_ADDRESS;
    }
  });
});

it('tells the caller that the inference server answered 503, not that there is no worker', async () => {
  const url = await startServer((response) => response.writeHead(503).end());
  const { result } = await ask(url);
  expect(result).toMatchObject({
    retry: true,
    outcome: { status: 503, body: { detail: 'The inference server answered 503' } },
  });
});

it.runIf(process.env.LONG !== undefined)(
  'may answer after more than five minutes',
  async () => {
    const url = await startServer(async (response) => {
      await sleep(305_000);
      response.end('{"text":"late"}');
    });
    expect((await ask(url)).result.outcome).toMatchObject({ status: 200, body: { text: 'late' } });
  },
  400_000,
);
