/** The lock of applies: one runs at a time, over all processes. */
import { LockHeld } from '../../databases/lock-held.js';
import { openApply, type ApplyRow } from './applies.js';
import { defaultWait, unavailable, type ApplyOptions } from './options.js';

/**
 * Runs `body` while no other apply runs. Where the lock is lost, the apply stops before its next step and stays open, as
 * another process may go on with it.
 * @throws SERVICE_UNAVAILABLE which names the apply that has held the lock all the time; LockLost
 */
export const whileAlone = async <Result>(
  options: ApplyOptions,
  body: (options: ApplyOptions) => Promise<Result>,
): Promise<Result> => {
  const { database, wait = defaultWait, signal, leavesOpen = () => false } = options;
  const run = (lost: AbortSignal): Promise<Result> =>
    body({
      ...options,
      signal: signal === undefined ? lost : AbortSignal.any([signal, lost]),
      leavesOpen: (error) => lost.aborted || leavesOpen(error),
    }).catch((error: unknown) => {
      lost.throwIfAborted();
      throw error;
    });
  try {
    return await database.locked('svc_schema', run, wait);
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
    const reason = describe(await openApply(database), wait);
    throw Object.assign(unavailable(reason), { cause: error });
  }
};

const describe = (row: ApplyRow | undefined, wait: number): string => {
  const waited = `the schema was not free for ${wait / 1000} seconds`;
  if (row === undefined) return `${waited}; apply again`;
  const { id, user, worker, step, date_started: started } = row;
  const by = [
    user === null ? 'by a command' : `by the user ${user}`,
    ...(worker === null ? [] : [`in the worker ${worker}`]),
  ].join(', ');
  const at = step === null ? '' : `, at the step "${step}"`;
  return (
    `${waited}: the apply ${id}, which was started ${by} at ${new Date(Number(started)).toISOString()}, still runs${at}; ` +
    'apply again when it has ended, as svc schema status shows, or give it up by svc schema apply --abandon'
  );
};
