/** Work that a function leaves running must not affect the next run of its process, which may belong to another account. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { toLogEntry } from '../../runtime/log/entries.js';
import type { LateFailure } from '../../runtime/queue/models/children/messages.js';
import { toLateFailure } from '../../runtime/queue/models/function-runner.js';
import { until } from '../until.js';
import { createTestChildren, filesDir, startRun, testRequest } from './run-once.js';

const late: LateFailure[] = [];
const children = createTestChildren({ settleLimit: 60_000, onLate: (failure) => late.push(failure) });
afterAll(() => children.close());

it.each([
  ['its failure', 0],
  ['its exit', 3],
])('has its logs, its output, its state, its files and %s alone', async (_, status) => {
  late.length = 0;
  const first = startRun(children, 'leave', { input: { text: 'the first', status } });
  const left = (await first.attempted).outcome.body as { readonly process: number };
  const second = startRun(children, 'leave', { input: { ms: 500 } });
  const { outcome } = await second.attempted;
  expect(outcome).toMatchObject({ status: 200, body: { process: left.process, file: 'own.txt' } });
  expect([second.lines, second.progress, second.failures]).toEqual([[], [], []]);
  expect(existsSync(join(filesDir, testRequest, 'left.txt'))).toBe(false);
  const message = status === 3 ? 'the run that exits has ended' : 'failed in the first';
  expect(late).toMatchObject([
    { origin: { request: testRequest, model: 'test/leave', attempt: 1 }, error: { message } },
  ]);
});

it('is reported with its run, where it fails while there is no other', async () => {
  late.length = 0;
  const { attempted, failures } = startRun(children, 'failAfterwards');
  expect((await attempted).outcome.status).toBe(200);
  const reported = toLateFailure(await until(() => late[0]));
  expect(reported).toMatchObject({
    request: testRequest,
    account: testRequest,
    error: { message: 'failed afterwards', stack: expect.stringContaining('at ') },
  });
  expect(toLogEntry({ kind: 'modelFailed', ...reported }).message).toBe(
    'test/failAfterwards failed after its end, in what it left running: ' +
      `request ${testRequest} of account ${testRequest}, attempt 1`,
  );
  expect(failures).toEqual([]);
});

it('is the last one of its process, if the failure came in it', async () => {
  const { attempted } = startRun(children, 'leave', { input: { text: 'the first' } });
  const { process: left } = (await attempted).outcome.body as { readonly process: number };
  await startRun(children, 'leave', { input: { ms: 500 } }).attempted;
  await until(() => children.use().length === 0 || null);
  const third = (await startRun(children, 'leave').attempted).outcome;
  expect(third).toMatchObject({ status: 200 });
  expect((third.body as { readonly process: number }).process).not.toBe(left);
});
