/**
 * Plans writes: one tree for the whole payload, complete before any statement runs. All problems are reported
 * at once.
 */
import type { Grant } from '../access/grant.js';
import type { Action } from '../access/policies.js';
import type { Collection, ToMany } from '../../contract/collection.js';
import { invalidPayload, throwProblems, type ApiError } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import { openTargets } from './any-payload.js';
import { planOrRefuse, collectProblems, isRefusal } from './problem-collection.js';
import { nameableReferences, listLevel, visibleRows, type Owner } from './list-level.js';
import { namedPosition, newPositions } from './list-position.js';
import { hasChanges, readListChange, type KeyedEntry, type ListChange } from './list-payload.js';
import { isKeyPart, isDeletedOnRemoval, foreignKey, releasableFields } from './list-relation.js';
import { bindCreate, bindUpdate, noOwnerValues } from './owner.js';
import { isForbidden, isKeyChosen, planParents, requireDepth, type RowPlanners } from './parent.js';
import { noOwner, rowContext, type LevelContext, type Payload, type WriteContext } from './row-context.js';
import { readRow, writtenNames, type ListValue, type PlannedRow } from './row.js';
import { ruleToCondition } from './rule.js';
import { openScope, type PlanContext } from './scope.js';
import { conditionFalse } from './types.js';
import { updateCondition } from './update-condition.js';
import {
  type CreatePlan,
  type DeletePlan,
  type Key,
  type ListCreatePlan,
  type ListPlan,
  type ListRemoval,
  type ListUpdate,
  type ListUpdatePlan,
  type ParentPlan,
  type UpdatePlan,
} from './write-plan.js';

/**
 * Plans the creation of items. @throws FORBIDDEN, INVALID_PAYLOAD, FAILED_VALIDATION, VALUE_TOO_LONG,
 * VALUE_OUT_OF_RANGE: every problem of every row
 */
export const planCreate = (
  collection: Collection,
  payloads: readonly unknown[],
  context: WriteContext,
): CreatePlan => {
  const problems: ApiError[] = [];
  const plan = planRows(collection, payloads, topLevel(context, problems));
  throwProblems(problems);
  return bindCreate(plan, noOwnerValues);
};

export interface Change {
  /**
   * The key of the item, with which its lists know their owner; `null` where the change applies to several
   * items.
   */
  readonly key: Key | null;
  readonly payload: unknown;
}

/** Plans each change by itself. @throws as `planCreate` */
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
  return plans.map((plan) => bindUpdate(plan, noOwnerValues));
};

/** Plans the deletion of items. @throws FORBIDDEN */
export const planDelete = (collection: Collection, context: PlanContext): DeletePlan => {
  const grant = requireGrant(collection, 'delete', context);
  const where = ruleToCondition(grant.rows, openScope(collection, 'delete', context));
  return { collection, grant, where };
};

const planners: RowPlanners = {
  planRows: (...options) => planRows(...options),
  planChange: (...options) => planChange(...options),
};

const topLevel = (writing: WriteContext, problems: ApiError[]): LevelContext => ({
  writing,
  problems,
  path: [],
  owner: noOwner,
  positions: null,
});

const requireGrant = (collection: Collection, action: Action, context: PlanContext): Grant => {
  const { grant } = openScope(collection, action, context);
  if (grant === null) throw new Error('a write needs a grant');
  return grant;
};

const requireObject = (payload: unknown, collection: Collection): Payload => {
  if (isObject(payload)) return openTargets(payload, collection);
  throw invalidPayload('an item must be an object of field names and values');
};

const planRows = (
  collection: Collection,
  payloads: readonly unknown[],
  level: LevelContext,
): ListCreatePlan => {
  const grant = requireGrant(collection, 'create', level.writing);
  const lists: ListPlan[] = [];
  const parents: ParentPlan[] = [];
  const planned = payloads.map((payload, rowIndex) => {
    const index = payloads.length > 1 ? rowIndex : null;
    const position = level.positions?.[rowIndex] ?? null;
    const options = { grant, action: 'create', index, key: null, position } as const;
    const read = readRow(requireObject(payload, collection), rowContext(level, options));
    parents.push(...planParents(read.parents, { rowIndex, level }, planners));
    lists.push(...planLists(read.lists, { collection, rowIndex, row: read.row, key: null }, level));
    return read;
  });
  return {
    collection,
    grant,
    rows: planned.map(({ row }) => row),
    parents,
    lists,
    checks: planned.flatMap(({ check }) => check ?? []),
    stored: planned.flatMap(({ stored }, rowIndex) => (stored === null ? [] : { rowIndex, check: stored })),
    references: planned.flatMap(({ references }, rowIndex) =>
      references.map((check) => ({ rowIndex, check })),
    ),
  };
};

interface ChangeLevel extends LevelContext {
  readonly index: number | null;
}

const planChange = (collection: Collection, { key, payload }: Change, level: ChangeLevel): ListUpdatePlan => {
  const read = readChange(collection, { key, payload }, level);
  const parents = planParents(read.parents, { rowIndex: 0, level }, planners);
  const lists = planLists(read.lists, { collection, rowIndex: 0, row: read.row, key }, level);
  return toUpdatePlan(read, { parents, lists }, level);
};

interface ChangedRow extends PlannedRow {
  readonly sent: Payload;
}

const readChange = (collection: Collection, { key, payload }: Change, level: ChangeLevel): ChangedRow => {
  const grant = requireGrant(collection, 'update', level.writing);
  const sent = requireObject(payload, collection);
  const { index } = level;
  return {
    sent,
    ...readRow(sent, rowContext(level, { grant, action: 'update', index, key, position: null })),
  };
};

type RelatedPlans = Pick<UpdatePlan, 'parents' | 'lists'>;

const noRelated: RelatedPlans = { parents: [], lists: [] };

const toUpdatePlan = (
  { sent, row, grant, check, stored, references, lists: values }: ChangedRow,
  { parents, lists }: RelatedPlans,
  level: ChangeLevel,
): ListUpdatePlan => {
  const names = new Set([...row.keys(), ...values.map(({ relation }) => relation.name)]);
  const permitted = writtenNames(sent, level).filter((name) => names.has(name));
  const isRefused = level.problems.length > 0;
  const where = isRefused ? conditionFalse : updateCondition(grant, permitted, level.writing);
  const { collection } = grant;
  return {
    collection,
    grant,
    row,
    parents,
    lists,
    where,
    check,
    stored,
    references,
    writtenNames: permitted,
  };
};

const planLists = (lists: readonly ListValue[], owner: Owner, level: LevelContext): readonly ListPlan[] =>
  lists.flatMap((list) => collectProblems(level.problems, () => planList(list, owner, level)) ?? []);

/** @throws INVALID_PAYLOAD for a value that is not a list, FORBIDDEN for an invalid key */
const planList = ({ relation, value }: ListValue, owner: Owner, level: LevelContext): ListPlan => {
  const { creates, updates, removes } = readListChange(relation, value);
  const below = listLevel(relation, owner, level);
  requireDepth(below);
  return {
    relation,
    ownerIndex: owner.rowIndex,
    visible: visibleRows(relation.collection, level.writing),
    creates:
      creates.length === 0
        ? null
        : collectProblems(level.problems, () =>
            planRows(
              relation.collection,
              creates.map(({ payload }) => payload),
              {
                ...below,
                positions: newPositions(
                  relation,
                  creates.map(({ place }) => place),
                ),
              },
            ),
          ),
    updates: planListUpdates(relation, updates, below),
    removes: planRemoval(relation, removes, below),
    nameableReferences: nameableReferences(relation, owner, level.writing),
  };
};

/**
 * Plans the rows of a list that the payload keeps or changes. Rows given only by their key share one plan.
 */
const planListUpdates = (
  relation: ToMany,
  entries: ListChange['updates'],
  level: LevelContext,
): readonly ListUpdate[] => {
  let bare: ListUpdate['move'] | null = null;
  return entries.map((entry) => {
    const position = namedPosition(relation, entry, level.writing);
    const create = planKeyedCreate(relation, entry, level);
    if (position !== null) {
      const placed = { ...entry, payload: { ...entry.payload, [position.name]: position.value } };
      const only = hasChanges(entry) ? null : position.value;
      return { ...planListUpdate(relation, placed, level), position: only, create };
    }
    if (hasChanges(entry)) return { ...planListUpdate(relation, entry, level), position: null, create };
    bare ??= planMove(relation, { payload: {}, related: noRelated }, level);
    return { key: entry.key, update: null, position: null, move: bare, create };
  });
};

/** Plans a row with a key that the client chose; null where clients cannot choose it, or the caller may not. */
const planKeyedCreate = (
  relation: ToMany,
  { key, payload, place, isObject }: KeyedEntry,
  level: LevelContext,
): ListUpdate['create'] => {
  const { collection } = relation;
  if (!isObject || place === null || !isKeyChosen(collection)) return null;
  const named = Object.fromEntries(collection.key.map(({ name }, index) => [name, key[index]]));
  const plan = planOrRefuse((problems) =>
    planRows(collection, [{ ...payload, ...named }], {
      ...level,
      problems,
      positions: newPositions(relation, [place]),
    }),
  );
  // what exists and what the caller may not create are answered alike
  return isRefusal(plan) && isForbidden(plan.problems) ? null : plan;
};

/**
 * Plans both cases, since only the stored rows show whether the row is in the list already. Nested lists are
 * the same in both.
 */
const planListUpdate = (
  relation: ToMany,
  { key, payload }: KeyedEntry,
  level: LevelContext,
): Pick<ListUpdate, 'key' | 'update' | 'move'> => {
  const { collection } = relation;
  const withoutOwner = { ...level, owner: noOwner, index: null };
  const update = collectProblems(level.problems, () => {
    const read = readChange(collection, { key, payload }, withoutOwner);
    const parents = planParents(read.parents, { rowIndex: 0, level: withoutOwner }, planners);
    const lists = planLists(read.lists, { collection, rowIndex: 0, row: new Map(), key }, withoutOwner);
    return bindUpdate(toUpdatePlan(read, { parents, lists }, withoutOwner), noOwnerValues);
  });
  return { key, update, move: planMove(relation, { payload, related: update ?? noRelated }, level) };
};

/**
 * Plans the move of a row from another list: it takes the new owner's key, except for fields of its own key.
 */
const planMove = (
  relation: ToMany,
  { payload, related }: { readonly payload: Payload; readonly related: RelatedPlans },
  level: LevelContext,
): ListUpdate['move'] => {
  const owner = new Map([...level.owner].filter(([name]) => !isKeyPart(relation, name)));
  return planOrRefuse((problems) => {
    const moved = { ...level, owner, problems, index: null };
    return toUpdatePlan(readChange(relation.collection, { key: null, payload }, moved), related, moved);
  });
};

/** Plans the removal of rows. Rows removed by key are deleted where they cannot exist without an owner. */
const planRemoval = (
  relation: ToMany,
  keys: ListChange['removes'],
  level: LevelContext,
): ListRemoval | null => {
  if (keys === 'others')
    return { keys, removal: planRemovedRows(relation, isDeletedOnRemoval(relation), level) };
  if (keys.length === 0) return null;
  const isDeletion = isDeletedOnRemoval(relation) || releasableFields(relation).length === 0;
  const removal = planRemovedRows(relation, isDeletion, level);
  if (removal.kind === 'refused') level.problems.push(...removal.problems);
  return { keys, removal };
};

const planRemovedRows = (
  relation: ToMany,
  isDeletion: boolean,
  level: LevelContext,
): ListRemoval['removal'] => {
  const { collection } = relation;
  if (isDeletion) {
    const plan = planOrRefuse(() => planDelete(collection, level.writing));
    return 'problems' in plan ? { kind: 'refused', ...plan } : { kind: 'delete', plan };
  }
  const released = releasableFields(relation);
  // where no field is nullable, the refusal names all of them
  const fields = released.length > 0 ? released : foreignKey(relation);
  const payload = Object.fromEntries(fields.map(({ name }) => [name, null]));
  const plan = planOrRefuse((problems) =>
    planChange(collection, { key: null, payload }, { ...level, owner: noOwner, problems, index: null }),
  );
  return 'problems' in plan
    ? { kind: 'refused', ...plan }
    : { kind: 'release', plan: bindUpdate(plan, noOwnerValues) };
};
