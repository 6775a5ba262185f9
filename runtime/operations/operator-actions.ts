/** Handlers of the actions in `spec/operations/operator.yaml`; each leaves a row of activity. */
import type {
  OperatorAction as WireAction,
  Operations,
  OperatorActionsCreateInput,
} from '../../generated/server/operations.js';
import { invalidPayload, unprocessable } from '../../contract/errors.js';
import {
  actAtOnce,
  recordAct,
  type Author,
  type ImmediateTask,
} from '../queue/operator/immediate-actions.js';
import { isId } from '../queue/store/ids.js';
import {
  bulkActions,
  endAction,
  findAction,
  type BulkAction,
  type ImmediateAction,
  type OperatorAction,
} from '../queue/store/operator-actions.js';
import type { Queue } from '../queue/queue.js';
import type { PauseTarget } from '../queue/store/pauses.js';
import type { OperationContext } from './context.js';
import { toSearch } from './operator.js';
import { accountOf } from './caller.js';
import { notFound } from './not-found.js';
import { findTarget } from './pause-target.js';
import { toTime, toTimeOrNull } from './times.js';
import type { OperationServices } from './services.js';

type Names = 'operatorActionsCreate' | 'operatorActionsRead' | 'operatorActionsAbort';

type Body = OperatorActionsCreateInput['body'];

/** Creates the handlers of actions on the queue; those on many requests run in the background. */
export const createOperatorActionOperations = (services: OperationServices): Pick<Operations, Names> => {
  const { database } = services;
  return {
    async operatorActionsCreate({ body }, context) {
      const { action } = body;
      if (isBulk(action)) return { data: await actOnRequests(action, body, { ...services, context }) };
      return { data: await actOnTarget(action, body, { ...services, context }) };
    },

    async operatorActionsRead({ id }) {
      return { data: actionToWire(await requireAction(id, services)) };
    },

    async operatorActionsAbort({ id }, context) {
      await requireAction(id, services);
      if (!(await endAction(database, id, 'aborted'))) throw unprocessable('the action has already ended');
      await recordAct(database, { action: 'abort', item: id }, await authorOf(context, null));
    },
  };
};

const requireAction = async (id: string, { database }: OperationServices): Promise<OperatorAction> => {
  const action = isId(id) ? await findAction(database, id) : null;
  if (action === null) throw notFound('action', id);
  return action;
};

const isBulk = (action: Body['action']): action is BulkAction => bulkActions.some((each) => each === action);

/** Cancels, retries, redelivers or releases. @throws INVALID_PAYLOAD without exactly one of ids and filter, or for a filter without conditions */
const actOnRequests = async (
  action: BulkAction,
  { ids, filter, target, dry_run: isDry = false, reason: given }: Body,
  services: OperationServices & { readonly context: OperationContext },
): Promise<WireAction> => {
  const reason = given ?? null;
  if (target !== undefined || (ids === undefined) === (filter === undefined))
    throw invalidPayload(`"${action}" requires either "ids" or "filter"`);
  if (filter !== undefined && Object.keys(filter).length === 0)
    throw invalidPayload(
      `"filter" has no condition; for all requests of a time, set its "after" (and "before") to that time`,
    );
  if (ids?.every(isId) === false) throw invalidPayload('"ids" have to be ids of requests');
  const search =
    filter === undefined ? { ids: ids ?? [] } : await toSearch(filter, services.database, invalidPayload);
  const { operatorActions } = await services.loadQueue();
  if (isDry) return dryRun(action, await operatorActions.count(action, search), reason);
  const author = await authorOf(services.context, reason);
  const started = await operatorActions.start({ action, search, reason, user: author.user ?? null });
  await recordAct(services.database, { action, item: started.id }, author);
  return actionToWire(started);
};

/** Pauses, resumes or drains. @throws INVALID_PAYLOAD without what that requires */
const actOnTarget = async (
  action: ImmediateAction,
  body: Body,
  services: OperationServices & { readonly context: OperationContext },
): Promise<WireAction> => {
  const { database, context, loadQueue } = services;
  const reason = body.reason ?? null;
  const task = await toTask(action, body, services);
  if (body.dry_run === true) return dryRun(action, task.action === 'drain' ? task.workers.length : 1, reason);
  const done = await actAtOnce(database, task, await authorOf(context, reason));
  if (task.action === 'resume') await continueHeld(task.target, await loadQueue());
  return actionToWire(done);
};

/** Continues what a pause has held, now instead of at the next sweep or attempt. */
const continueHeld = async (target: PauseTarget, { lifecycle }: Queue): Promise<void> => {
  lifecycle.signalResumed(target);
  await lifecycle.fillResumed(target);
};

const toTask = async (
  action: ImmediateAction,
  body: Body,
  services: OperationServices,
): Promise<ImmediateTask> =>
  action === 'drain'
    ? { action, workers: requireWorkers(body) }
    : { action, target: await requireTarget(action, body, services) };

const requireTarget = async (
  action: ImmediateAction,
  { ids, filter, target }: Body,
  { database, loadQueue }: OperationServices,
): Promise<PauseTarget> => {
  if (target === undefined || ids !== undefined || filter !== undefined)
    throw invalidPayload(`"${action}" requires a "target"`);
  const loadModels = async () => (await loadQueue()).models.all;
  return findTarget(target, { database, loadModels, toError: invalidPayload });
};

const requireWorkers = ({ ids, filter, target }: Body): readonly string[] => {
  if (ids === undefined || filter !== undefined || target !== undefined)
    throw invalidPayload('"drain" requires "ids" of workers');
  return [...new Set(ids)];
};

const dryRun = (action: string, total: number, reason: string | null): WireAction => ({
  id: null,
  action,
  state: 'dry_run',
  total,
  done: 0,
  failed: 0,
  errors: [],
  reason,
  created_at: null,
  ended_at: null,
});

const actionToWire = (given: OperatorAction): WireAction => {
  const { id, action, state, total, done, failed, errors, reason, created, ended } = given;
  return {
    id,
    action,
    state,
    total,
    done,
    failed,
    reason,
    errors: errors.map(({ request, message }) => ({ request, message })),
    created_at: toTime(created),
    ended_at: toTimeOrNull(ended),
  };
};

const authorOf = async (context: OperationContext, reason: string | null): Promise<Author> => ({
  user: await accountOf(context),
  client: context.client,
  reason,
});
