/** Results and errors of function models. */
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../runtime/index.js';
import type { QueueModelDeclaration, RunModel } from '../../contract/queue-model.js';
import type { RunResult } from '../../runtime/queue/models/attempt.js';
import { createRunner } from '../../runtime/queue/models/run-model.js';

const model: QueueModelDeclaration = {
  id: 'test/function',
  title: 'Function',
  access: 'user',
  runner: { kind: 'function', module: './function.js' },
  class: 'models',
  timeout: 1_000,
  attempts: 1,
  concurrency: { model: 1, account: 1 },
  input: { type: 'object' },
  output: { type: 'object', required: ['good'] },
};

const runOnce = async (run: RunModel<unknown, unknown>): Promise<[RunResult, unknown[]]> => {
  const failures: unknown[] = [];
  const attempted = await createRunner(async () => ({ run }))(model, {
    requestId: '0',
    input: {},
    resumed: undefined,
    log: () => undefined,
    progress: () => undefined,
    files: { save: () => Promise.reject(new Error('there is no store')) },
    signal: new AbortController().signal,
    onFailure: (error) => failures.push(error),
  });
  return [attempted, failures];
};

const outcome = (status: number, body: unknown, errorType: string | null = null) => ({
  outcome: { status, body, errorType },
  retry: false,
});

describe('a function model', () => {
  it('results in its return value', async () => {
    expect(await runOnce(() => ({ good: true }))).toEqual([outcome(200, { good: true }), []]);
  });

  it.each([400, 404, 422, 499])('can respond with an error of its own: %d', async (status) => {
    const body = { detail: [{ loc: ['body', 'prompt'], msg: 'too dark', type: 'content_policy_violation' }] };
    const throwing: RunModel<unknown, unknown> = async () => {
      throw new ModelError(status, body);
    };
    expect(await runOnce(throwing)).toEqual([outcome(status, body), []]);
    const atOnce: RunModel<unknown, unknown> = () => {
      throw new ModelError(status, body);
    };
    expect(await runOnce(atOnce)).toEqual([outcome(status, body), []]);
  });

  it.each([new ModelError(200, {}), new ModelError(500, {}), new Error('a secret')])(
    'fails if it throws anything else: %s',
    async (error) => {
      const [attempted, failures] = await runOnce(() => Promise.reject(error));
      expect(attempted).toMatchObject({ outcome: { status: 500, errorType: 'runner_server_error' } });
      expect(JSON.stringify(attempted)).not.toContain('secret');
      expect(failures).toEqual([error]);
    },
  );
});
