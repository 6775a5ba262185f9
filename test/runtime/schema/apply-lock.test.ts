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
import { LockHeld } from '../../../runtime/databases/lock-held.js';
import { abandonApply, applyDifference } from '../../../runtime/schema/service.js';
import { dialectsOf } from '../../databases.js';
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
