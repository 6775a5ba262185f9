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
      const { action } = body;
      if (isBulk(action)) return { data: await actOnRequests(action, body, { ...services, context }) };
      return { data: await actAtOnce(action, body, { ...services, context }) };
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

/** An action that ends before its response. */
type ImmediateAction = Exclude<Body['action'], BulkAction>;

const isBulk = (action: Body['action']): action is BulkAction => bulkActions.some((each) => each === action);

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

interface ImmediateTask {
  /** Subject of the row of activity. */
  readonly item: string;
  readonly total: number;
  /** @returns the number of subjects that were changed */
  run(by: { readonly reason: string | null; readonly user: string | null }): Promise<number>;
}

/** Pauses, resumes or drains. @throws INVALID_PAYLOAD without what that requires */
const actAtOnce = async (
  action: ImmediateAction,
  body: Body,
  services: OperationServices & { readonly context: OperationContext },
): Promise<WireAction> => {
  const reason = body.reason ?? null;
  const { item, total, run } = toTask(action, body, services);
  if (body.dry_run === true) return dryRun(action, total, reason);
  const { context } = services;
  const done = await run({ reason, user: await accountOf(context) });
  const id = createId();
  const now = toTime(Date.now());
  await recordActivity({ action, item }, context, services);
  return {
    id,
    action,
    state: 'done',
    total,
    done,
    failed: total - done,
    errors: [],
    reason,
    created_at: now,
    ended_at: now,
  };
};

const toTask = (action: ImmediateAction, body: Body, services: OperationServices): ImmediateTask => {
  const { database } = services;
  switch (action) {
    case 'pause':
    case 'resume': {
      const target = requireTarget(action, body);
      const pause: ImmediateTask['run'] = async (by) => {
        await insertPause(database, { ...target, ...by, created: Date.now() });
        return 1;
      };
      const run = action === 'pause' ? pause : () => resume(target, services);
      return { item: `${target.kind} ${target.name}`, total: 1, run };
    }
    case 'drain': {
      const ids = requireWorkers(body);
      return { item: ids.join(), total: ids.length, run: () => drainWorkers(database, ids) };
    }
  }
};

const requireTarget = (action: ImmediateAction, { ids, filter, target }: Body): PauseTarget => {
  if (target === undefined || ids !== undefined || filter !== undefined)
    throw invalidPayload(`"${action}" requires a "target"`);
  return target.kind === 'endpoint' ? { ...target, name: originOf(target.name) } : target;
};

const requireWorkers = ({ ids, filter, target }: Body): readonly string[] => {
  if (ids === undefined || filter !== undefined || target !== undefined)
    throw invalidPayload('"drain" requires "ids" of workers');
  return ids;
};

/** Ends a pause, and has what it held run now instead of at the next sweep. */
const resume = async (target: PauseTarget, { database, loadQueue }: OperationServices): Promise<number> => {
  await deletePause(database, target);
  const { lifecycle } = await loadQueue();
  await lifecycle.fillResumed(target);
  return 1;
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
