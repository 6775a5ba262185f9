/** Begins an apply: checks it against the target, and runs it here or in a worker of Temporal. */
import { patchSnapshot, renamesIn } from '../diff/patch.js';
import { hasAccess, isEmptyDiff, type SchemaDiff } from '../diff/types.js';
import { checkForm } from '../snapshot/check.js';
import { readTarget } from '../target.js';
import { endApply, findProgress, queueApply } from './applies.js';
import { checkHash, checkTarget } from './check.js';
import type { ApplyOptions } from './options.js';
import { runQueuedApply } from './queued-apply.js';
import { followWorkflow } from './workflow.js';

export interface ApplyRequest {
  readonly hash: string;
  readonly diff: SchemaDiff;
  readonly acceptLoss: boolean;
}

/**
 * Applies a diff: by a workflow where Temporal is configured, in this process elsewhere.
 * @throws INVALID_PAYLOAD where the hash is not that of the target, or the diff asks for what may not or cannot be done;
 * CONTAINS_NULL_VALUES
 */
export const applyDiff = async (request: ApplyRequest, options: ApplyOptions): Promise<void> => {
  const { hash, diff, acceptLoss } = request;
  if (isEmptyDiff(diff)) return;
  const { database, user, client } = options;
  const { live, target } = await readTarget(options, hasAccess(diff));
  checkHash(target, hash);
  const wanted = await checkForm(patchSnapshot(target, diff));
  checkTarget({ live, target, wanted, renames: renamesIn(diff) });
  const id = await queueApply(database, { hash, diff, wanted, acceptLoss, user, client });
  options.onQueued?.(id);
  if (options.workflows === undefined) await runHere(id, options);
  else await followWorkflow(id, { ...options, workflows: options.workflows });
};

/** Nobody else runs it later, where this process did not get to it. */
const runHere = async (id: string, options: ApplyOptions): Promise<void> => {
  const { database } = options;
  try {
    await runQueuedApply(id, options);
  } catch (error) {
    const row = await findProgress(database, id).catch(() => undefined);
    if (row?.state === 'queued') await endApply(database, id, { state: 'failed', error });
    throw error;
  }
};
