/** Writes as plans: one tree for the whole payload, made before anything runs. All problems are reported at once. */
import type { Grant } from '../access/grant.js';
import type { Action } from '../access/policies.js';
import type { Collection, ToMany } from '../../contract/collection.js';
import { invalidPayload, throwProblems, type ApiError } from '../../contract/errors.js';
import { attempt, gather } from './attempt.js';
import { knownReferences, levelBelow, visibleRows, type Owner } from './list-level.js';
import { isChange, readListChange, type ListChange } from './list-payload.js';
import { isKeyPart, isOwned, foreignKey, releasable } from './list-relation.js';
import { bindCreate, bindUpdate } from './owner.js';
import type { LevelContext, Payload, WriteContext } from './row-context.js';
import { readRow, writtenNames, type ListValue, type PlannedRow } from './row.js';
import { ruleToCondition } from './rule.js';
import { openScope, type PlanContext } from './scope.js';
import { conditionFalse } from './types.js';
import { updateCondition } from './update-condition.js';
import type { Scalar } from './values.js';
import {
  type CreatePlan,
  type DeletePlan,
  type Key,
  type ListCreatePlan,
  type ListPlan,
  type ListRemoval,
  type ListUpdate,
  type ListUpdatePlan,
  type UpdatePlan,
} from './write-plan.js';

/** @throws FORBIDDEN, INVALID_PAYLOAD, FAILED_VALIDATION, VALUE_TOO_LONG, VALUE_OUT_OF_RANGE: all of all rows */
export const planCreate = (
  collection: Collection,
  payloads: readonly unknown[],
  context: WriteContext,
): CreatePlan => {
  const problems: ApiError[] = [];
  const plan = planRows(collection, payloads, topLevel(context, problems));
  throwProblems(problems);
  return bindCreate(plan, nobody);
};

export interface Change {
  /** The item, where it is one and no more: lists of it know their owner. */
  readonly key: Key | null;
  readonly payload: unknown;
}

/** One plan for each change. @throws as `planCreate` */
export const planUpdates = (
  collection: Collection,
  changes: readonly Change[],
  context: WriteContext,
): readonly UpdatePlan[] => {
  const problems: ApiError[] = [];
  const plans = changes.map((change, index) =>
    planChange(collection, change, {
      ...topLevel(context, problems),
      index: changes.length > 1 ? index : null,
    }),
  );
  throwProblems(problems);
  return plans.map((plan) => bindUpdate(plan, nobody));
};

/** @throws FORBIDDEN */
export const planDelete = (collection: Collection, context: PlanContext): DeletePlan => {
  const grant = requireGrant(collection, 'delete', context);
  const where = ruleToCondition(grant.rows, openScope(collection, 'delete', context));
  return { collection, grant, where };
};

const nobody: readonly Scalar[] = [];
const noOwner: LevelContext['owner'] = new Map();

const topLevel = (writing: WriteContext, problems: ApiError[]): LevelContext => ({
  writing,
  problems,
  path: [],
  owner: noOwner,
});

const requireGrant = (collection: Collection, action: Action, context: PlanContext): Grant => {
  const { grant } = openScope(collection, action, context);
  if (grant === null) throw new Error('a write needs a grant');
  return grant;
};

const requireObject = (payload: unknown): Payload => {
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload as Payload;
  throw invalidPayload('an item must be an object of field names and values');
};

const planRows = (
  collection: Collection,
  payloads: readonly unknown[],
  level: LevelContext,
): ListCreatePlan => {
  const grant = requireGrant(collection, 'create', level.writing);
  const lists: ListPlan[] = [];
  const planned = payloads.map((payload, place) => {
    const index = payloads.length > 1 ? place : null;
    const read = readRow(requireObject(payload), { ...level, grant, action: 'create', index });
    lists.push(...planLists(read.lists, { collection, place, row: read.row, key: null }, level));
    return read;
  });
  return {
    collection,
    grant,
    rows: planned.map(({ row }) => row),
    lists,
    checks: planned.flatMap(({ check }) => check ?? []),
  };
};

interface ChangeLevel extends LevelContext {
  readonly index: number | null;
}

const planChange = (collection: Collection, { key, payload }: Change, level: ChangeLevel): ListUpdatePlan => {
  const read = readChange(collection, payload, level);
  const lists = planLists(read.lists, { collection, place: 0, row: read.row, key }, level);
  return toUpdatePlan(read, lists, level);
};

interface ChangedRow extends PlannedRow {
  readonly sent: Payload;
}

const readChange = (collection: Collection, payload: unknown, level: ChangeLevel): ChangedRow => {
  const grant = requireGrant(collection, 'update', level.writing);
  const sent = requireObject(payload);
  return { sent, ...readRow(sent, { ...level, grant, action: 'update' }) };
};

const toUpdatePlan = (
  { sent, row, grant, check, lists: values }: ChangedRow,
  lists: readonly ListPlan[],
  level: ChangeLevel,
): ListUpdatePlan => {
  const names = new Set([...row.keys(), ...values.map(({ relation }) => relation.name)]);
  const written = writtenNames(sent, level).filter((name) => names.has(name));
  const isRefused = level.problems.length > 0;
  const where = isRefused ? conditionFalse : updateCondition(grant, written, level.writing);
  return { collection: grant.collection, grant, row, lists, where, check, written };
};

const planLists = (lists: readonly ListValue[], owner: Owner, level: LevelContext): readonly ListPlan[] =>
  lists.flatMap((list) => gather(level.problems, () => planList(list, owner, level)) ?? []);

/** @throws INVALID_PAYLOAD for what is no list, and FORBIDDEN for what cannot be a key */
const planList = ({ relation, value }: ListValue, owner: Owner, level: LevelContext): ListPlan => {
  const { creates, updates, removes } = readListChange(relation, value);
  const below = levelBelow(relation, owner, level);
  return {
    relation,
    row: owner.place,
    visible: visibleRows(relation.collection, level.writing),
    creates:
      creates.length === 0
        ? null
        : gather(level.problems, () => planRows(relation.collection, creates, below)),
    updates: planListUpdates(relation, updates, below),
    removes: planRemoval(relation, removes, below),
    known: knownReferences(relation, owner, level.writing),
  };
};

/** Rows that are named by nothing but their key share one plan. */
const planListUpdates = (
  relation: ToMany,
  updates: ListChange['updates'],
  level: LevelContext,
): readonly ListUpdate[] => {
  let bare: ListUpdate['taken'] | null = null;
  return updates.map((update) => {
    if (isChange(update)) return planListUpdate(relation, update, level);
    bare ??= planTaken(relation, { payload: {}, lists: [] }, level);
    return { key: update.key, present: null, taken: bare };
  });
};

/** Whether the row is in the list already is known only later: lists in it are the same either way. */
const planListUpdate = (
  relation: ToMany,
  { key, payload }: ListChange['updates'][number],
  level: LevelContext,
): ListUpdate => {
  const { collection } = relation;
  const alone = { ...level, owner: noOwner, index: null };
  const present = gather(level.problems, () => {
    const read = readChange(collection, payload, alone);
    const lists = planLists(read.lists, { collection, place: 0, row: new Map(), key }, alone);
    return bindUpdate(toUpdatePlan(read, lists, alone), nobody);
  });
  return { key, present, taken: planTaken(relation, { payload, lists: present?.lists ?? [] }, level) };
};

/** A row that comes from elsewhere takes the key of its new owner, as far as its own key says nothing of it. */
const planTaken = (
  relation: ToMany,
  { payload, lists }: { readonly payload: Payload; readonly lists: readonly ListPlan[] },
  level: LevelContext,
): ListUpdate['taken'] => {
  const owner = new Map([...level.owner].filter(([name]) => !isKeyPart(relation, name)));
  return attempt((problems) => {
    const taken = { ...level, owner, problems, index: null };
    return toUpdatePlan(readChange(relation.collection, payload, taken), lists, taken);
  });
};

/** Rows that are asked to go by name are deleted where they cannot be without an owner. */
const planRemoval = (
  relation: ToMany,
  keys: ListChange['removes'],
  level: LevelContext,
): ListRemoval | null => {
  if (keys === 'others') return { keys, removal: planLeaving(relation, isOwned(relation), level) };
  if (keys.length === 0) return null;
  const isDeletion = isOwned(relation) || releasable(relation).length === 0;
  const removal = planLeaving(relation, isDeletion, level);
  if (removal.kind === 'refused') level.problems.push(...removal.problems);
  return { keys, removal };
};

const planLeaving = (relation: ToMany, isDeletion: boolean, level: LevelContext): ListRemoval['removal'] => {
  const { collection } = relation;
  if (isDeletion) {
    const plan = attempt(() => planDelete(collection, level.writing));
    return 'problems' in plan ? { kind: 'refused', ...plan } : { kind: 'delete', plan };
  }
  const free = releasable(relation);
  // where none may be null, the refusal names them all
  const fields = free.length > 0 ? free : foreignKey(relation);
  const payload = Object.fromEntries(fields.map(({ name }) => [name, null]));
  const plan = attempt((problems) =>
    planChange(collection, { key: null, payload }, { ...level, owner: noOwner, problems, index: null }),
  );
  return 'problems' in plan
    ? { kind: 'refused', ...plan }
    : { kind: 'release', plan: bindUpdate(plan, nobody) };
};
