/** An import whose worker is killed again and again stores every row once. `LONG=1`: 1 000 000 rows, five kills, every database. */
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { findTemporal } from '../../runtime/demo/temporal-program.js';
import { startTemporalServer } from '../../runtime/demo/temporal-server.js';
import { createTestDatabase, sampleDialects, type TestDatabase } from '../databases.js';
import { createWorkplace, type Running } from '../runtime/commands.js';
import { adminToken } from '../runtime/harness/rows.js';
import { reservePort } from '../services/ports.js';
import { systemTemplate } from '../templates.js';
import { until } from '../until.js';

const isLong = process.env.LONG !== undefined;
const [rows, kills] = isLong ? [1_000_000, 5] : [30_000, 1];
const timeout = isLong ? 3_600_000 : 120_000;

const schema =
  'create table entry (id integer primary key, name varchar(40) not null, price decimal(9, 2), made date);';

function* lines(): Generator<string> {
  yield 'id,name,price,made\n';
  for (let from = 1; from <= rows; from += 1_000) {
    const ids = Array.from({ length: Math.min(1_000, rows - from + 1) }, (_, index) => from + index);
    yield ids.map((id) => `${id},entry number ${id},${(id % 9_999) / 4},2024-0${1 + (id % 9)}-11\n`).join('');
  }
}

const ends: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const startTemporal = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-temporal-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const port = await reservePort();
  const program = (await findTemporal()) ?? '';
  const server = await startTemporalServer({
    program,
    port,
    uiPort: null,
    file: join(folder, 'temporal.db'),
  });
  ends.push(server.stop);
  return `127.0.0.1:${port}`;
};

const readSums = async ({ database }: TestDatabase) => {
  const [row] = await database.query(
    'select count(*) as imported, sum(id) as ids, sum(price) as prices, min(id) as first_id, max(id) as last_id from entry',
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
};

describe.each(sampleDialects(import.meta.url))('on %s', (dialect) => {
  it(`an import of ${rows} rows survives ${kills} kills of its worker`, { timeout }, async () => {
    const database = await createTestDatabase(dialect, { template: await systemTemplate(dialect) });
    ends.push(() => database.drop());
    await database.execute(schema);
    const place = createWorkplace();
    ends.push(() => place.remove());
    const environment = {
      DATABASE_URL: database.url,
      SECRET: 'a secret for tests of at least 32 bytes',
      TEMPORAL_ADDRESS: await startTemporal(),
    };
    const serving = place.start(['start', '--workers', '1'], { ...environment, PORT: '0' });
    const url = (await serving.until(/items (http:\/\/127\.0\.0\.1:\d+)\/items/))[1] ?? '';
    const startWorker = async (): Promise<Running> => {
      const worker = place.start(['worker'], { ...environment, PUBLIC_URL: url });
      await worker.until(/workers started: /);
      return worker;
    };
    const file = join(place.directory, 'rows.csv');
    await pipeline(lines, createWriteStream(file));

    let worker = await startWorker();
    const headers = { authorization: `Bearer ${adminToken}` };
    const submitted = await fetch(`${url}/items/entry/import`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/csv' },
      body: await openAsBlob(file),
    });
    const request = (await submitted.json()) as {
      readonly status_url: string;
      readonly response_url: string;
    };
    for (let kill = 1; kill <= kills; kill += 1) {
      const wanted = (rows * kill) / (kills + 2);
      const stored = async (): Promise<number> => (await readSums(database)).imported ?? 0;
      await until(async () => (await stored()) >= wanted, { timeout, interval: isLong ? 250 : 10 });
      await worker.stop('SIGKILL');
      expect(await stored()).toBeLessThan(rows);
      worker = await startWorker();
    }
    await until(
      async () => {
        const status = await fetch(request.status_url, { headers });
        return ((await status.json()) as { readonly status: string }).status === 'COMPLETED';
      },
      { timeout },
    );
    const result = await fetch(request.response_url, { headers });
    expect(await result.json()).toEqual({ imported: rows, rejected: 0, rejected_rows: null });
    const quarters = Array.from({ length: rows }, (_, index) => (index + 1) % 9_999);
    expect(await readSums(database)).toEqual({
      imported: rows,
      ids: (rows * (rows + 1)) / 2,
      prices: quarters.reduce((sum, each) => sum + each, 0) / 4,
      first_id: 1,
      last_id: rows,
    });
    expect(await worker.stop('SIGTERM')).toBe(0);
  });
});
