/** An import or export whose process is killed: another one continues or repeats it, and no row is lost or stored twice. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../../until.js';
import { build } from '../harness/build.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';
import { runImport, watchPages, type RunImportOptions } from './run-import.js';
import { endOf, submit, type Submitted } from './transfers.js';

const settings = settingsOf(import.meta.url);

const schema = 'create table "entry" ("id" {counter}, "number" integer not null unique, "text" varchar(40));';
const files = await mkdtemp(join(tmpdir(), 'svc-interrupted-'));
const program = fileURLToPath(new URL('import-process.ts', import.meta.url));

const isLong = process.env.LONG === '1';
const [count, kills] = isLong ? [100_000, 5] : [5_000, 1];
/** Every so many rows, one that cannot be stored. */
const badEvery = 700;

const rowOf = (index: number): string =>
  index % badEvery === 0 ? `x${index},bad` : `${index},"row\n${index}"`;

describe.each(settings)('an interrupted import on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(setting.dialect, schema),
    access: {
      policies: {
        Clerk: [{ collection: 'entry', action: 'create' }],
        Leaver: [{ collection: 'entry', action: 'create' }],
        Reader: [{ collection: 'entry', action: 'read', fields: ['number', 'text'] }],
      },
      users: {
        clerk: { policies: ['Clerk'] },
        leaver: { policies: ['Leaver'] },
        reader: { policies: ['Reader'] },
      },
    },
    // nobody runs its requests but the processes of the test
    environment: { QUEUE_FILES_DIR: files, TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  const send = (raw: string, as = 'admin', mapping = {}): Promise<Submitted> => {
    const query = `?on_error=report&mapping=${encodeURIComponent(JSON.stringify(mapping))}`;
    return submit(server(), `/items/entry/import${query}`, { as, raw, type: 'text/csv' });
  };

  const built = () => build(server().database, []);

  /** Runs a process, and kills it after so many chunks. */
  const runAndKill = async ({ id }: Submitted, chunks: number): Promise<void> => {
    const folder = dirname((await built()).openapi);
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', program, server().databaseUrl, folder, files, id],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let seen = 0;
    for await (const _ of createInterface({ input: child.stdout })) {
      seen += 1;
      if (seen === chunks) child.kill('SIGKILL');
    }
    expect(seen).toBeGreaterThanOrEqual(chunks);
  };

  const run = async ({ id }: Submitted, options: Partial<RunImportOptions> = {}) =>
    runImport({
      database: server().database,
      declarations: (await built()).declarations,
      files,
      request: id,
      ...options,
    });
  /** Counts the rows of a test, which has ten thousand numbers of its own. */
  const countFrom = async (number: number): Promise<number> => {
    const isOwn = `number between ${number} and ${number + 9_999}`;
    const [row] = await server().database.query(`select count(*) as n from entry where ${isOwn}`);
    return Number(row?.n);
  };

  /** Changes rows of access, which every process then reads again. */
  const changeAccess = async (sql: string): Promise<void> => {
    await server().execute(sql);
    await server().execute('update svc_access_version set version = version + 1');
  };

  it('continues after its worker is killed and stores every row once', async () => {
    const rows = Array.from({ length: count }, (_, index) => rowOf(index + 1));
    const request = await send(`number,text\n${rows.join('\n')}\n`);
    const perLife = Math.floor(count / 1_000 / (kills + 1));
    for (let kill = 0; kill < kills; kill += 1) await runAndKill(request, perLife);
    const { outcome } = await run(request);
    const rejected = Math.floor(count / badEvery);
    expect(outcome.body).toMatchObject({ imported: count - rejected, rejected });
    const [stored] = await server().database.query(
      `select count(*) as rows_stored, sum(number) as total from entry where number <= ${count}`,
    );
    const bad = Array.from({ length: rejected }, (_, index) => (index + 1) * badEvery);
    expect({
      rows: Number(stored?.rows_stored),
      total: Number(stored?.total),
    }).toEqual({
      rows: count - rejected,
      total: (count * (count + 1)) / 2 - bad.reduce((sum, each) => sum + each, 0),
    });
    const report = await readFile(join(files, request.id, 'rejected.csv'), 'utf8');
    const lines = report.trimEnd().split('\n').slice(1);
    // every good row before a bad one has two lines, every bad row one
    expect(lines.map((line) => Number(line.split(',')[1]))).toEqual(
      bad.map((index, before) => 2 + 2 * (index - 1) - before),
    );
  });

  it('stores no more rows after it is cancelled, even if its worker does not learn of it', async () => {
    const request = await send(
      `number\n${Array.from({ length: 100 }, (_, index) => 900_000 + index).join('\n')}`,
    );
    const whenRunning = async (): Promise<void> => {
      const { status } = await server().request('PUT', `${request.path}/cancel`, { as: 'admin' });
      expect(status).toBe(200);
    };
    const failures: unknown[] = [];
    const { retry } = await run(request, { whenRunning, onFailure: (error) => failures.push(error) });
    expect(retry).toBe(true);
    // a cancellation is no failure for the log of the operator
    expect(failures).toEqual([]);
    expect(await endOf(server(), request, 'admin')).toMatchObject({ status: 499 });
    expect(await countFrom(900_000)).toBe(0);
  });

  it('stops between two chunks when its worker stops, and continues there', async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => 1_000_000 + index);
    const request = await send(`number\n${rows.join('\n')}\n`);
    const stopping = new AbortController();
    const stopped = run(request, { signal: stopping.signal, progress: () => stopping.abort() });
    await expect(stopped).rejects.toThrow('aborted');
    expect(await countFrom(1_000_000)).toBe(1_000);
    expect((await run(request)).outcome).toMatchObject({ status: 200, body: { imported: 2_500 } });
    expect(await countFrom(1_000_000)).toBe(2_500);
  });

  it('stores long rows in chunks of about a megabyte', async () => {
    const text = 'x'.repeat(400_000);
    const rows = Array.from({ length: 6 }, (_, index) => `${1_100_000 + index},${text}`);
    const seen: unknown[] = [];
    await run(await send(`number,ignored\n${rows.join('\n')}\n`, 'admin', { ignored: null }), {
      progress: (state) => void seen.push(state),
    });
    expect(seen).toMatchObject([{ done: 3 }, { done: 6 }]);
  });

  it('leaves no file of an export behind', async () => {
    await server().execute('insert into entry (number) values (1200000)');
    const request = await submit(server(), '/items/entry/export', { as: 'admin', body: { format: 'csv' } });
    await expect(run(request, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(await readdir(join(files, '.spool'))).toEqual([]);
    await expect(readdir(join(files, request.id))).rejects.toThrow('ENOENT');
  });

  /** Stores rows of which an export reads 1 000 first, and then the others; returns the filter that finds them. */
  const storeRows = async (first: number, text: string): Promise<object> => {
    const rows = Array.from({ length: 2_500 }, (_, index) => `(${first + index}, '${text}')`);
    await server().execute(`insert into entry (number, text) values ${rows.join(', ')}`);
    return { number: { _between: [first, first + 2_499] } };
  };

  it('writes an export anew after its worker is killed, and shows no file before', async () => {
    const filter = await storeRows(1_400_000, 'kept');
    const body = { format: 'csv', query: { filter, sort: ['number'] } };
    const request = await submit(server(), '/items/entry/export', { as: 'admin', body });
    await runAndKill(request, 1);
    const [half = ''] = await readdir(join(files, '.spool'));
    await expect(readdir(join(files, request.id))).rejects.toThrow('ENOENT');
    await rm(join(files, '.spool', half));
    expect((await run(request)).outcome).toMatchObject({ status: 200, body: { rows: 2_500 } });
    const list = `/items/entry?limit=-1&sort=number&filter=${JSON.stringify(filter)}&export=csv`;
    const { text } = await server().request('GET', list, { as: 'admin' });
    expect(await readFile(join(files, request.id, 'entry.csv'), 'utf8')).toBe(text);
  });

  it.each([
    { limit: -1, percent: 40, rows: 2_500 },
    { limit: 2_000, percent: 50, rows: 2_000 },
  ])('tells the progress of an export while it is written, with limit $limit', async (expected) => {
    const { limit, percent, rows } = expected;
    const body = { format: 'csv', query: { limit, filter: await storeRows(1_500_000 + rows, 'told') } };
    onTestFinished(() => server().execute("delete from entry where text = 'told'"));
    const request = await submit(server(), '/items/entry/export', { as: 'admin', body });
    onTestFinished(() => void vi.useRealTimers());
    const told: unknown[] = [];
    let shown: unknown = null;
    let pages = 0;
    const database = watchPages(server().database, async () => {
      pages += 1;
      if (pages === 1) return void vi.setSystemTime(Date.now() + 1_100);
      shown = await until(async () => {
        const { body: status } = await server().request('GET', `${request.path}/status`, { as: 'admin' });
        return (status as { readonly progress: number }).progress || null;
      });
    });
    await run(request, { database, progress: (state) => void told.push(state) });
    expect(shown).toBe(percent);
    expect(told).toEqual([
      { percent, rows: 1_000 },
      { percent: 100, rows },
    ]);
  });

  it('writes an export anew where rights change while it is written', async () => {
    const filter = await storeRows(1_300_000, 'hidden');
    const { database } = server();
    let isRevoked = false;
    const changing = watchPages(database, async () => {
      if (isRevoked) return;
      isRevoked = true;
      await changeAccess("update svc_permissions set fields = 'number' where action = 'read'");
    });
    onTestFinished(() =>
      changeAccess("update svc_permissions set fields = 'number,text' where action = 'read'"),
    );
    const body = { format: 'csv', query: { filter } };
    const request = await submit(server(), '/items/entry/export', { as: 'reader', body });
    const { outcome } = await run(request, { database: changing });
    expect(outcome).toMatchObject({ status: 200, body: { rows: 2_500 } });
    const text = await readFile(join(files, request.id, 'entry.csv'), 'utf8');
    expect(text).not.toContain('hidden');
    expect(text.trimEnd().split('\n')).toHaveLength(2_501);
  });

  it.each([
    {
      what: 'is suspended',
      change: "update svc_users set status = 'suspended' where email like 'clerk@%'",
      undo: "update svc_users set status = 'active' where email like 'clerk@%'",
      reason: 'Invalid credentials',
    },
    {
      what: 'needs a second factor',
      change: "update svc_policies set enforce_tfa = true where name = 'Clerk'",
      undo: "update svc_policies set enforce_tfa = false where name = 'Clerk'",
      reason: 'set up one-time passwords first',
    },
  ])('ends when its submitter $what', async ({ change, undo, reason }) => {
    const request = await send('number\n810001\n810002\n', 'clerk');
    const { outcome } = await run(request, { whenRunning: () => changeAccess(change) });
    await changeAccess(undo);
    expect(outcome).toMatchObject({
      status: 403,
      body: {
        imported: 0,
        rejected: 0,
        detail: [{ type: 'FORBIDDEN', msg: expect.stringContaining(reason) }],
      },
    });
  });

  it('ends when its submitter loses the right to create items, and reports no row for it', async () => {
    const request = await send('number\n800001\n800002\n', 'leaver');
    const own = "(select id from svc_policies where name = 'Leaver')";
    const { outcome } = await run(request, {
      whenRunning: () => changeAccess(`delete from svc_permissions where policy = ${own}`),
    });
    expect(outcome).toMatchObject({
      status: 403,
      body: { imported: 0, rejected: 0, detail: [{ type: 'FORBIDDEN' }] },
    });
  });
});
