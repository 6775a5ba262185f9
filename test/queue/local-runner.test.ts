/** Transfers that run without Temporal: how often a failing one is run, and who continues one whose process stops. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../runtime/config/config.js';
import { createQueueModels } from '../../runtime/queue/models/models.js';
import { builtInModels } from '../../runtime/queue/models/built-in.js';
import { createFileStore } from '../../runtime/queue/requests/file-store.js';
import { createRequestLifecycle } from '../../runtime/queue/requests/lifecycle.js';
import { platformOutcome } from '../../runtime/queue/requests/outcome.js';
import { createQuotas } from '../../runtime/queue/requests/quotas.js';
import { queueSettings } from '../../runtime/queue/settings.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { listRequestAttempts } from '../../runtime/queue/store/attempts.js';
import { findRequest } from '../../runtime/queue/store/requests.js';
import { createGateway } from '../../runtime/queue/temporal/gateway.js';
import { createLocalRunner, type LocalRunner } from '../../runtime/transfers/local-runner.js';
import type { RunTransfer } from '../../runtime/transfers/run.js';
import { sampleDialects } from '../databases.js';
import { startTestServer, type TestServer } from '../runtime/server-harness.js';
import { until } from '../until.js';

const [{ attempts: most } = { attempts: 0 }] = builtInModels;

const failing: RunTransfer = async () => ({
  outcome: platformOutcome('runner_server_error'),
  retry: true,
});
const done: RunTransfer = async () => ({
  outcome: { status: 200, errorType: null, body: {} },
  retry: false,
});
const onError = (error: unknown): never => {
  throw error;
};

describe.each(sampleDialects(import.meta.url))('a transfer without Temporal on %s', (dialect) => {
  let server: TestServer;
  const runners: LocalRunner[] = [];

  beforeAll(async () => {
    // the server itself leaves transfers to the workers of a Temporal that is not there
    server = await startTestServer({ dialect, environment: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
  });
  afterAll(async () => {
    for (const runner of runners) await runner.close();
    await server.close();
  });

  const startRunner = (run: RunTransfer, takeover?: number): LocalRunner => {
    const { database } = server;
    const settings = queueSettings(loadConfig({ DATABASE_URL: 'sqlite:unused' }), {
      url: () => server.url,
      secrets: [],
    });
    const lifecycle = createRequestLifecycle({
      database,
      models: createQueueModels(builtInModels),
      gateway: createGateway({ address: '127.0.0.1:1', namespace: null }),
      quotas: createQuotas({ database, preset: settings.quotas }),
      resultTtl: settings.resultTtl,
      onError: () => undefined,
    });
    const files = createFileStore(settings);
    const options = { database, settings, lifecycle, files, run, observe: () => undefined, onError };
    const runner = createLocalRunner({ ...options, ...(takeover !== undefined && { takeover }) });
    runners.push(runner);
    return runner;
  };
  const insert = async (attempts: number, retry = 1): Promise<string> => {
    const id = createId();
    await server.database.write({
      text:
        'insert into svc_requests (id, account, model, state, input, attempts, retry, date_created) ' +
        "values (?, ?, 'svc/export', 'admitted', '{}', ?, ?, ?)",
      values: [id, createId(), attempts, retry, Date.now()],
    });
    return id;
  };
  const untilEnded = (id: string) =>
    until(
      async () => {
        const request = await findRequest(server.database, id);
        return request?.state === 'ended' && request;
      },
      { what: 'the transfer has ended' },
    );
  it(`that fails is run ${most} times in all, and once where its submit says so`, async () => {
    const [often, once] = [await insert(most - 2), await insert(0, 0)];
    const runner = startRunner(failing, 200);
    const ended = [await untilEnded(often), await untilEnded(once)];
    await runner.close();
    expect(ended.map(({ attempts, errorType }) => ({ attempts, errorType }))).toEqual([
      { attempts: most, errorType: 'runner_server_error' },
      { attempts: 1, errorType: 'runner_server_error' },
    ]);
    const all = await listRequestAttempts(server.database, often);
    expect(all.map(({ outcome }) => outcome)).toEqual(['retry', 'error']);
  });

  it('is continued at once by another process when its own stops', async () => {
    const id = await insert(0);
    const begun: string[] = [];
    const first = startRunner((_, { requestId, signal }) => {
      begun.push(requestId);
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    });
    await until(() => begun.length > 0);
    await first.close();
    startRunner(done);
    await until(async () => (await findRequest(server.database, id))?.state === 'ended', {
      // much less than it takes until a process counts as gone
      timeout: 15_000,
    });
    const all = await listRequestAttempts(server.database, id);
    expect(all.map(({ outcome, errorType }) => ({ outcome, errorType }))).toEqual([
      { outcome: 'retry', errorType: 'worker_stopped' },
      { outcome: 'ok', errorType: null },
    ]);
  });
});
