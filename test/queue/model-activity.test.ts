/** Attempts that the activity of a model does not begin. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ModelRequestInput, RequestEnd } from '../../runtime/queue/contract.js';
import type { Outcome } from '../../runtime/queue/requests/outcome.js';
import { endAttempt, listRequestAttempts, startAttempt } from '../../runtime/queue/store/attempts.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { insertRequests } from '../../runtime/queue/store/requests.js';
import {
  createModelActivities,
  type ModelActivityOptions,
} from '../../runtime/queue/temporal/activities/model.js';
import { sampleDialects } from '../databases.js';
import { useServer } from '../runtime/harness/use-server.js';
import { newRequest } from './new-request.js';

const past = (): number => Date.now() - 1_000;

describe.each(sampleDialects(import.meta.url))('on %s, the activity of a model', (dialect) => {
  const server = useServer({ dialect });
  const run = vi.fn<() => void>();
  const end = vi.fn<(request: unknown, outcome: Outcome) => Promise<RequestEnd>>(
    async (_request, { errorType }) => ({ httpStatus: 504, errorType }),
  );

  beforeEach(() => void vi.clearAllMocks());

  /** Stores a request of which so many attempts have begun. */
  const store = async (begun: number, startBefore: number | null = null): Promise<string> => {
    const { database } = server();
    const id = createId();
    const created = Date.now();
    const request = newRequest('test/slow', { id, account: createId(), priority: 0, created });
    await insertRequests(database, [{ ...request, startBefore }]);
    for (let attempts = 0; attempts < begun; attempts += 1)
      await startAttempt(database, { request: id, attempts, worker: '1@gone-000000', now: created });
    return id;
  };

  const runModel = (requestId: string, attempts: number) => {
    const { runModel: activity } = createModelActivities({
      database: server().database,
      lifecycle: { end },
      models: { all: [], classes: [], find: () => ({ id: 'test/slow' }) },
      run,
      worker: '2@here-000000',
    } as unknown as ModelActivityOptions);
    return activity({ requestId, attempts } as ModelRequestInput);
  };

  const exhausted = { type: 'runner_scheduling_failure', nonRetryable: true };

  it('does not run a model whose last attempt ended with its worker', async () => {
    await expect(runModel(await store(2), 2)).rejects.toMatchObject(exhausted);
    expect([run.mock.calls.length, end.mock.calls.length]).toEqual([0, 0]);
  });

  it('ends a request that did not begin in time', async () => {
    expect(await runModel(await store(0, past()), 2)).toEqual({
      httpStatus: 504,
      errorType: 'startup_timeout',
    });
    expect(run).not.toHaveBeenCalled();
  });

  it('does not end one that began in time, however long it takes', async () => {
    await expect(runModel(await store(1, past()), 1)).rejects.toMatchObject(exhausted);
    expect(end).not.toHaveBeenCalled();
  });

  it('keeps the beginning of a long message and of a long stack, without null characters', async () => {
    const { database } = server();
    const request = await store(1);
    const error = { name: 'n'.repeat(300), message: `a\0${'m'.repeat(20_000)}`, stack: 's'.repeat(20_000) };
    const end = {
      outcome: 'error',
      errorType: 'runner_server_error',
      memory: null,
      logBytes: 0,
      files: 0,
    } as const;
    await endAttempt(database, { request, number: 1, error, ...end }, Date.now());
    const [attempt] = await listRequestAttempts(database, request);
    expect(attempt?.error).toEqual({
      name: 'n'.repeat(255),
      message: `a\uFFFD${'m'.repeat(15_998)}`,
      stack: 's'.repeat(16_000),
    });
  });
});
