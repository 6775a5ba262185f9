/** Shared by the tests of the queue's protocol. */
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { expect, inject } from 'vitest';
import type { Answer } from '../runtime/server-harness.js';
import type { TestQueue } from './harness.js';
import { until } from '../until.js';

export interface Submitted {
  readonly request_id: string;
  readonly queue_position: number;
  readonly status_url: string;
}

export const image = { prompt: 'sea', width: 16, height: 16 };
export const training = { model_name: 'm', prompt: 'sea', steps: 1 };
export const picture = {
  image: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==',
};
export const endless = { ...training, steps: 5_000, pause: 0.02 };
export const spec = fileURLToPath(new URL('spec', import.meta.url));

/** Requests to one server. */
export const toolsOf = (queue: () => TestQueue) => {
  const call = (method: string, path: string, more: Record<string, string> = {}, body?: unknown) =>
    queue().request(method, path, {
      headers: { ...queue().auth.ann, ...more },
      ...(body !== undefined && { body }),
    });
  const tools = {
    call,
    get: (path: string) => call('GET', `/queue/${path}`),
    submit: (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      call('POST', `/queue/${path}`, headers, body),
    async queued(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Submitted> {
      const answer = await tools.submit(path, body, headers);
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      return answer.body as Submitted;
    },
    cancel: (path: string) => call('PUT', `/queue/${path}/cancel`),
    result: (path: string) =>
      until(async () => {
        const answer = await call('GET', `/queue/${path}`);
        return answer.text.includes('in progress') ? null : answer;
      }),
  };
  return tools;
};

/** Workflows of requests that are not in the database. */
export const strayWorkflows = async ({ namespace, database }: TestQueue): Promise<readonly string[]> => {
  const connection = await Connection.connect({ address: inject('services').temporal });
  const client = new Client({ connection, namespace });
  const ids = new Set((await database.query('select id from svc_requests')).map(({ id }) => String(id)));
  const found = await until(async () => {
    const all: string[] = [];
    for await (const { workflowId } of client.workflow.list()) all.push(workflowId);
    return all.length >= ids.size ? all : null;
  });
  await connection.close();
  return found.filter((id) => !ids.has(id));
};

export const detailOf = (
  answer: Answer,
): readonly { readonly loc: readonly string[]; readonly type: string }[] =>
  (answer.body as { detail: never }).detail;
