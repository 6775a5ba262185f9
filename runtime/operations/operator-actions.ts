/** Handlers of the actions in `spec/operations/operator.yaml`; each leaves a row of activity. */
import type {
  OperatorAction as WireAction,
  Operations,
  OperatorActionsCreateInput,
} from '../../generated/server/operations.js';
import { invalidPayload, unprocessable } from '../../contract/errors.js';
import { recordChange } from '../execute/activity.js';
import { createId, isId } from '../queue/store/ids.js';
import {
  bulkActions,
  endAction,
  findAction,
  type BulkAction,
  type OperatorAction,
} from '../queue/store/operator-actions.js';
import { deletePause, insertPause, type PauseTarget } from '../queue/store/pauses.js';
import { drainWorkers } from '../queue/store/workers.js';
import type { OperationContext } from './context.js';
import { toSearch } from './operator.js';
import { accountOf } from './caller.js';
import { notFound } from './not-found.js';
import { toTime, toTimeOrNull } from './times.js';
import type { OperationServices } from './services.js';

type Names = 'operatorActionsCreate' | 'operatorActionsRead' | 'operatorActionsAbort';

type Body = OperatorActionsCreateInput['body'];

/** Creates the handlers of actions on the queue; those on many requests run in the background. */
export const createOperatorActionOperations = (services: OperationServices): Pick<Operations, Names> => {
  const { database } = services;
  return {
    async operatorActionsCreate({ body }, context) {
      const action = bulkActions.find((each) => each === body.action);
      if (action === undefined) return { data: await actAtOnce(body, context, services) };
      return { data: await actOnRequests(action, body, { ...services, context }) };
    },

    async operatorActionsRead({ id }) {
      return { data: actionToWire(await requireAction(id, services)) };
    },

    async operatorActionsAbort({ id }, context) {
      await requireAction(id, services);
      if (!(await endAction(database, id, 'aborted'))) throw unprocessable('the action has already ended');
      await recordActivity({ action: 'abort', item: id }, context, services);
    },
  };
};

const requireAction = async (id: string, { database }: OperationServices): Promise<OperatorAction> => {
  const action = isId(id) ? await findAction(database, id) : null;
  if (action === null) throw notFound('action', id);
  return action;
};

/** Cancels, retries, redelivers or releases. @throws INVALID_PAYLOAD without exactly one of ids and filter */
const actOnRequests = async (
  action: BulkAction,
  { ids, filter, target, dry_run: isDry = false, reason: given }: Body,
  services: OperationServices & { readonly context: OperationContext },
): Promise<WireAction> => {
  const reason = given ?? null;
  if (target !== undefined || (ids === undefined) === (filter === undefined))
    throw invalidPayload(`"${action}" requires either "ids" or "filter"`);
  if (ids?.every(isId) === false) throw invalidPayload('"ids" have to be ids of requests');
  const search =
    filter === undefined ? { ids: ids ?? [] } : await toSearch(filter, services.database, invalidPayload);
  const { operatorActions } = await services.loadQueue();
  if (isDry) return dryRun(action, await operatorActions.count(action, search), reason);
  const { context } = services;
  const user = await accountOf(context);
  const started = await operatorActions.start({ action, search, reason, user });
  await recordActivity({ action, item: started.id }, context, services);
  return actionToWire(started);
};

/** Pauses, resumes or drains. @throws INVALID_PAYLOAD without what that requires */
const actAtOnce = async (
  { action, ids, filter, target, dry_run: isDry = false, reason: given }: Body,
  context: OperationContext,
  services: OperationServices,
): Promise<WireAction> => {
  const reason = given ?? null;
  const isDrain = action === 'drain';
  if (filter !== undefined || (ids !== undefined) !== isDrain || (target !== undefined) === isDrain)
    throw invalidPayload(isDrain ? '"drain" requires "ids" of workers' : `"${action}" requires a "target"`);
  if (isDry) return dryRun(action, ids?.length ?? 1, reason);
  const { database } = services;
  const user = await accountOf(context);
  const now = Date.now();
  const endpoint = target?.kind === 'endpoint' ? originOf(target.name) : undefined;
  const named = target === undefined ? undefined : { ...target, name: endpoint ?? target.name };
  if (named !== undefined && action === 'pause')
    await insertPause(database, { ...named, reason, user, created: now });
  if (named !== undefined && action === 'resume') await resume(named, services);
  const done = ids === undefined ? 1 : await drainWorkers(database, ids);
  const id = createId();
  const item = named === undefined ? (ids ?? []).join() : `${named.kind} ${named.name}`;
  await recordActivity({ action, item }, context, services);
  const total = ids?.length ?? 1;
  const times = { created_at: toTime(now), ended_at: toTime(now) };
  return {
    id,
    action,
    state: 'done' as const,
    total,
    done,
    failed: total - done,
    errors: [],
    reason,
    ...times,
  };
};

/** Ends a pause, and has what it held run now instead of at the next sweep. */
const resume = async (target: PauseTarget, { database, loadQueue }: OperationServices): Promise<void> => {
  await deletePause(database, target);
  const { lifecycle } = await loadQueue();
  await lifecycle.fillResumed(target);
};

/** @throws INVALID_PAYLOAD for what is not a URL */
const originOf = (name: string): string => {
  if (!URL.canParse(name)) throw invalidPayload('the name of an endpoint is its scheme, host and port');
  return new URL(name).origin;
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

interface Act {
  readonly action: string;
  readonly item: string;
}

const recordActivity = async (
  { action, item }: Act,
  context: OperationContext,
  { database }: OperationServices,
): Promise<void> => {
  const user = await accountOf(context);
  const { client } = context;
  await recordChange(database, { action, collection: 'svc_operator_actions', item, user, client });
};
