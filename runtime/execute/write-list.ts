/** Writes the lists of a row after the row: changes and moves rows, creates them, removes them. */
import type { Collection, Field } from '../../contract/collection.js';
import { invalidPayload, throwProblems, type ApiError } from '../../contract/errors.js';
import { missingItem } from '../plan/item.js';
import { locate, type PayloadLocation } from '../plan/problem-collection.js';
import { bindCreate, bindUpdate, type OwnerValues } from '../plan/owner-operands.js';
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
} from '../plan/write-plan.js';
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
import { requireListReferences, requireReferences } from './references.js';
import { distinctKeys, keyText } from './stored-keys.js';
import type { RowUpdate } from './updates.js';
import { runShared, type TransactionContext } from './write-transaction.js';

/** Writes rows of lists in their transaction; the references of the rows are checked before. */
export interface ListWriters {
  create(plan: CreatePlan, context: TransactionContext): Promise<void>;
  update(plan: UpdatePlan, keys: readonly Key[], context: TransactionContext): Promise<void>;
  /** Updates rows with values of their own. @param updates with keys as stored */
  updateEach(updates: readonly RowUpdate[], context: TransactionContext): Promise<void>;
  delete(plan: DeletePlan, keys: readonly Key[], context: TransactionContext): Promise<void>;
}

export interface ListWriting {
  readonly writers: ListWriters;
  readonly context: TransactionContext;
}

interface OwnerRow {
  readonly collection: Collection;
  readonly key: Key;
}

/**
 * Writes one list of an owner: updates rows, creates new ones, then removes those that leave the list.
 * @throws INVALID_PAYLOAD where the owner has no value that the rows could refer to, FORBIDDEN for rows out of reach
 */
export const writeList = async (plan: ListPlan, row: OwnerRow, writing: ListWriting): Promise<void> => {
  const { context } = writing;
  const owner = await readOwner(plan, row, context);
  if (owner.includes(null)) {
    if (refersToRows(plan)) throw missingReferenceError(plan, owner);
    return;
  }
  const list = { plan, owner: owner as ListOwner['owner'] };
  const rows = await findListRows(list, context);
  const state = { list, rows, named: await findNamedKeys(list, rows, context) };
  await writeUpdates(state, writing);
  if (plan.creates !== null) await createRows(plan.creates, list, writing);
  await removeRows(state, writing);
};

const createRows = async (
  creates: ListCreatePlan,
  list: ListOwner,
  { writers, context }: ListWriting,
): Promise<void> => {
  const bound = bindCreate(creates, await readOwnerValues(creates, list, context));
  await requireListReferences({ creates: [creates] }, { creates: [bound] }, context);
  await writers.create(bound, context);
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

/** The update of a row that is or comes into the list. */
interface ListRowUpdate extends RowUpdate {
  /** The plan without the owner's values. */
  readonly planned: UpdatePlan<ListRow>;
}

/** Changes, moves and creates rows in their order: those between two creates together. */
const writeUpdates = async (state: ListState, writing: ListWriting): Promise<void> => {
  const { list, rows, named } = state;
  const pending: ListRowUpdate[] = [];
  const flush = (): Promise<void> => updateRows(pending.splice(0), writing);
  for (const each of list.plan.updates) {
    const key = named.toStored(each.key);
    const stored = rows.get(keyText(key));
    if (stored === undefined && each.create !== null && !named.isUsed(each.key)) {
      await flush();
      await createNamed(each.create, list, writing);
      rows.set(keyText(key), { key, position: null });
      continue;
    }
    try {
      const update =
        stored === undefined ? await moveOf(each, { key, list }, writing) : changeOf(each, stored);
      if (update !== null) pending.push(update);
    } catch (error) {
      // what comes before fails first
      await flush();
      throw error;
    }
    if (!writing.context.sharesStatements) await flush();
  }
  await flush();
};

/** Returns the error for a row that does not exist, or that the caller may not use, with its place in the payload. */
const missingRow = ({ plan }: ListOwner, location: PayloadLocation): ApiError =>
  locate(missingItem(plan.relation.collection), location);

/** Returns the update of a row of the list, or null where nothing of it changes. */
const changeOf = (
  { update, position, location }: ListUpdate,
  stored: StoredListRow,
): ListRowUpdate | null => {
  const isInPlace = position !== null && String(stored.position) === String(position);
  return update === null || isInPlace ? null : { plan: update, planned: update, key: stored.key, location };
};

/** Returns the update that moves a row into the list. @throws FORBIDDEN where it cannot be moved */
const moveOf = async (
  { move, location }: ListUpdate,
  { key, list }: { readonly key: Key; readonly list: ListOwner },
  { context }: ListWriting,
): Promise<ListRowUpdate | null> => {
  if ('problems' in move) {
    // before the row is looked up, so that the answer does not tell whether it exists
    throwProblems(move.problems);
    return null;
  }
  if (!(await isMovable(key, list, context))) throw missingRow(list, location);
  return { plan: bindUpdate(move, { references: list.owner, end: 0 }), planned: move, key, location };
};

/** Creates the row of a key that no row has. */
const createNamed = async (
  create: ListCreatePlan | Refusal,
  list: ListOwner,
  { writers, context }: ListWriting,
): Promise<void> => {
  if ('problems' in create) return throwProblems(create.problems);
  const bound = bindCreate(create, { references: list.owner, end: 0 });
  await requireReferences({ creates: [bound] }, context);
  await writers.create(bound, context);
};

const updateRows = async (
  updates: readonly ListRowUpdate[],
  { writers, context }: ListWriting,
): Promise<void> => {
  const planned = updates.map(({ planned: plan, key }) => ({ plan, keys: [key] }));
  const bound = updates.map(({ plan, key }) => ({ plan, keys: [key] }));
  await runShared(updates, context, () =>
    requireListReferences({ updates: planned }, { updates: bound }, context),
  );
  await writers.updateEach(updates, context);
};

const removeRows = async (
  { list, rows, named: { toStored } }: ListState,
  { writers, context }: ListWriting,
): Promise<void> => {
  const { relation, removes, updates } = list.plan;
  if (removes === null) return;
  const keys =
    removes.keys === 'others'
      ? withoutKeys(
          rows,
          updates.map(({ key }) => toStored(key)),
        )
      : distinctKeys(removes.keys.map(toStored));
  if (removes.keys !== 'others')
    throwProblems(
      removes.keys.flatMap((key, index) =>
        rows.has(keyText(toStored(key)))
          ? []
          : [missingRow(list, removes.locations[index] as PayloadLocation)],
      ),
    );
  if (keys.length === 0) return;
  const { removal } = removes;
  switch (removal.kind) {
    case 'delete':
      await context.beforeRelated({ collection: relation.collection, keys, fields: [] });
      return writers.delete(removal.plan, keys, context);
    case 'release':
      return writers.update(removal.plan, keys, context);
    case 'refused':
      return throwProblems(removal.problems);
  }
};

const withoutKeys = (rows: ReadonlyMap<string, StoredListRow>, keys: readonly Key[]): readonly Key[] => {
  const remaining = new Map(rows);
  for (const key of keys) remaining.delete(keyText(key));
  return [...remaining.values()].map(({ key }) => key);
};
