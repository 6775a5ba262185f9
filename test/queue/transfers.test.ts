/** Imports and exports as workflows of Temporal. What they store is tested without it, on every database. */
import { EventEmitter, once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { dialects } from '../databases.js';
import { sqlFor } from '../runtime/harness/sql.js';
import { adminToken } from '../runtime/harness/rows.js';
import { endOf, submit, type Submitted } from '../runtime/transfers/transfers.js';
import { until } from '../until.js';
import { startTestQueue, type TestQueue } from './harness.js';

const files = await mkdtemp(join(tmpdir(), 'svc-transfers-'));

/** Returns a promise, and the function that resolves it. */
const createGate = (): { readonly opened: Promise<void>; open(): void } => {
  const events = new EventEmitter();
  return { opened: once(events, 'open').then(() => undefined), open: () => void events.emit('open') };
};

interface Progressed {
  readonly progress?: number;
}

/** Follows the stream of a request. */
const followProgress = (queue: TestQueue, { path }: Submitted) => {
  const percents: number[] = [];
  const follow = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${adminToken}` };
    const { body } = await fetch(`${queue.url}${path}/status/stream`, { headers });
    let text = '';
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = `${text}${part}`.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const { progress } = JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}') as Progressed;
        if (progress !== undefined) percents.push(progress);
      }
    }
  };
  return { percents, ended: follow() };
};

describe.each(process.env.LONG === '1' ? dialects : (['postgres'] as const))('transfers on %s', (dialect) => {
  let queue: TestQueue;
  let client: Client;
  /** The worker that runs them. */
  let worker: Awaited<ReturnType<TestQueue['startWorkers']>>;

  beforeAll(async () => {
    queue = await startTestQueue(dialect, {
      sql: sqlFor(dialect, 'create table "entry" ("id" {counter}, "number" integer not null unique);'),
      environment: { QUEUE_FILES_DIR: files },
      transfers: true,
    });
    const connection = await Connection.connect({ address: inject('services').temporal });
    client = new Client({ connection, namespace: queue.namespace });
    worker = await queue.startWorkers();
  });
  afterAll(async () => {
    await client.connection.close();
    await queue.close();
  });

  /** Counts the rows of a test, which has a hundred thousand numbers of its own. */
  const countFrom = async (number: number): Promise<number> => {
    const isOwn = `number between ${number} and ${number + 99_999}`;
    const [row] = await queue.database.query(`select count(*) as n from entry where ${isOwn}`);
    return Number(row?.n);
  };

  /** Returns what the running activity of a request has told Temporal last. */
  const heartbeatOf = async (id: string) => {
    const { raw } = await client.workflow.getHandle(id).describe();
    const details = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data;
    return JSON.parse(Buffer.from(details ?? []).toString() || '{}') as { readonly done?: number };
  };

  it('continue in another worker where one stopped, and are delivered by a signed webhook', async () => {
    const first = worker;
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
    [, worker] = await Promise.all([first.stop(), queue.startWorkers()]);
    expect(await endOf(queue, request, 'admin')).toMatchObject({
      status: 200,
      progress: 100,
      body: { imported: 8_000, rejected: 1 },
    });
    expect(await countFrom(0)).toBe(8_000);
    const delivered = await until(() => queue.receiver.received.find(({ path }) => path === '/imported'));
    expect(delivered.body).toMatchObject({ status: 'OK', payload: { imported: 8_000, rejected: 1 } });
    const { data } = await queue.request('GET', '/webhooks/secret', { as: 'admin' });
    const [secret = ''] = (data as { readonly secrets: readonly string[] }).secrets;
    const headers = Object.fromEntries(
      Object.entries(delivered.headers).map(([name, value]) => [name, String(value)]),
    );
    expect(new Webhook(secret).verify(delivered.text, headers)).toEqual(delivered.body);
  });

  // SQLite locks no single row: a transaction would hold the first chunk already
  it.each(dialect === 'sqlite' ? [] : [12_345])(
    'report their progress in per cent, on the stream and to Temporal, until they end at 100, while row %i waits',
    async (row) => {
      const rows = Array.from({ length: 20_000 }, (_, index) => 200_000 + index);
      // the chunk that has this row waits until another transaction has decided about it
      const [held, released] = [createGate(), createGate()];
      const holding = queue.database.transaction(async (executor) => {
        await executor.query(`insert into entry (number) values (${rows[row]})`);
        held.open();
        await released.opened;
        throw new Error('rolled back');
      });
      await held.opened;
      const sent = { as: 'admin', raw: `number\n${rows.join('\n')}\n`, type: 'text/csv' };
      const request = await submit(queue, '/items/entry/import', sent);
      const told = followProgress(queue, request);
      const temporal = await until(async () => {
        const details = await heartbeatOf(request.id).catch(() => null);
        return details?.done === 12_000 && details;
      });
      await until(() => told.percents.includes(60));
      released.open();
      await expect(holding).rejects.toThrow('rolled back');
      await told.ended;
      expect(temporal).toMatchObject({ percent: 60, done: 12_000, rejected: 0 });
      expect(told.percents).toEqual(told.percents.toSorted((one, other) => one - other));
      expect(told.percents.at(-1)).toBe(100);
    },
  );

  it('end when they are cancelled', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => 100_000 + index);
    const sent = { as: 'admin', raw: `number\n${rows.join('\n')}\n`, type: 'text/csv' };
    const request = await submit(queue, '/items/entry/import', sent);
    await until(async () => (await countFrom(100_000)) > 0);
    await queue.request('PUT', `${request.path}/cancel`, { as: 'admin' });
    const { status } = await endOf(queue, request, 'admin');
    expect([200, 499]).toContain(status);
    const stored = await countFrom(100_000);
    expect(status === 200 ? stored === 20_000 : stored < 20_000).toBe(true);
  });

  it('write exports into files', async () => {
    await queue.database.write({
      text: 'insert into entry (number) values (?), (?), (?)',
      values: [-3, -2, -1],
    });
    const body = { format: 'ndjson', query: { filter: { number: { _lt: 0 } }, fields: ['number'] } };
    const request = await submit(queue, '/items/entry/export', { as: 'admin', body });
    const ended = await endOf(queue, request, 'admin');
    expect(ended).toMatchObject({ status: 200, body: { rows: 3 } });
    expect(await (await fetch(ended.body.file.url)).text()).toBe(
      '{"number":-3}\n{"number":-2}\n{"number":-1}\n',
    );
  });
});
