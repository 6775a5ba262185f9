/** Applies of the schema as workflows of Temporal. What they do to tables is tested without it, on every database. */
import { EventEmitter, once } from 'node:events';
import { Client, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ApiErrors } from '../../contract/errors.js';
import { createApplyWorkflows } from '../../runtime/queue/temporal/schema-applies.js';
import { findApply, lastApplies, type ApplyProgress } from '../../runtime/schema/apply/applies.js';
import type { ApplyOptions } from '../../runtime/schema/apply/options.js';
import { abandonApply, applyDifference, describeApply } from '../../runtime/schema/service.js';
import type { Snapshot } from '../../runtime/schema/snapshot/types.js';
import { dialectsOf } from '../databases.js';
import { createWorkplace, type Running, type Workplace } from '../runtime/commands.js';
import { copyField, edited, field } from '../runtime/schema/edits.js';
import { createPlace, type Place } from '../runtime/schema/places.js';
import { removeHosts, startHost } from '../runtime/schema/running-host.js';
import { until } from '../until.js';
import { createNamespace } from './namespaces.js';

const address = inject('services').temporal;
let connection: Connection;
let namespace: string;
let client: Client;
let work: Workplace;
let place: Place;

beforeAll(async () => {
  connection = await Connection.connect({ address });
});
afterAll(() => connection.close());
afterEach(async () => {
  removeHosts();
  work.remove();
  await place.drop();
});

const text = (rows: number): string =>
  ['a', 'b']
    .map(
      (name) =>
        `create table ${name} (id int not null primary key, title varchar(40)); insert into ${name} (id) values (${rows});`,
    )
    .join('\n');

const environment = () => ({
  DATABASE_URL: place.url,
  TEMPORAL_ADDRESS: address,
  TEMPORAL_NAMESPACE: namespace,
});

const startWorker = async (): Promise<Running> => {
  const worker = work.start(['worker', '--role', 'housekeeping,workflows'], environment());
  await worker.until(/workers started: /);
  return worker;
};

/** A note comes to both tables. */
const withNotes = (snapshot: Snapshot): Snapshot =>
  edited(snapshot, (now) => {
    for (const name of ['a', 'b']) now.fields.push(copyField(field(now, name, 'title'), 'note', {}));
  });

const optionsOf = () => ({
  database: place.database,
  tables: {},
  user: null,
  workflows: createApplyWorkflows({ address, namespace }),
});

/** Applies a snapshot as the API does; the promise is handled, so that a test may look at it later. */
const apply = async (
  wanted: Snapshot,
  options: Partial<ApplyOptions> = {},
): Promise<{ readonly ended: Promise<string> }> => {
  const difference = await place.diff(wanted);
  const asked = { ...optionsOf(), ...options };
  const ended = applyDifference(JSON.parse(JSON.stringify(difference)), asked).then(
    () => 'done',
    (error: Error) => error.message,
  );
  return { ended };
};

/** Returns code and details of the problems for which a snapshot is refused. */
const problemsOf = async (wanted: Snapshot, options: ApplyOptions): Promise<readonly unknown[]> => {
  const difference = await place.diff(wanted);
  const error = await applyDifference(JSON.parse(JSON.stringify(difference)), options).catch(
    (problem: unknown) => problem,
  );
  return (error as ApiErrors).problems.map(({ code, details }) => [code, details]);
};

/** Has the row of the apply as it is wanted. */
const untilApply = (isWanted: (row: ApplyProgress) => boolean): Promise<ApplyProgress> =>
  until(async () => {
    const [row] = await lastApplies(place.database, 1);
    return row !== undefined && isWanted(row) ? row : null;
  });

/** Keeps the second table in use until the returned function is called. */
const useTable = async (name: string): Promise<() => Promise<void>> => {
  const stages = new EventEmitter();
  const used = once(stages, 'used');
  const done = place.database.transaction(async ({ query }) => {
    const free = once(stages, 'free');
    await query(`select * from ${name}`);
    stages.emit('used');
    await free;
  });
  await used;
  return async () => {
    stages.emit('free');
    await done;
  };
};

const hasNotes = async (): Promise<readonly boolean[]> => {
  const { fields } = await place.snapshot();
  return ['a', 'b'].map((name) =>
    fields.some((entry) => entry.collection === name && entry.field === 'note'),
  );
};

const statusOf = async ({ id }: ApplyProgress): Promise<string> =>
  (await client.workflow.getHandle(`schema-apply-${id}`).describe()).status.name;

const timeout = 180_000;
const servers = dialectsOf(import.meta.url).filter((dialect) => dialect !== 'sqlite');

// in order: they share their workers and their tables
describe('schema applies', { shuffle: false }, () => {
  describe.each(servers)('applies on %s', { timeout }, (dialect) => {
    const prepare = async (): Promise<void> => {
      work = createWorkplace();
      namespace = await createNamespace();
      client = new Client({ connection, namespace });
      place = await createPlace(dialect, text(1));
    };

    it('go on in another worker where one was killed', async () => {
      await prepare();
      const worker = await startWorker();
      const free = await useTable('b');
      const { ended } = await apply(withNotes(await place.snapshot()));
      const row = await untilApply(({ step }) => step === 'alter b');
      expect(row).toMatchObject({ state: 'running', steps: 2, steps_done: 1 });
      expect(row.worker).toContain(String(worker.pid));
      const { stdout } = await work.run(['schema', 'status'], { DATABASE_URL: place.url });
      expect(stdout).toBe(`running: 1 of 2 steps, alter b, by the worker ${row.worker}\n`);
      // the worker sends heartbeats at intervals
      await until(
        async () => {
          const { raw } = await client.workflow.getHandle(`schema-apply-${row.id}`).describe();
          const details = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data;
          return Buffer.from(details ?? []).toString() === '{"step":"alter b","done":1,"steps":2}';
        },
        { timeout: 90_000 },
      );

      await worker.stop('SIGKILL');
      const other = await startWorker();
      await untilApply((now) => now.worker !== row.worker);
      await free();
      expect(await ended).toBe('done');
      expect(await hasNotes()).toEqual([true, true]);
      const after = await describeApply(row.id, place.database);
      expect(after).toMatchObject({ state: 'done', error: null });
      expect(after.worker).toContain(String(other.pid));
      expect(await until(async () => (await statusOf(row)) === 'COMPLETED')).toBe(true);
      expect(await other.stop('SIGTERM')).toBe(0);
    });

    it('stop before the next step where they are abandoned', async () => {
      await prepare();
      await startWorker();
      const free = await useTable('b');
      const { ended } = await apply(withNotes(await place.snapshot()));
      const row = await untilApply(({ step }) => step === 'alter b');
      expect(await abandonApply(optionsOf())).toBe(true);
      await free();
      const isOne = dialect === 'postgres';
      expect(await ended).toMatch(
        isOne ? /was cancelled; nothing was changed/ : /was cancelled; the steps before that are done/,
      );
      expect(await hasNotes()).toEqual([!isOne, false]);
      expect(await findApply(place.database, row.id)).toMatchObject({ state: 'abandoned' });
      expect(await until(async () => (await statusOf(row)) === 'CANCELLED')).toBe(true);
    });

    it('are refused with the problems that they have without a worker', async () => {
      await prepare();
      await startWorker();
      const before = await place.snapshot();
      const wanted = edited(before, (now) => {
        for (const name of ['a', 'b'])
          Object.assign(field(now, name, 'title').schema ?? {}, { is_nullable: false });
      });
      const problems = await problemsOf(wanted, optionsOf());
      expect(problems).toEqual([
        ['CONTAINS_NULL_VALUES', { collection: 'a', field: 'title' }],
        ['CONTAINS_NULL_VALUES', { collection: 'b', field: 'title' }],
      ]);
      expect(await untilApply(({ state }) => state === 'failed')).not.toMatchObject({ worker: null });
      expect(await problemsOf(wanted, { ...optionsOf(), workflows: undefined })).toEqual(problems);
      expect(await place.snapshot()).toEqual(before);
    });

    it('run in the process that took the request where no worker begins, or Temporal does not answer', async () => {
      await prepare();
      const { ended } = await apply(withNotes(await place.snapshot()), { takeLimit: 500 });
      expect(await ended).toBe('done');
      expect(await hasNotes()).toEqual([true, true]);
      const wanted = edited(await place.snapshot(), (now) => {
        now.fields = now.fields.filter((entry) => entry.field !== 'note');
      });
      const difference = await place.diff(wanted);
      const workflows = createApplyWorkflows({ address: '127.0.0.1:1', namespace });
      await applyDifference(JSON.parse(JSON.stringify(difference)), { ...optionsOf(), workflows });
      expect(await hasNotes()).toEqual([false, false]);
      expect(await lastApplies(place.database, 1)).toMatchObject([{ state: 'done', worker: null }]);
    });
  });

  it('a host serves what a worker applies in two phases', { timeout }, async () => {
    work = createWorkplace();
    namespace = await createNamespace();
    place = await createPlace('postgres', text(1));
    const [host] = await Promise.all([
      startHost(place, { workers: 1, environment: environment() }),
      startWorker(),
    ]);
    const { data } = (await host.request('/schema/snapshot')).body as { data: Snapshot };
    const wanted = edited(data, (now) => {
      now.fields.push(copyField(field(now, 'a', 'title'), 'note', {}));
      now.fields = now.fields.filter((entry) => entry.field !== 'title');
    });
    const { body } = await host.request('/schema/diff', 'POST', wanted);
    expect(await host.request('/schema/apply', 'POST', (body as { data: object }).data)).toEqual({
      status: 204,
      body: null,
    });
    expect((await host.request('/items/a')).body).toEqual({ data: [{ id: 1, note: null }] });
    const row = await untilApply(({ state }) => state === 'done');
    expect(row.worker).not.toBeNull();
    const answer = await host.request(`/schema/applies/${row.id}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { id: row.id, state: 'done', worker: row.worker } },
    });
    expect((await host.request('/schema/applies/nothing')).status).toBe(403);
  });
});
