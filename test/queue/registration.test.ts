/** A worker finds out that its database is silent, so that its activities fail, and run again when the database answers. */
import { expect, it } from 'vitest';
import { openDatabase } from '../../runtime/databases/open.js';
import { registerWorker } from '../../runtime/queue/temporal/registration.js';
import type { WorkerProcessOptions } from '../../runtime/queue/temporal/worker-services.js';
import { createTestDatabase } from '../databases.js';
import { startCuttingProxy } from '../runtime/harness/cutting-proxy.js';
import { systemTemplate } from '../templates.js';
import { until } from '../until.js';

it('a worker ends statements that a silent database does not answer', async () => {
  const place = await createTestDatabase('postgres', { template: await systemTemplate('postgres') });
  const proxy = await startCuttingProxy(place.url);
  const database = await openDatabase({ url: proxy.url });
  const options: Partial<WorkerProcessOptions> = { database, roles: ['models'], version: 'test' };
  const registration = registerWorker(options as WorkerProcessOptions, []);
  registration.start(() => undefined);
  await until(async () => (await database.query('select id from svc_workers')).length > 0);
  proxy.silence(true);
  const lost: unknown = await database.query('select 1 as one').catch((error: unknown) => error);
  expect(database.isConnectionLoss(lost)).toBe(true);
  proxy.silence(false);
  await registration.close();
  await database.close();
  await proxy.close();
  await place.drop();
});
