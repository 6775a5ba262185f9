/** Creates, updates and deletes items; the writes and the response are planned before anything is written. */
import { randomUUID } from 'node:crypto';
import { resolveVariable } from '../access/variables.js';
import type { Collection } from '../../contract/collection.js';
import { invalidPayload, throwProblems, type ApiError } from '../../contract/errors.js';
import { databaseTime } from '../execute/database-time.js';
import { withRollback } from '../execute/dry-run.js';
import { keyList, onlyKey, type KeyList } from '../execute/key-list.js';
import { executeCreate, executeDelete, executeUpdate, executeUpdates } from '../execute/write.js';
import { executeUpsert, type UpsertOutput } from '../execute/upsert.js';
import type { ExecuteContext, WriteHooks } from '../execute/write-transaction.js';
import { readKey } from '../plan/item.js';
import type { WriteContext } from '../plan/row-context.js';
import { planDelete } from '../plan/delete.js';
import { collectLocated } from '../plan/problem-collection.js';
import type { Change } from '../plan/row-plans.js';
import { planCreate, planUpdates, planUpsert } from '../plan/write.js';
import type { Refusal, UpdatePlan } from '../plan/write-plan.js';
import { writtenCollections, type WrittenPlan } from '../plan/written-collections.js';
import type { OnConflict } from '../request/on-conflict.js';
import { guardAccess, guardVersion } from './access-guard.js';
import { createOutputReader, writtenNothing, type WriteOutput } from './write-output.js';
import { bindInput, type ItemContext } from './context.js';
import { hashCreate, hashUpdate, hashUpsert } from './hash.js';
import { rejectOwnRow } from './own-rights.js';
import { planContext, readCreated, readWritten, type ReadTarget } from './read.js';
import { keyInside, readSelection, selectKeys } from './selection.js';
import { singletonKey } from './singleton.js';

/** Creates one item from an object, several from an array. */
export const createItems = async (
  target: ReadTarget,
  payload: unknown,
  context: WriteItemContext,
): Promise<WriteOutput> => {
  const { collection } = target;
  const output = createOutputReader(target, readCreated, context);
  const payloads = Array.isArray(payload) ? payload : [payload];
  const plan = await hashCreate(
    planCreate(collection, payloads, writeContext(context, Array.isArray(payload))),
    context.toStoredToken,
  );
  if (plan.rows.length === 0) return writtenNothing(output);
  return await executeCreate(
    plan,
    output,
    executeContext({ collection, plans: [plan] }, plan.rows.length, context),
  );
};

/** Creates items, and changes or ignores those that are stored already. */
export const upsertItems = async (
  target: ReadTarget,
  { payload, onConflict }: { readonly payload: unknown; readonly onConflict: OnConflict },
  context: WriteItemContext,
): Promise<UpsertOutput<WriteOutput>> => {
  const { collection } = target;
  const output = createOutputReader(target, readCreated, context);
  const payloads = Array.isArray(payload) ? payload : [payload];
  const writing = writeContext(context, Array.isArray(payload));
  const planned = planUpsert(collection, { payloads, onConflict }, writing);
  if (planned.rows.length === 0) return { rows: writtenNothing(output), outcomes: [] };
  const plan = await hashUpsert(planned, context.toStoredToken);
  const plans = plan.rows.flatMap(({ create, update }) => [create, update]);
  const executing = executeContext({ collection, plans }, plan.rows.length, context);
  const { rows, outcomes } = await executeUpsert(plan, output, executing);
  const isUnreadable = !('reason' in rows) && rows.isEmpty;
  return { rows: isUnreadable ? { reason: 'unreadable', count: outcomes.length } : rows, outcomes };
};

/** Updates one item by its key. @throws INVALID_PAYLOAD for a list */
export const updateItem = async (
  target: ReadTarget,
  { key, payload }: { readonly key: readonly unknown[]; readonly payload: unknown },
  context: WriteItemContext,
): Promise<WriteOutput> => {
  if (Array.isArray(payload)) throw invalidPayload('expected an object, not a list, to update one item');
  return updateKeys(target, { keys: keyList([readKey(target.collection, key)]), payload }, context);
};

/** Context of a write with a condition of its own. */
export interface WriteItemContext extends ItemContext {
  /** Runs in the transaction of the write, after the check of access. */
  readonly precondition?: WriteHooks;
}

/** Updates items from `{keys, data}`, `{query, data}` or an array of items with their keys. @throws INVALID_PAYLOAD */
export const updateItems = async (
  target: ReadTarget,
  payload: unknown,
  context: ItemContext,
): Promise<WriteOutput> => {
  if (Array.isArray(payload)) return updateEach(target, payload, context);
  const { data, ...selection } = readSelection(payload);
  if (data === undefined) throw invalidPayload('"data" is missing: the values to set');
  const found = await selectKeys(target.collection, selection, context);
  return updateKeys(target, { keys: found, payload: data, pointer: ['data'] }, context);
};

const updateKeys = async (
  target: ReadTarget,
  { keys, ...change }: Omit<Change, 'key'> & { readonly keys: KeyList },
  context: WriteItemContext,
): Promise<WriteOutput> => {
  const { collection } = target;
  const output = createOutputReader(target, readWritten, context);
  const key = onlyKey(keys);
  const [planned] = planUpdates(collection, [{ key, ...change }], writeContext(context));
  rejectOwnRow(collection, { keys, payload: change.payload }, context);
  if (planned === undefined || keys.count === 0) return writtenNothing(output);
  const plan = await hashUpdate(planned, context.toStoredToken);
  return executeUpdate(
    { plan, keys },
    output,
    executeContext({ collection, plans: [plan] }, keys.count, context),
  );
};

const updateEach = async (
  target: ReadTarget,
  payloads: readonly unknown[],
  context: ItemContext,
): Promise<WriteOutput> => {
  const { collection } = target;
  const output = createOutputReader(target, readWritten, context);
  const problems: ApiError[] = [];
  const changes = payloads.flatMap((payload, index) => {
    const level = { problems, index, path: [], pointer: [index] };
    const key = collectLocated(level, () => keyInside(collection, payload));
    return key === null ? [] : [{ key, payload }];
  });
  throwProblems(problems);
  const plans = planUpdates(collection, changes, writeContext(context, true));
  for (const { key, payload } of changes)
    rejectOwnRow(collection, { keys: keyList([key]), payload }, context);
  const updates = await Promise.all(
    changes.map(async ({ key }, index) => ({
      key,
      plan: await hashUpdate(plans[index] as UpdatePlan, context.toStoredToken),
    })),
  );
  return executeUpdates(updates, output, executeContext({ collection, plans }, updates.length, context));
};

/** Updates the item of a singleton, or creates it. */
export const updateSingleton = async (
  target: ReadTarget,
  payload: unknown,
  context: WriteItemContext,
): Promise<WriteOutput> => {
  const { dialect, database: executor } = context;
  const key = await singletonKey(target.collection, { dialect, executor });
  return key === null ? createItems(target, payload, context) : updateItem(target, { key, payload }, context);
};

/** Deletes one item. @throws FORBIDDEN for one that does not exist or may not be deleted */
export const deleteItem = async (
  collection: Collection,
  key: readonly unknown[],
  context: WriteItemContext,
): Promise<void> => {
  await deleteKeys(collection, keyList([readKey(collection, key)]), context);
};

/** Deletes items by an array of keys, `{keys}` or `{query}`, and returns their keys. */
export const deleteItems = async (
  collection: Collection,
  payload: unknown,
  context: ItemContext,
): Promise<KeyList> => {
  const selection = Array.isArray(payload)
    ? { keys: payload, query: undefined, pointer: [] }
    : readSelection(payload);
  return deleteKeys(collection, await selectKeys(collection, selection, context), context);
};

const deleteKeys = async (
  collection: Collection,
  keys: KeyList,
  context: WriteItemContext,
): Promise<KeyList> => {
  const plan = planDelete(collection, planContext(context));
  if (keys.count > 0)
    await executeDelete(plan, keys, executeContext({ collection, plans: [] }, keys.count, context));
  return keys;
};

const writeContext = ({ principal, maxDepth, now, matches }: ItemContext, isList = false): WriteContext => ({
  isList,
  policies: principal.policies,
  maxDepth,
  resolve: (value) => resolveVariable(value, principal, now),
  matches,
  fills: {
    user: principal.user?.id ?? null,
    now: () => databaseTime(now),
    uuid: randomUUID,
  },
});

interface Written {
  readonly collection: Collection;
  /** The plans of a create or update. */
  readonly plans: readonly (WrittenPlan | Refusal | null)[];
}

/** Actions whose fields errors may name. */
const namingActions = ['create', 'update', 'read'] as const;

const executeContext = (
  { collection, plans }: Written,
  rows: number,
  context: WriteItemContext,
): ExecuteContext => {
  const { precondition, dryRun } = context;
  const { policies } = context.principal;
  if (dryRun !== undefined) dryRun.rows = rows;
  const collections = new Set([collection, ...writtenCollections(plans)]);
  const isAccess = [...collections].some(({ access }) => access);
  const accessHooks = (): WriteHooks => (isAccess ? guardAccess(collection, context) : guardVersion(context));
  const hooks = precondition === undefined ? accessHooks : () => precede(accessHooks(), precondition);
  return {
    database: dryRun === undefined ? context.database : withRollback(context.database, collections),
    dialect: context.dialect,
    input: bindInput(context, {}),
    allowsAutocommit:
      dryRun === undefined && precondition === undefined && !isAccess && collection.activity === null,
    mayName: (where, { name }) =>
      namingActions.some((action) => policies.grant(where, action)?.fields.has(name) === true),
    hooks: dryRun === undefined ? hooks : () => withoutCommit(hooks()),
  };
};

/** Drops what follows a commit. */
const withoutCommit = (hooks: WriteHooks): WriteHooks => ({ ...hooks, committed: async () => undefined });

/** Adds a precondition that runs after the other checks. */
const precede = (hooks: WriteHooks, precondition: WriteHooks): WriteHooks => ({
  ...hooks,
  async before(keys, executor) {
    await hooks.before(keys, executor);
    await precondition.before(keys, executor);
  },
});
