/**
 * A sample inference server for the model `demo/words`, and a pattern for others: `npm run upstream`, or
 * `PORT=9000 node dist/models/upstream.js`. It returns JSON, or events with its logs to clients that accept
 * them. It is notified of cancellations at `/words/cancel` and by the closed connection.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

interface Input {
  readonly text: string;
  readonly most?: number;
  /** Seconds between sentences. */
  readonly pause?: number;
}

interface Job extends Input {
  readonly signal: AbortSignal;
  log(message: string): void;
}

/**
 * Starts the server on the loopback interface; port 0 takes a free one. Resolves when it accepts connections.
 */
export const startUpstream = async (port = 0): Promise<Server> => {
  const running = new Map<string, AbortController>();
  const server = createServer((request, response) => {
    respond(request, response, running).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
};

/** Returns the URL of a server that listens, without a slash at its end. */
export const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

type Running = Map<string, AbortController>;

const respond = async (
  request: IncomingMessage,
  response: ServerResponse,
  running: Running,
): Promise<void> => {
  const id = String(request.headers['x-svc-request-id'] ?? '');
  switch (`${request.method} ${request.url}`) {
    case 'POST /words':
      return respondWords(request, response, { id, running });
    case 'POST /words/cancel':
      running.get(id)?.abort();
      return send(response, 200, { cancelled: running.has(id) });
    case 'GET /running':
      return send(response, 200, { running: [...running.keys()] });
    default:
      return send(response, 404, {
        detail: 'the routes are POST /words, POST /words/cancel and GET /running',
      });
  }
};

const respondWords = async (
  request: IncomingMessage,
  response: ServerResponse,
  { id, running }: { readonly id: string; readonly running: Running },
): Promise<void> => {
  const input = (await readJson(request)) as Input;
  if (input.text.trim() === '') {
    const detail = [{ loc: ['body', 'text'], msg: 'there are no words in it', type: 'value_error.empty' }];
    return send(response, 422, { detail });
  }
  const controller = new AbortController();
  running.set(id, controller);
  response.once('close', () => controller.abort());
  const isStream = request.headers.accept?.includes('text/event-stream') === true;
  if (isStream) response.writeHead(200, { 'content-type': 'text/event-stream', ...modelHeaders });
  const log = (message: string): unknown => isStream && response.write(event('log', message));
  try {
    const result = await count({ ...input, signal: controller.signal, log });
    if (isStream) response.end(event('result', JSON.stringify(result)));
    else send(response, 200, result);
  } finally {
    running.delete(id);
  }
};

/** Headers of the result, which the queue sends back. */
const modelHeaders = { 'x-model-version': '1' };

const event = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`;

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...modelHeaders });
  response.end(JSON.stringify(body));
};

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
};

const count = async ({ text, most = 10, pause = 0, signal, log }: Job) => {
  const counts = new Map<string, number>();
  const sentences = text.split(/(?<=[.!?])\s+/);
  for (const [index, sentence] of sentences.entries()) {
    if (pause > 0) await wait(pause * 1000, undefined, { signal });
    const words = sentence.toLowerCase().match(/\p{L}+/gu) ?? [];
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    log(`sentence ${index + 1} of ${sentences.length}: ${words.length} words`);
  }
  const ranked = [...counts].sort(([a, times], [b, more]) => more - times || (a < b ? -1 : 1));
  return {
    words: ranked.reduce((sum, [, times]) => sum + times, 0),
    distinct: ranked.length,
    most: ranked.slice(0, most).map(([word, times]) => ({ word, count: times })),
  };
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = await startUpstream(Number(process.env.PORT ?? 8090));
  process.stdout.write(`DEMO_UPSTREAM_URL=${urlOf(server)}\n`);
}
