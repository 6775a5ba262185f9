/** An apply that a worker of Temporal runs, as the process that received the request sees it end. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { beginApply, endApply, queueApply } from '../../../runtime/schema/apply/applies.js';
import { followWorkflow } from '../../../runtime/schema/apply/workflow.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';
import { systemTemplate } from '../../templates.js';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase('sqlite', { template: await systemTemplate('sqlite') });
});
afterAll(() => test.drop());

const workflows = { start: async () => undefined, cancel: async () => undefined };

/** Follows an apply that a worker has begun, until it ends. */
const follow = async (end: Parameters<typeof endApply>[2]): Promise<void> => {
  const { database } = test;
  const id = await queueApply(database, {
    hash: '',
    diff: {} as never,
    wanted: {} as never,
    acceptLoss: false,
    user: null,
  });
  await beginApply(database, id, 'worker');
  const followed = followWorkflow(id, {
    database,
    tables: { include: [], exclude: [] },
    user: null,
    workflows,
  });
  await endApply(database, id, end);
  return followed;
};

it('that is done', async () => {
  await expect(follow({ state: 'done' })).resolves.toBeUndefined();
});

it('that somebody has abandoned can be tried again', async () => {
  await expect(follow({ state: 'abandoned' })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    message: expect.stringContaining('the apply was abandoned'),
  });
});

it('that failed is an error of the server', async () => {
  const error = new Error('the connection was lost');
  await expect(follow({ state: 'failed', error })).rejects.toThrow(error.message);
});
