/** Imports and exports as workflows of Temporal. What they store is tested without it, on every database. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../databases.js';
import { sqlFor } from '../runtime/harness/sql.js';
import { endOf, submit } from '../runtime/transfers/transfers.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';

const files = await mkdtemp(join(tmpdir(), 'svc-transfers-'));

describe.each(process.env.LONG === '1' ? dialects : (['postgres'] as const))('transfers on %s', (dialect) => {
  let queue: TestQueue;

  beforeAll(async () => {
    queue = await startTestQueue(dialect, {
      sql: sqlFor(dialect, 'create table "entry" ("id" {counter}, "number" integer not null unique);'),
      environment: { QUEUE_FILES_DIR: files },
      transfers: true,
    });
  });
  afterAll(() => queue.close());

  const count = async (): Promise<number> =>
    Number((await queue.database.query('select count(*) as n from entry'))[0]?.n);

  it('continue in another worker where one stopped, and are delivered by webhook', async () => {
    const first = await queue.startWorkers();
    const rows = Array.from({ length: 8_000 }, (_, index) => index);
    const hook = `svc_webhook=${queue.receiver.url}/imported`;
    const request = await submit(queue, `/items/entry/import?on_error=report&${hook}`, {
      as: 'admin',
      raw: `number\n${rows.join('\n')}\nlast\n`,
      type: 'text/csv',
    });
    const progress = async (): Promise<number> => {
      const { body } = await queue.request('GET', `${request.path}/status`, { as: 'admin' });
      return (body as { readonly progress?: number }).progress ?? 0;
    };
    await until(async () => (await progress()) > 0);
    await Promise.all([first.stop(), queue.startWorkers()]);
    expect(await endOf(queue, request, 'admin')).toMatchObject({
      status: 200,
      progress: 100,
      body: { imported: 8_000, rejected: 1 },
    });
    expect(await count()).toBe(8_000);
    const delivered = await until(() => queue.receiver.received.find(({ path }) => path === '/imported'));
    expect(delivered.body).toMatchObject({ status: 'OK', payload: { imported: 8_000, rejected: 1 } });
  });

  it('end when they are cancelled', async () => {
    const before = await count();
    const rows = Array.from({ length: 20_000 }, (_, index) => 100_000 + index);
    const sent = { as: 'admin', raw: `number\n${rows.join('\n')}\n`, type: 'text/csv' };
    const request = await submit(queue, '/items/entry/import', sent);
    await until(async () => (await count()) > before);
    await queue.request('PUT', `${request.path}/cancel`, { as: 'admin' });
    const { status } = await endOf(queue, request, 'admin');
    expect([200, 499]).toContain(status);
    const stored = (await count()) - before;
    expect(status === 200 ? stored === 20_000 : stored < 20_000).toBe(true);
  });

  it('write exports into files', async () => {
    const body = { format: 'ndjson', query: { filter: { number: { _lt: 3 } }, fields: ['number'] } };
    const request = await submit(queue, '/items/entry/export', { as: 'admin', body });
    const ended = await endOf(queue, request, 'admin');
    expect(ended).toMatchObject({ status: 200, body: { rows: 3 } });
    expect(await (await fetch(ended.body.file.url)).text()).toBe(
      '{"number":0}\n{"number":1}\n{"number":2}\n',
    );
  });
});
