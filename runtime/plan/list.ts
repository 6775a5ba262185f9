/** Plans the lists of a payload: rows that are created, changed and removed through their owner. */
import type { ToMany } from '../../contract/collection.js';
import { collectProblems } from '../../contract/errors.js';
import { planOrRefuse, collectLocated, isRefusal, type PayloadLocation } from './problem-collection.js';
import { nameableReferences, listLevel, visibleRows, type Owner } from './list-level.js';
import { namedPosition, newPositions } from './list-position.js';
import { hasChanges, readListChange, type KeyedEntry, type ListChange } from './list-payload.js';
import { isKeyPart, isDeletedOnRemoval, foreignKey, releasableFields } from './list-relation.js';
import { bindUpdate, noOwnerValues } from './owner-operands.js';
import { planDelete } from './delete.js';
import { isForbidden, isKeyChosen, requireDepth } from './parent.js';
import { entryLevel, noOwner, type PayloadLevel, type Payload } from './row-context.js';
import {
  noRelated,
  readChange,
  readNewRow,
  requireGrant,
  toCreatePlan,
  toUpdatePlan,
  type RelatedPlans,
  type RowPlanners,
} from './row-plans.js';
import type { ListValue } from './payload-relations.js';
import type { ListCreatePlan, ListPlan, ListRemoval, ListUpdate } from './write-plan.js';

/** Plans the lists of one row; adds their faults to the problems of the level. */
export const planLists = (
  lists: readonly ListValue[],
  { owner, level }: { readonly owner: Owner; readonly level: PayloadLevel },
  planners: RowPlanners,
): readonly ListPlan[] =>
  lists.flatMap((list) => {
    const below = listLevel(list.relation, owner, level);
    return collectLocated(below, () => planList(list, { owner, level: below }, planners)) ?? [];
  });

/** @throws INVALID_PAYLOAD for a value that is not a list, FORBIDDEN for an invalid key */
const planList = (
  { relation, value }: ListValue,
  { owner, level }: { readonly owner: Owner; readonly level: PayloadLevel },
  planners: RowPlanners,
): ListPlan => {
  const { creates, updates, removes } = readListChange(relation, value, (pointer, read) =>
    collectLocated(entryLevel(level, pointer), read),
  );
  requireDepth(level);
  const { collection } = relation;
  return {
    relation,
    ownerIndex: owner.rowIndex,
    visible: visibleRows(collection, level.writing),
    creates: creates.length === 0 ? null : planCreates(relation, creates, { level, planners }),
    updates: planListUpdates(relation, updates, { level, planners }),
    removes: planRemoval(relation, removes, level),
    nameableReferences: nameableReferences(relation, owner, level.writing),
  };
};

interface ListLevel {
  readonly level: PayloadLevel;
  readonly planners: RowPlanners;
}

const planCreates = (
  relation: ToMany,
  entries: ListChange['creates'],
  { level, planners }: ListLevel,
): ListCreatePlan | null =>
  collectProblems(level.problems, () =>
    planners.planRows(
      relation.collection,
      entries.map(({ payload }) => payload),
      {
        ...level,
        rowPointers: entries.map(({ pointer }) => pointer),
        positions: newPositions(
          relation,
          entries.map(({ ordinal }) => ordinal),
        ),
      },
    ),
  );

/**
 * Plans the rows of a list that the payload keeps or changes. Rows given only by their key share one plan.
 */
const planListUpdates = (
  relation: ToMany,
  entries: ListChange['updates'],
  list: ListLevel,
): readonly ListUpdate[] => {
  const { level } = list;
  let bare: ListUpdate['move'] | null = null;
  return entries.map((entry) => {
    const position = namedPosition(relation, entry, level.writing);
    if (position !== null) {
      const placed = { ...entry, payload: { ...entry.payload, [position.name]: position.value } };
      return {
        ...planListUpdate(relation, { entry, placed }, list),
        position: hasChanges(entry) ? null : position.value,
      };
    }
    if (hasChanges(entry))
      return { ...planListUpdate(relation, { entry, placed: entry }, list), position: null };
    bare ??= planMove(relation, { payload: {}, related: noRelated }, level);
    const create = planKeyedCreate(relation, { entry, related: noRelated }, entryLevel(level, entry.pointer));
    return {
      key: entry.key,
      location: locationOf(level, entry),
      update: null,
      position: null,
      move: bare,
      create,
    };
  });
};

interface ChangedEntry {
  /** The entry as the client sent it. */
  readonly entry: KeyedEntry;
  /** The entry with its position in the list. */
  readonly placed: KeyedEntry;
}

/**
 * Plans all cases, since only the stored rows show whether there is such a row, and in which list. Related rows
 * are the same in each of them, and planned once.
 */
const planListUpdate = (
  relation: ToMany,
  { entry, placed: { key, payload } }: ChangedEntry,
  { level, planners }: ListLevel,
): Omit<ListUpdate, 'position'> => {
  const { collection } = relation;
  const own = entryLevel(level, entry.pointer);
  const withoutOwner = { ...own, owner: noOwner };
  const update = collectLocated(own, () => {
    const read = readChange(collection, { key, payload }, withoutOwner);
    const owner = { collection, rowIndex: 0, row: new Map(), key };
    const related = planners.planRelated(read, owner, withoutOwner);
    return bindUpdate(toUpdatePlan(read, related, withoutOwner), noOwnerValues);
  });
  const related = update ?? noRelated;
  return {
    key,
    location: locationOf(level, entry),
    update,
    move: planMove(relation, { payload, related }, own),
    create: planKeyedCreate(relation, { entry, related }, own),
  };
};

/** Plans a row with a key that the client chose; null where clients cannot choose it, or the caller may not. */
const planKeyedCreate = (
  relation: ToMany,
  { entry, related }: { readonly entry: KeyedEntry; readonly related: RelatedPlans },
  level: PayloadLevel,
): ListUpdate['create'] => {
  const { collection } = relation;
  const { key, payload, ordinal, isObject } = entry;
  if (!isObject || ordinal === null || !isKeyChosen(collection)) return null;
  const named = Object.fromEntries(collection.key.map(({ name }, index) => [name, key[index]]));
  const plan = planOrRefuse((problems) => {
    const grant = requireGrant(collection, 'create', level.writing);
    const [position = null] = newPositions(relation, [ordinal]) ?? [];
    const created = { ...level, problems };
    const row = readNewRow({ ...payload, ...named }, { grant, position }, created);
    return toCreatePlan(grant, [row], related);
  });
  // answers alike for an existing and a forbidden key, so that neither is revealed
  return isRefusal(plan) && isForbidden(plan.problems) ? null : plan;
};

/**
 * Plans the move of a row from another list: it takes the new owner's key, except for fields of its own key.
 */
const planMove = (
  relation: ToMany,
  { payload, related }: { readonly payload: Payload; readonly related: RelatedPlans },
  level: PayloadLevel,
): ListUpdate['move'] => {
  const owner = new Map([...level.owner].filter(([name]) => !isKeyPart(relation, name)));
  return planOrRefuse((problems) => {
    const moved = { ...level, owner, problems };
    return toUpdatePlan(readChange(relation.collection, { key: null, payload }, moved), related, moved);
  });
};

/** Plans the removal of rows. Rows removed by key are deleted where they cannot exist without an owner. */
const planRemoval = (
  relation: ToMany,
  entries: ListChange['removes'],
  level: PayloadLevel,
): ListRemoval | null => {
  if (entries === 'others')
    return {
      keys: entries,
      locations: [],
      removal: planRemovedRows(relation, isDeletedOnRemoval(relation), level),
    };
  if (entries.length === 0) return null;
  const isDeletion = isDeletedOnRemoval(relation) || releasableFields(relation).length === 0;
  const removal = planRemovedRows(relation, isDeletion, level);
  if (removal.kind === 'refused') level.problems.push(...removal.problems);
  return {
    keys: entries.map(({ key }) => key),
    locations: entries.map((entry) => locationOf(level, entry)),
    removal,
  };
};

const locationOf = (level: PayloadLevel, { pointer }: Pick<KeyedEntry, 'pointer'>): PayloadLocation => ({
  index: level.index,
  path: level.path,
  pointer: [...level.pointer, ...pointer],
});

const planRemovedRows = (
  relation: ToMany,
  isDeletion: boolean,
  level: PayloadLevel,
): ListRemoval['removal'] => {
  const { collection } = relation;
  if (isDeletion) {
    const plan = planOrRefuse(() => planDelete(collection, level.writing));
    return isRefusal(plan) ? { kind: 'refused', ...plan } : { kind: 'delete', plan };
  }
  const nullable = releasableFields(relation);
  // where no field is nullable, the refusal names all of them
  const fields = nullable.length > 0 ? nullable : foreignKey(relation);
  const payload = Object.fromEntries(fields.map(({ name }) => [name, null]));
  const plan = planOrRefuse((problems) => {
    const released = { ...level, owner: noOwner, problems };
    return toUpdatePlan(readChange(collection, { key: null, payload }, released), noRelated, released);
  });
  return isRefusal(plan)
    ? { kind: 'refused', ...plan }
    : { kind: 'release', plan: bindUpdate(plan, noOwnerValues) };
};
