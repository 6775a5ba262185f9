/** Runs an apply that was queued: in the process that received the request, or in a worker of Temporal. */
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import { loadSchemaPrinter } from '../../databases/open.js';
import { hasAccess } from '../diff/types.js';
import { renamesIn } from '../diff/patch.js';
import type { Snapshot } from '../snapshot/types.js';
import { readTarget } from '../target.js';
import {
  beginApply,
  endApply,
  findApply,
  findProgress,
  noteWaiting,
  type ApplyProgress,
  type ApplyRow,
  type SentDiff,
} from './applies.js';
import { checkHash } from './check.js';
import { whileAlone } from './lock.js';
import { unavailable, type ApplyOptions } from './options.js';
import { resumeRow } from './resume.js';
import { runApply } from './run.js';

/**
 * Runs an apply that was queued, or goes on with one whose process has ended. One at a time, over all processes. Returns
 * when it has ended, by whomever.
 * @throws the problems for which it was refused, or the reason of the signal
 */
export const runQueuedApply = (id: string, given: ApplyOptions): Promise<void> =>
  whileAlone(given, async (options) => {
    const { database, signal, isCancelled = () => false } = options;
    const row = await findApply(database, id);
    if (row?.state === 'abandoned') throw unavailable('the apply was abandoned');
    if (row === undefined || !['queued', 'running'].includes(row.state)) return;
    const isWhole = await isUntouched(row, options);
    try {
      signal?.throwIfAborted();
      await (isWhole ? beginRow(row, options) : goOn(row, options));
    } catch (error) {
      if (signal?.aborted === true && isCancelled()) await giveUp(row, options);
      throw error;
    }
  });

/** Returns whether nothing of an apply can have been stored. */
const isUntouched = async (
  { state, generation }: ApplyProgress,
  { database }: ApplyOptions,
): Promise<boolean> =>
  state === 'queued' || (generation === null && (await loadSchemaPrinter(database.dialect)).transactional);

/** Records that an apply was cancelled: the schema stays as it is. */
const giveUp = async ({ id }: ApplyProgress, options: ApplyOptions): Promise<void> => {
  const { database } = options;
  const row = await findProgress(database, id);
  const rest =
    row !== undefined && (await isUntouched(row, options))
      ? 'nothing was changed'
      : 'the steps before that are done; make a new diff for the rest';
  const error = unavailable(`the apply was cancelled; ${rest}`);
  await endApply(database, id, { state: 'abandoned', error });
};

const beginRow = async (row: ApplyRow, options: ApplyOptions): Promise<void> => {
  const { database, worker = null } = options;
  const { id, hash } = row;
  const { accept_loss: acceptLoss = false, ...diff } = JSON.parse(row.diff) as SentDiff;
  const { live, target } = await readTarget(options, hasAccess(diff));
  try {
    checkHash(target, hash);
  } catch (error) {
    await endApply(database, id, { state: 'failed', error });
    throw error;
  }
  await beginApply(database, id, worker);
  const wanted = JSON.parse(row.wanted) as Snapshot;
  const apply = { id, live, target, wanted, renames: renamesIn(diff), diff, acceptLoss, generation: null };
  await runApply(apply, options);
};

/** Goes on with an apply that was cut off. Where that is refused, a person has to decide. */
const goOn = async (row: ApplyRow, options: ApplyOptions): Promise<void> => {
  const { database, worker = null } = options;
  try {
    await beginApply(database, row.id, worker);
    await resumeRow(row, options);
  } catch (error) {
    const now = await findProgress(database, row.id);
    if (!isRefusal(error) || now?.state !== 'running') throw error;
    const reason = (error as Error).message;
    const refusal = unavailable(`${reason} Run svc schema apply --resume, or --abandon`);
    await noteWaiting(database, row.id, { reason, error: refusal });
    throw error;
  }
};

/** Returns whether a second try would end in the same way. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError || error instanceof ApiErrors;
