/** Executes write plans inside a transaction: the rows of a plan, then its lists, each after its owner. */
import type { Collection, Field } from '../../contract/collection.js';
import { invalidPayload, throwProblems, unprocessable } from '../../contract/errors.js';
import { missingItem } from '../plan/item.js';
import { bindCreate, bindUpdate, type OwnerValues } from '../plan/owner.js';
import { conditionTrue } from '../plan/types.js';
import {
  isOwnerOperand,
  type CreatePlan,
  type DeletePlan,
  type Key,
  type ListCreatePlan,
  type ListPlan,
  type ListRow,
  type ListUpdate,
  type Refusal,
  type UpdatePlan,
  type WriteRow,
} from '../plan/write-plan.js';
import { compileDelete, compileUpdate } from '../sql/write.js';
import { chunk } from './chunk.js';
import { insertRows } from './insert.js';
import {
  findEnd,
  findListRows,
  findNamedKeys,
  isMovable,
  readOwner,
  type ListOwner,
  type NamedKeys,
  type StoredListRow,
} from './list-rows.js';
import { writeParents, type RowWriters } from './parents.js';
import { requireListReferences, requireReferences } from './references.js';
import { requireRowPermission } from './row-locks.js';
import { checkCreated, checkUpdated } from './stored-checks.js';
import { distinctKeys, keyText } from './stored-keys.js';
import { toWrite, type TransactionContext, type CompletedWrite } from './write-transaction.js';

/**
 * Inserts the rows of a plan and their lists. Returns the keys in the order of the rows, or null where the
 * database generates them without returning them.
 */
export const writeCreate = async (
  given: CreatePlan,
  context: TransactionContext,
): Promise<readonly Key[] | null> => {
  const plan = { ...given, rows: await writeParents(given.parents, given.rows, { writers, context }) };
  return writeStep({ ...plan, action: 'create' }, context, async () => {
    const keys = await insertRows(plan.collection, plan.rows, context);
    if (plan.stored.length === 0) return keys;
    if (keys === null) throw unknownKey(plan.collection);
    await checkCreated(plan, keys, context);
    return keys;
  });
};

/** Writes parents like rows of a request: their own parents first, their lists last. */
const writers: RowWriters = {
  async create(plan, context) {
    await requireReferences({ creates: [plan] }, context);
    const keys = await writeCreate(plan, context);
    if (keys === null) throw unknownKey(plan.collection);
    return keys;
  },
  async update(plan, keys, context) {
    await requireReferences({ updates: [{ plan, keys }] }, context);
    await writeRelated(plan, keys, context);
  },
};

/** Writes the parents of an update; returns the plan with their keys. */
export const completeUpdate = async (plan: UpdatePlan, context: TransactionContext): Promise<UpdatePlan> => {
  if (plan.parents.length === 0) return plan;
  const [row = plan.row] = await writeParents(plan.parents, [plan.row], { writers, context });
  return { ...plan, row, parents: [] };
};

/** Keys per statement. */
export const maxKeys = 1_000;

/** Updates rows. @throws FORBIDDEN where a row is missing or may not be updated */
export const writeUpdate = async (
  plan: UpdatePlan,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<void> => {
  for (const part of chunk(keys, maxKeys)) await requireRowPermission(plan, part, context);
  await writePermitted(plan, keys, context);
};

/** Updates rows that are locked and known to be permitted. */
export const writePermitted = async (
  given: UpdatePlan,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<void> => {
  const plan = await completeUpdate(given, context);
  const { collection, row } = plan;
  await writeStep({ ...plan, rows: [row], action: 'update' }, context, async () => {
    for (const part of chunk(keys, maxKeys)) await checkUpdated(plan, part, context);
    for (const part of row.size === 0 ? [] : chunk(keys, maxKeys)) {
      const options = { ...context, keys: part, where: conditionTrue };
      await context.executor.write(compileUpdate(collection, row, options));
    }
    return keys;
  });
};

/** Deletes rows. @throws FORBIDDEN where a row is missing or may not be deleted */
export const writeDelete = async (
  plan: DeletePlan,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<void> => {
  for (const part of chunk(keys, maxKeys)) await requireRowPermission(plan, part, context);
  await deletePermitted(plan, keys, context);
};

/** Deletes rows that are locked and known to be permitted. */
export const deletePermitted = async (
  { collection }: DeletePlan,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<void> => {
  const rows = keyRows(collection, keys);
  await writeStep({ collection, rows, lists: [], action: 'delete' }, context, async () => {
    for (const part of chunk(keys, maxKeys)) {
      const options = { ...context, keys: part, where: conditionTrue };
      await context.executor.write(compileDelete(collection, options));
    }
    return keys;
  });
};

export const keyRows = ({ key }: Collection, keys: readonly Key[]): readonly WriteRow[] =>
  keys.map((parts) => new Map(key.map(({ name }, index) => [name, parts[index] ?? null])));

interface Step extends Pick<CompletedWrite, 'collection' | 'action'> {
  readonly rows: readonly WriteRow[];
  readonly lists: readonly ListPlan[];
}

/**
 * Writes rows with `run`, which returns their keys as far as they are known, then their lists.
 * @throws UNPROCESSABLE_ENTITY for lists of rows whose key is not known
 */
const writeStep = async (
  step: Step,
  context: TransactionContext,
  run: () => Promise<readonly Key[] | null>,
): Promise<readonly Key[] | null> => {
  const { collection, action, rows, lists } = step;
  const { current, written } = context;
  current.write = toWrite({ collection, rows, action }, context);
  const keys = await run();
  if (keys === null && lists.length > 0) throw unknownKey(collection);
  for (const each of toWritten(step, keys ?? rows.map(() => []))) written.push(each);
  for (const list of lists) {
    // an update has the same lists for all its rows
    const owners = action === 'create' ? keys?.slice(list.ownerIndex, list.ownerIndex + 1) : keys;
    for (const key of owners ?? []) await writeList(list, { collection, key }, context);
  }
  return keys;
};

const unknownKey = ({ name, key }: Collection): Error =>
  unprocessable(
    `the database generates the key of "${name}" without returning it; specify ${key.map((field) => `"${field.name}"`).join(' and ')}`,
  );

/** Returns the record of a step: one entry per created row; for updates and deletes, one entry for all rows. */
const toWritten = (
  { collection, action, rows, lists }: Step,
  keys: readonly Key[],
): readonly CompletedWrite[] => {
  if (action === 'delete') return [{ collection, action, fields: [], keys }];
  return rows.flatMap((row, index) => {
    const listNames = lists.filter((list) => list.ownerIndex === index).map(({ relation }) => relation.name);
    const fields = [...row.keys(), ...listNames];
    if (action === 'update' && fields.length === 0) return [];
    return [{ collection, action, fields, keys: action === 'update' ? keys : keys.slice(index, index + 1) }];
  });
};

interface OwnerRow {
  readonly collection: Collection;
  readonly key: Key;
}

const writeList = async (plan: ListPlan, row: OwnerRow, context: TransactionContext): Promise<void> => {
  const owner = await readOwner(plan, row, context);
  if (owner.includes(null)) {
    if (refersToRows(plan)) throw missingReferenceError(plan, owner);
    return;
  }
  const list = { plan, owner: owner as ListOwner['owner'] };
  const rows = await findListRows(list, context);
  const state = { list, rows, named: await findNamedKeys(list, rows, context) };
  for (const update of plan.updates) await writeListUpdate(update, state, context);
  if (plan.creates !== null) await createRows(plan.creates, list, context);
  await removeRows(state, context);
};

const createRows = async (
  creates: ListCreatePlan,
  list: ListOwner,
  context: TransactionContext,
): Promise<readonly Key[] | null> => {
  const bound = bindCreate(creates, await readOwnerValues(creates, list, context));
  await requireListReferences({ creates: [creates] }, { creates: [bound] }, context);
  return writeCreate(bound, context);
};

const readOwnerValues = async (
  { rows }: ListCreatePlan,
  list: ListOwner,
  context: TransactionContext,
): Promise<OwnerValues> => {
  const field = endField(rows);
  return { references: list.owner, end: field === null ? 0 : await findEnd(list, field, context) };
};

/** Returns the field of positions at the end of the list, or null where no row has one. */
const endField = (rows: readonly ListRow[]): Field | null => {
  for (const row of rows)
    for (const value of row.values()) if (isOwnerOperand(value) && value.from === 'end') return value.field;
  return null;
};

const refersToRows = ({ creates, updates, removes }: ListPlan): boolean =>
  creates !== null || updates.length > 0 || (removes !== null && removes.keys !== 'others');

/**
 * Returns the error for a list whose owner has null in a referenced field, named only where it may be shown
 * to the caller.
 */
const missingReferenceError = (
  { relation, nameableReferences }: ListPlan,
  owner: readonly unknown[],
): Error => {
  const missing = relation.references[owner.indexOf(null)] ?? '';
  return invalidPayload(
    `"${relation.name}" needs a value in ${nameableReferences.has(missing) ? `"${missing}"` : 'a field of its owner'}`,
  );
};

interface ListState {
  readonly list: ListOwner;
  /** Rows of the list before the write, and those that it has created, by the text of their key. */
  readonly rows: Map<string, StoredListRow>;
  readonly named: NamedKeys;
}

const writeListUpdate = async (
  { key: givenKey, update, position, move, create }: ListUpdate,
  { list, rows, named }: ListState,
  context: TransactionContext,
): Promise<void> => {
  const key = named.toStored(givenKey);
  const stored = rows.get(keyText(key));
  if (stored !== undefined) {
    const isInPlace = position !== null && String(stored.position) === String(position);
    if (update !== null && !isInPlace) await updateRow(update, { planned: update, key }, context);
    return;
  }
  if (create !== null && !named.isUsed(givenKey)) {
    await createNamed(create, list, context);
    rows.set(keyText(key), { key, position: null });
    return;
  }
  // before the row is looked up, so that the answer does not tell whether it exists
  if ('problems' in move) return throwProblems(move.problems);
  if (!(await isMovable(key, list, context))) throw missingItem(list.plan.relation.collection);
  await updateRow(bindUpdate(move, { references: list.owner, end: 0 }), { planned: move, key }, context);
};

/** Creates the row of a key that no row has. */
const createNamed = async (
  create: ListCreatePlan | Refusal,
  list: ListOwner,
  context: TransactionContext,
): Promise<void> => {
  if ('problems' in create) return throwProblems(create.problems);
  const bound = bindCreate(create, { references: list.owner, end: 0 });
  await requireReferences({ creates: [bound] }, context);
  await writeCreate(bound, context);
};

const updateRow = async (
  plan: UpdatePlan,
  { planned, key }: { readonly planned: UpdatePlan<ListRow>; readonly key: Key },
  context: TransactionContext,
): Promise<void> => {
  const keys = [key];
  await requireListReferences({ updates: [{ plan: planned, keys }] }, { updates: [{ plan, keys }] }, context);
  await writeRelated(plan, keys, context);
};

const writeRelated = async (
  plan: UpdatePlan,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<void> => {
  const { collection, row, lists } = plan;
  const fields = [...row.keys(), ...lists.map(({ relation }) => relation.name)];
  await context.beforeRelated({ collection, keys, fields });
  await writeUpdate(plan, keys, context);
};

const removeRows = async (
  { list: { plan }, rows, named: { toStored } }: ListState,
  context: TransactionContext,
): Promise<void> => {
  const { relation, removes, updates } = plan;
  if (removes === null) return;
  const keys =
    removes.keys === 'others'
      ? withoutKeys(
          rows,
          updates.map(({ key }) => toStored(key)),
        )
      : distinctKeys(removes.keys.map(toStored));
  if (keys.some((key) => !rows.has(keyText(key)))) throw missingItem(relation.collection);
  if (keys.length === 0) return;
  const { removal } = removes;
  switch (removal.kind) {
    case 'delete':
      await context.beforeRelated({ collection: relation.collection, keys, fields: [] });
      return writeDelete(removal.plan, keys, context);
    case 'release':
      return writeRelated(removal.plan, keys, context);
    case 'refused':
      return throwProblems(removal.problems);
  }
};

const withoutKeys = (rows: ReadonlyMap<string, StoredListRow>, keys: readonly Key[]): readonly Key[] => {
  const remaining = new Map(rows);
  for (const key of keys) remaining.delete(keyText(key));
  return [...remaining.values()].map(({ key }) => key);
};
