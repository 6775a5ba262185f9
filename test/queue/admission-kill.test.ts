/**
 * SIGKILL of a process that admits: in the middle of the transaction, and between the commit, with which a request has its
 * slot, and the start of its workflow. No slot is lost, and nothing runs twice.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../runtime/databases/open.js';
import type { Database } from '../../runtime/databases/contract.js';
import { createTestDatabase, pairDialects, type TestDatabase } from '../databases.js';
import { createWorkplace, type Running, type Workplace } from '../runtime/commands.js';
import { reservePort } from '../services/ports.js';
import { systemTemplate } from '../templates.js';
import { until } from '../until.js';
import { createNamespace } from './namespaces.js';

const model = `title: Ledger
description: Writes a line for each run.
runner: { function: './ledger.js' }
concurrency: { model: 2, account: 2 }
input: { type: object, properties: { n: { type: integer }, file: { type: string } } }
output: { type: object }
`;
const ledger = `import { appendFileSync } from 'node:fs';
export const run = async ({ n, file }) => {
  appendFileSync(file, n + '\\n');
  return { n };
};
`;

// SQLite has one writer: nobody can hold its rows against a process that admits
describe.each(pairDialects(import.meta.url).filter((dialect) => dialect !== 'sqlite'))(
  'a process that is killed while it admits, on %s',
  (dialect) => {
    let stored: TestDatabase;
    let store: Database;
    let place: Workplace;
    let url = '';
    let key = '';
    let file = '';
    const running = new Set<Running>();
    /** Takes connections and says nothing, so that no workflow starts. */
    const silent = createServer();

    beforeAll(async () => {
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      stored = await createTestDatabase(dialect, { template: await systemTemplate(dialect) });
      store = await openDatabase({ url: stored.url });
      place = createWorkplace();
      url = `http://127.0.0.1:${await reservePort()}`;
      file = join(place.directory, 'ledger.txt');
      mkdirSync(join(place.directory, 'spec', 'models'), { recursive: true });
      writeFileSync(join(place.directory, 'spec', 'models', 'test.ledger.yaml'), model);
      writeFileSync(join(place.directory, 'ledger.js'), ledger);
      const created = await place.run(['keys', 'create', '--user', 'admin@example.com'], {
        DATABASE_URL: stored.url,
      });
      key = created.stdout.trim();
    });
    afterAll(async () => {
      await Promise.all([...running].map((each) => each.stop('SIGKILL')));
      await store.close();
      await stored.drop();
      place.remove();
      silent.close();
    });

    const start = async (
      args: readonly string[],
      ready: RegExp,
      temporal: Readonly<Record<string, string>>,
    ) => {
      const started = place.start(args, {
        DATABASE_URL: stored.url,
        PORT: new URL(url).port,
        PUBLIC_URL: url,
        ...temporal,
      });
      running.add(started);
      await started.until(ready);
      return started;
    };
    const serve = (temporal: Readonly<Record<string, string>>): Promise<Running> =>
      start(['start', '--workers', '1'], /\/items/, temporal);
    const kill = async (victim: Running): Promise<void> => {
      await Promise.all(place.processes().map((pid) => process.kill(pid, 'SIGKILL')));
      await victim.ended();
      running.delete(victim);
    };
    const call = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${url}/queue/test/ledger${path}`, {
        ...init,
        headers: { authorization: `Key ${key}`, 'content-type': 'application/json' },
      });
    const submit = async (n: number): Promise<string> => {
      const answer = await call('', { method: 'POST', body: JSON.stringify({ n, file }) });
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { request_id: string }).request_id;
    };
    const statesOf = async (ids: readonly string[]) => {
      const rows = await store.query('select id, state from svc_requests');
      return ids.map((id) => rows.find((row) => row.id === id)?.state);
    };
    const isModelLocked = () =>
      store
        .transaction((statements) => statements.query('select turns from svc_model_locks for update nowait'))
        .then(
          () => false,
          () => true,
        );

    it('loses no slot, and runs nothing twice', async () => {
      const nowhere = { TEMPORAL_ADDRESS: `127.0.0.1:${(silent.address() as AddressInfo).port}` };
      const first = await serve(nowhere);
      const ids: string[] = [];
      for (let n = 0; n < 6; n += 1) ids.push(await submit(n));
      const waits = Array<string>(3).fill('waiting');
      expect(await statesOf(ids)).toEqual(['admitted', 'admitted', 'waiting', ...waits]);
      // the end of one gives its slot to the next
      expect((await call(`/requests/${ids[0]}/cancel`, { method: 'PUT' })).status).toBe(200);
      expect(await statesOf(ids)).toEqual(['ended', 'admitted', 'admitted', ...waits]);
      await kill(first);

      const second = await serve(nowhere);
      await store.transaction(async (statements) => {
        await statements.query('select account from svc_waiting_accounts for update');
        const cancelled = call(`/requests/${ids[1]}/cancel`, { method: 'PUT' }).catch(() => null);
        await until(isModelLocked, { what: 'the process is in the middle of an admission' });
        await kill(second);
        expect(await cancelled).toBeNull();
      });
      await until(async () => !(await isModelLocked()), { what: 'the lock of the killed process is gone' });
      // nothing of it is there
      expect(await statesOf(ids)).toEqual(['ended', 'admitted', 'admitted', ...waits]);

      const temporal = {
        TEMPORAL_ADDRESS: inject('services').temporal,
        TEMPORAL_NAMESPACE: await createNamespace(),
      };
      await serve(temporal);
      await start(['worker'], /workers started: /, temporal);
      const later = [await submit(6), await submit(7), await submit(8)];
      const all = [...ids, ...later];
      await until(async () => (await statesOf(all)).every((state) => state === 'ended'), {
        timeout: 180_000,
        seen: () => statesOf(all),
      });
      const lines = readFileSync(file, 'utf8').trim().split('\n').map(Number);
      expect(lines.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      const failed = 'select id from svc_requests where http_status <> 200 or attempts > 1';
      expect(await store.query(failed)).toEqual([{ id: ids[0] }]);
    });
  },
);
