/** One apply runs at a time: another one waits for it, and then learns who holds it up. */
import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ApiError } from '../../../contract/errors.js';
import {
  beginApply,
  endApply,
  findApply,
  lastApplies,
  queueApply,
} from '../../../runtime/schema/apply/applies.js';
import { LockHeld, LockLost } from '../../../runtime/databases/lock-held.js';
import { abandonApply, applyDifference, resumeApply } from '../../../runtime/schema/service.js';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { until } from '../../until.js';
import { copyField, edited, field, tinyScript } from './edits.js';
import { usePlaces, type Place } from './places.js';

const dialects = dialectsOf(import.meta.url);

const create = usePlaces();

const somebody = '00000000-0000-4000-8000-000000000009';

/** Holds the lock of applies until it is released. */
const hold = async ({ database }: Place): Promise<() => Promise<void>> => {
  const end = new EventEmitter();
  const released = once(end, 'release');
  let ended: Promise<unknown> = Promise.resolve();
  await new Promise<void>((held) => {
    ended = database.locked('svc_schema', async () => {
      held();
      await released;
    });
  });
  return async () => {
    end.emit('release');
    await ended;
  };
};

const outcomeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: unknown) => error,
  );

/** Ends the connection that holds the lock of applies. */
const endLock = async (dialect: TestDialect, { database }: Place): Promise<void> => {
  if (dialect === 'postgres') {
    await database.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`);
    return;
  }
  const [row] = await database.query(
    "select is_used_lock(sha2(concat(database(), '.svc_schema'), 224)) as holder",
  );
  await database.query(`kill ${Number(row?.holder)}`);
};

describe.each(dialects)('on %s', (dialect) => {
  it('an apply that waits too long for another one is refused with its name and beginning, and runs after it', async () => {
    const place = await create(dialect, tinyScript(dialect));
    const { database } = place;
    const difference = await place.diff(
      edited(await place.snapshot(), (snapshot) => {
        snapshot.fields.push(copyField(field(snapshot, 'shelves', 'depth'), 'height', { is_nullable: true }));
      }),
    );
    if (difference === null) throw new Error('there is no difference');
    const options = { database, tables: {}, user: null };
    const send = (wait: number) => applyDifference(difference, { ...options, wait });

    const release = await hold(place);
    // the other one has only begun to wait for its turn
    const early = (await outcomeOf(send(300))) as ApiError;
    expect(early).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(early.message).toContain('apply again');
    expect(await lastApplies(database, 1)).toMatchObject([{ state: 'failed', error: early.message }]);

    const { hash, diff } = difference;
    const wanted = await place.snapshot();
    const id = await queueApply(database, { hash, diff, wanted, acceptLoss: false, user: somebody });
    await beginApply(database, id, 'worker-7');
    const [row] = await lastApplies(database, 1);
    const refused = (await outcomeOf(send(300))) as ApiError;
    expect(refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(refused.message).toContain(`the apply ${id}, which was started by the user ${somebody}`);
    expect(refused.message).toContain(
      `in the worker worker-7 at ${new Date(Number(row?.date_started)).toISOString()}`,
    );
    expect(refused.message).not.toMatch(/svc_schema|lock/);
    const given = await outcomeOf(abandonApply({ ...options, wait: 300 }));
    expect(given).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await place.diff(await place.snapshot())).toBeNull();

    const waiting = outcomeOf(send(60_000));
    await endApply(database, id, { state: 'done' });
    // it has ended only once
    await endApply(database, id, { state: 'failed', error: new Error('late') });
    expect(await findApply(database, id)).toMatchObject({ state: 'done', error: null });
    await release();
    expect(await waiting).toBe('done');
    expect(await lastApplies(database, 1)).toMatchObject([{ state: 'done' }]);
  });

  it('a named lock that is not free in time is an error of its own, and of no other kind', async () => {
    const place = await create(dialect);
    const release = await hold(place);
    const failed = await outcomeOf(place.database.locked('svc_schema', async () => 'never', 200));
    expect(failed).toBeInstanceOf(LockHeld);
    expect(await place.database.locked('svc_other', async () => 'free', 200)).toBe('free');
    await release();
    const other = new Error('of the body');
    expect(await outcomeOf(place.database.locked('svc_schema', () => Promise.reject(other), 200))).toBe(
      other,
    );
    expect(await place.database.locked('svc_schema', async () => 'free', 200)).toBe('free');
  });
});

// the lock of SQLite is a file, which the process holds as long as it lives
describe.each(dialects.filter((dialect) => dialect !== 'sqlite'))('on %s', (dialect) => {
  it('an apply whose lock is lost stops before its next step', async () => {
    const copies = ['a', 'b'].map((name) => `create table ${name} (id integer not null primary key);`);
    const place = await create(dialect, copies.join('\n'));
    const { database } = place;
    const wanted = edited(await place.snapshot(), (snapshot) => {
      for (const name of ['a', 'b']) {
        const schema = { is_primary_key: false, is_nullable: true };
        snapshot.fields.push(copyField(field(snapshot, name, 'id'), 'note', schema));
      }
    });
    const difference = await place.diff(wanted);
    if (difference === null) throw new Error('there is no difference');
    const options = { database, tables: {}, user: null };
    const steps: string[] = [];
    const failure = await database.transaction(async (executor) => {
      await executor.query('select id from b');
      const applied = outcomeOf(
        applyDifference(difference, { ...options, onStep: ({ description }) => steps.push(description) }),
      );
      await until(() => steps.includes('alter b'));
      await endLock(dialect, place);
      return applied;
    });
    expect(failure).toBeInstanceOf(LockLost);
    expect(database.isConnectionLoss(failure)).toBe(true);
    // another one goes on with it
    expect(await lastApplies(database, 1)).toMatchObject([{ state: 'running' }]);
    expect(await resumeApply(options)).toBe(true);
    const isWhole = dialect === 'postgres';
    expect(await lastApplies(database, 1)).toMatchObject([{ state: isWhole ? 'failed' : 'done' }]);
    expect((await place.diff(wanted)) === null).toBe(!isWhole);
  });
});
