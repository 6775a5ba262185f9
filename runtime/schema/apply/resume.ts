/** Ends an apply that was cut off. What is still missing is read from the database, never from the journal. */
import { ApiError } from '../../../contract/errors.js';
import { loadSchemaPrinter } from '../../databases/open.js';
import { hashSnapshot } from '../diff/hash.js';
import { hasAccess, type SchemaDiff } from '../diff/types.js';
import type { Snapshot } from '../snapshot/types.js';
import { endApply, findProgress, openApply, queuedApply, type ApplyRow, type SentDiff } from './applies.js';
import { readTarget } from '../target.js';
import { whileAlone } from './lock.js';
import { unavailable, type ApplyOptions } from './options.js';
import { readRemaining } from './remaining-steps.js';
import { runApply } from './run.js';

/**
 * Ends an apply that was cut off, by whatever is still missing; where its statements were rolled back, nothing is done.
 * Returns whether there was one.
 * @throws INVALID_PAYLOAD where somebody else has changed the schema since
 */
export const resumeApply = async (options: ApplyOptions): Promise<boolean> => {
  const { database } = options;
  if ((await openApply(database)) === undefined) return false;
  return whileAlone(options, async (alone) => {
    const row = await openApply(database);
    if (row !== undefined) await resumeRow(row, alone);
    return row !== undefined;
  });
};

/** Ends an apply that was cut off, while nobody else runs it. */
export const resumeRow = async (row: ApplyRow, options: ApplyOptions): Promise<void> => {
  let last = '';
  for (;;) {
    const hash = await tryResume(row, options, last);
    if (hash === null) return;
    last = hash;
  }
};

/**
 * Gives up an apply that was cut off, that waits for its turn, or that a worker runs, which stops before its next step: the
 * schema stays as it is. Returns whether there was one.
 */
export const abandonApply = async (options: ApplyOptions): Promise<boolean> => {
  const { database, workflows } = options;
  const row = (await openApply(database)) ?? (await queuedApply(database));
  if (row === undefined) return false;
  const { id, worker, state } = row;
  if (worker !== null || state === 'queued') await workflows?.cancel(id).catch(() => undefined);
  await whileAlone(options, () => endApply(database, id, { state: 'abandoned' }));
  return (await findProgress(database, id))?.state === 'abandoned';
};

/**
 * Returns null at the end, or the hash of the schema that it began with, if that has changed meanwhile: a server may still
 * run the statement of a process that was killed.
 */
const tryResume = async (row: ApplyRow, options: ApplyOptions, last: string): Promise<string | null> => {
  const { database } = options;
  const { id } = row;
  const generation = row.generation === null ? null : Number(row.generation);
  const { accept_loss: acceptLoss = false, ...diff } = JSON.parse(row.diff) as SentDiff;
  if (await isUntouched(row, diff, options)) {
    const error = unavailable('it was cut off, and nothing was changed; apply again');
    await endApply(database, id, { state: 'failed', error });
    return null;
  }
  const wanted = JSON.parse(row.wanted) as Snapshot;
  const apply = await readRemaining({ id, wanted, diff, acceptLoss, generation }, options);
  const hash = hashSnapshot(apply.target);
  try {
    await runApply({ ...apply, isPartial: true }, { ...options, leavesOpen: () => true });
    return null;
  } catch (error) {
    const isUnavailable = error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE';
    if (hash === last || isUnavailable) throw error;
    return hash;
  }
};

/** Returns whether everything was rolled back: before the end of a phase, only new labels of enums are committed. */
const isUntouched = async (row: ApplyRow, diff: SchemaDiff, options: ApplyOptions): Promise<boolean> => {
  const { transactional } = await loadSchemaPrinter(options.database.dialect);
  if (row.generation !== null || !transactional) return false;
  if (!/"enum_values"(?!:null)/.test(JSON.stringify(diff.fields))) return true;
  const { target } = await readTarget(options, hasAccess(diff));
  return hashSnapshot(target) === row.hash;
};
