/** Programs that use the queue, against the packed client and a server with workers; and receivers of its webhooks. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile } from '../compiler.js';
import { startTestQueue, type TestQueue } from '../queue/harness.js';
import { until } from '../until.js';
import type { Received } from '../queue/receiver.js';
import { adminToken } from '../runtime/server-harness.js';
import { findNode, nodeVersions } from './nodes.js';
import { createProject, programsFolder, sourcesIn, strictestOfPrograms, type Project } from './package.js';
import { evaluateInBrowser, runInBrowser, runInNode, type Outcome } from './run.js';

const programs = (await sourcesIn(join(programsFolder, 'queue'))).filter((name) => name !== 'exactly.ts');

/** The used part of the packed client; its full types are tested by the programs. */
interface Packed {
  createClient(options: object): {
    readonly queue: {
      submit(model: string, input: object): Promise<{ readonly request_id: string }>;
      stream(model: string, id: string, options: object): AsyncIterable<Logged>;
      status(model: string, id: string, options: object): Promise<Logged>;
    };
  };
  createWebhookVerifier(options: object): (received: object) => Promise<unknown>;
  readonly WebhookError: new () => Error;
}

interface Logged {
  readonly logs: readonly { readonly message: string }[] | null;
}

let project: Project;
let client: Packed;
let queue: TestQueue;
let faults: unknown;
beforeAll(async () => {
  project = await createProject(['queue']);
  const files = programs.map((name) => join('queue', name));
  ({ faults } = await compile({ folder: project.folder, files, options: strictestOfPrograms }));
  const entry = join(project.folder, 'node_modules', 'content-api-client', 'dist', 'index.js');
  client = (await import(pathToFileURL(entry).href)) as Packed;
  queue = await startTestQueue('sqlite');
  await queue.startWorkers();
});
afterAll(async () => {
  await queue.close();
  await project.remove();
});

const namesOf = (outcomes: readonly Outcome[]): unknown => outcomes.map(({ name }) => name);
const resultsOf = (outcomes: readonly Outcome[]): unknown => outcomes.map(({ result }) => result);
const expectedOf = (outcomes: readonly Outcome[]): unknown => outcomes.map(({ expected }) => expected);

it('programs compile under the strictest settings', () => {
  expect(faults).toEqual([]);
});

describe('programs succeed', () => {
  it.each(nodeVersions)('in Node %s', async (version) => {
    const options = { folder: join(project.folder, 'queue'), url: queue.url, token: adminToken };
    const outcomes = await runInNode(await findNode(version), options);
    expect(namesOf(outcomes)).toEqual(programs.map((name) => name.replace('.ts', '.js')));
    expect(resultsOf(outcomes)).toEqual(expectedOf(outcomes));
  });

  it('in a browser', async () => {
    const options = { folder: project.folder, programs: 'queue', url: queue.url, token: adminToken };
    const outcomes = await runInBrowser(options);
    expect(namesOf(outcomes)).toEqual(programs.map((name) => name.replace('.ts', '.js')));
    expect(resultsOf(outcomes)).toEqual(expectedOf(outcomes));
  });
});

it('events continue after a lost connection without repeating a line', async () => {
  let streams = 0;
  const breaking: typeof fetch = async (...parameters) => {
    const response = await fetch(...parameters);
    if (!response.url.includes('/stream') || response.body === null || (streams += 1) > 1) return response;
    let events = 0;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        if ((events += 1) === 2) controller.error(new Error('the connection broke'));
      },
    });
    return new Response(response.body.pipeThrough(cut), response);
  };
  const { queue: models } = client.createClient({ url: queue.url, token: adminToken, fetch: breaking });
  const input = { model_name: 'm', prompt: 'sea', steps: 60, pause: 0.05 };
  const { request_id: id } = await models.submit('demo/train', input);
  const told: string[] = [];
  for await (const { logs } of models.stream('demo/train', id, { logs: true })) {
    told.push(...(logs ?? []).map(({ message }) => message));
  }
  const { logs } = await models.status('demo/train', id, { logs: true });
  expect(streams).toBe(2);
  expect(told).toEqual((logs ?? []).map(({ message }) => message));
});

describe('a webhook', () => {
  let received: Received;
  let secret: string;
  beforeAll(async () => {
    const url = `${queue.receiver.url}/sdk`;
    const body = { prompt: 'the sea, grün', width: 16, height: 16 };
    await queue.request('POST', `/queue/demo/image?svc_webhook=${url}`, { as: 'ann', body });
    received = await until(() => queue.receiver.received.find(({ path }) => path === '/sdk') ?? null);
    const { data } = await queue.request('GET', '/webhooks/secret', { as: 'ann' });
    secret = (data as { secrets: string[] }).secrets[0] ?? '';
  });

  const verifiers = () => ({
    secret: client.createWebhookVerifier({ secret }),
    'one of several secrets': client.createWebhookVerifier({ secret: ['whsec_AAAA', secret] }),
    keys: client.createWebhookVerifier({ url: `${queue.url}/` }),
  });
  const kinds = ['secret', 'one of several secrets', 'keys'] as const;

  it.each(kinds)('is verified by its %s', async (kind) => {
    const { headers, text, body } = received;
    const verify = verifiers()[kind];
    expect(await verify({ headers, body: text })).toEqual(body);
    expect(await verify({ headers: new Headers(headers as never), body: Buffer.from(text) })).toEqual(body);
  });

  it.each(kinds)('that was changed is rejected by its %s', async (kind) => {
    const { headers, text } = received;
    const verify = verifiers()[kind];
    const forged = [
      { headers, body: text.replace('"OK"', '"KO"') },
      { headers: { ...headers, 'webhook-id': 'other', 'x-svc-webhook-user-id': 'other' }, body: text },
      {
        headers: { ...headers, 'webhook-signature': 'v1,AAAA', 'x-svc-webhook-signature': 'zz' },
        body: text,
      },
      { headers: { 'x-svc-webhook-timestamp': '1', 'webhook-timestamp': '1' }, body: text },
    ];
    for (const each of forged) await expect(verify(each)).rejects.toThrow(client.WebhookError);
  });

  it('is verified in a browser, and rejected if it was changed', async () => {
    const { headers, text, body } = received;
    const changed = text.replace('"OK"', '"KO"');
    const judge = (api: string): string => `import('content-api-client').then(
      ({ createWebhookVerifier, WebhookError }) => {
        const { headers, texts, options } = ${JSON.stringify({
          headers,
          texts: [text, changed],
          options: [{ secret }, { url: api }],
        })};
        const say = (error) => [error instanceof WebhookError, error.message];
        return Promise.all(options.map((each) => {
          const verify = createWebhookVerifier(each);
          return Promise.all(texts.map((body) => verify({ headers, body }).catch(say)));
        }));
      },
    )`;
    const refusal = [true, 'the signature of the webhook is wrong'];
    const verdicts = await evaluateInBrowser({ folder: project.folder, url: queue.url }, judge);
    expect(verdicts).toEqual([
      [body, refusal],
      [body, refusal],
    ]);
  });

  it('with an old timestamp is rejected', async () => {
    const { headers, text } = received;
    for (const options of [{ secret }, { url: queue.url }]) {
      const verify = client.createWebhookVerifier({ ...options, tolerance: -1 });
      await expect(verify({ headers, body: text })).rejects.toThrow('not within the tolerance');
    }
  });

  it('is not verified by an empty secret', async () => {
    const { headers, text } = received;
    for (const empty of ['', 'whsec_', [secret, '']]) {
      const verify = client.createWebhookVerifier({ secret: empty });
      await expect(verify({ headers, body: text })).rejects.toThrow('a secret or signature is empty');
    }
  });

  it('loads keys once, and again for an unknown signature after a while', async () => {
    let asked = 0;
    const counting: typeof fetch = (...parameters) => {
      asked += 1;
      return fetch(...parameters);
    };
    const verify = client.createWebhookVerifier({ url: queue.url, fetch: counting });
    const { headers, text } = received;
    await verify({ headers, body: text });
    await verify({ headers, body: text });
    await expect(verify({ headers, body: `${text} ` })).rejects.toThrow('wrong');
    expect(asked).toBe(1);
  });
});
