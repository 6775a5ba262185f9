/** A run ends in time, when it is told to, and with no more than is kept. */
import { describe, expect, it } from 'vitest';
import type { QueueModelDeclaration } from '../../contract/queue-model.js';
import { final, type RunContext } from '../../runtime/queue/models/attempt.js';
import { createRunner } from '../../runtime/queue/models/run-model.js';

const model: QueueModelDeclaration = {
  id: 'test/function',
  title: 'Function',
  access: 'user',
  runner: { kind: 'function', module: './function.js', memory: 0, environment: [] },
  class: 'models',
  timeout: 60_000,
  attempts: 1,
  concurrency: { model: 1, account: 1 },
  input: { type: 'object' },
  output: { type: 'string' },
};

interface Given {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

/** Stands for a function that runs in a child process. */
type Run = (input: unknown, context: Pick<RunContext, 'signal'>) => unknown;

const start = (run: Run, { signal, timeout = 60_000 }: Given = {}) => {
  const lines: string[] = [];
  const failures: unknown[] = [];
  const attempted = createRunner({
    runFunction: async (_, { input, signal: given }) => {
      const running = Promise.resolve(run(input, { signal: given }));
      return final({
        status: 200,
        body: await Promise.race([running, untilAborted(given)]),
        errorType: null,
      });
    },
  })(
    { ...model, timeout },
    {
      requestId: '0',
      account: '0',
      input: {},
      resumed: undefined,
      traceparent: null,
      attempt: 1,
      log: (line) => lines.push(line),
      progress: () => undefined,
      skip: () => undefined,
      files: { adopt: () => Promise.reject(new Error('there is no store')), count: () => 0 },
      signal: signal ?? new AbortController().signal,
      onMemory: () => undefined,
      onFailure: (error) => failures.push(error),
    },
  );
  return { attempted, lines, failures };
};

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
  });

const tooLong = 'the result has 8000001 bytes, but the maximum is 8000000; save larger output as files';

const forever = () => new Promise<never>(() => undefined);

describe('a run', () => {
  it('ends at its timeout, even if the function ignores its signal', async () => {
    let seen: AbortSignal | null = null;
    const { attempted, failures } = start(
      (_, { signal }) => {
        seen = signal;
        return forever();
      },
      { timeout: 10 },
    );
    expect(await attempted).toMatchObject({
      outcome: { status: 504, errorType: 'request_timeout' },
      retry: false,
    });
    expect([(seen as AbortSignal | null)?.aborted, failures]).toEqual([true, []]);
  });

  it.each([
    ['before it begins', (controller: AbortController) => controller.abort(new Error('drained'))],
    [
      'while it is under way',
      (controller: AbortController) => void setImmediate(() => controller.abort(new Error('drained'))),
    ],
  ])('fails with the reason of its signal, aborted %s', async (_, abort) => {
    const controller = new AbortController();
    abort(controller);
    const { attempted, failures } = start(forever, { signal: controller.signal });
    await expect(attempted).rejects.toThrow('drained');
    expect(failures).toEqual([]);
  });

  it('that throws is reported to the operator, not to the caller', async () => {
    const error = new Error('a secret');
    const { attempted, failures } = start(() => Promise.reject(error));
    const { outcome } = await attempted;
    expect([outcome.errorType, JSON.stringify(outcome).includes('secret'), failures]).toEqual([
      'runner_server_error',
      false,
      [error],
    ]);
  });

  it.each([
    [8_000_000, null],
    [8_000_001, 'runner_incomplete_response'],
  ])('can return %d bytes: %s', async (bytes, errorType) => {
    // two of them are quotation marks
    const { attempted, lines } = start(() => 'x'.repeat(bytes - 2));
    expect((await attempted).outcome.errorType).toBe(errorType);
    expect(lines.join()).toBe(errorType === null ? '' : tooLong);
  });

  it('returns only properties of the output schema', async () => {
    const { attempted, lines } = start(() => 7);
    expect((await attempted).outcome.errorType).toBe('runner_incomplete_response');
    expect(lines).toEqual([expect.stringContaining('not of the form')]);
  });
});
