/** Outcomes of delivery attempts by response of the receiver. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attempt, type AttemptResult } from '../../runtime/queue/webhooks/attempt.js';
import { createReceiverAgent } from '../../runtime/queue/webhooks/connector.js';

const agent = createReceiverAgent({ policy: { allowed: ['127.0.0.0/8'], http: true } });
let respond: (response: ServerResponse) => void;
const server = createServer((_, response) => respond(response));

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  await agent.destroy();
  server.closeAllConnections();
  server.close();
});

const post = (signal = new AbortController().signal): Promise<AttemptResult> => {
  const { port } = server.address() as AddressInfo;
  return attempt({ url: `http://127.0.0.1:${port}/`, headers: {}, body: Buffer.from('{}'), agent, signal });
};

const answerWith = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<AttemptResult> => {
  respond = (response) => response.writeHead(status, headers).end();
  return post();
};

describe('a response', () => {
  it.each<[number, object]>([
    [200, { kind: 'accepted' }],
    [204, { kind: 'accepted' }],
    [299, { kind: 'accepted' }],
    [300, { kind: 'refused', error: 'redirect' }],
    [399, { kind: 'refused', error: 'redirect' }],
    [400, { kind: 'failed', error: 'status' }],
    [404, { kind: 'failed', error: 'status' }],
    [410, { kind: 'refused', error: 'gone' }],
    [500, { kind: 'failed', error: 'status' }],
  ])('with status %d is %j', async (status, result) => {
    expect(await answerWith(status)).toMatchObject({ status, ...result });
  });

  it.each<[string, number | null]>([
    ['7', 7_000],
    ['3600', 3_600_000],
    ['3601', 3_600_000],
    ['0', null],
    ['soon', null],
    ['-5', null],
    ['Thu, 01 Jan 1970 00:00:00 GMT', null],
    ['Fri, 31 Dec 9999 00:00:00 GMT', 3_600_000],
  ])('with Retry-After: %s delays the next attempt by %s ms', async (text, after) => {
    expect(await answerWith(503, { 'retry-after': text })).toMatchObject({ kind: 'failed', after });
  });

  it('after the timeout is a failure', async () => {
    const controller = new AbortController();
    respond = () => controller.abort(new DOMException('over', 'TimeoutError'));
    expect(await post(controller.signal)).toEqual({
      kind: 'failed',
      status: null,
      error: 'timeout',
      after: null,
    });
  });

  it('that is cut off is a failure', async () => {
    respond = (response) => response.destroy();
    expect(await post()).toMatchObject({ kind: 'failed', error: 'connection' });
  });
});
