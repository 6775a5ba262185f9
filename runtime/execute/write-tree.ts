/** Plans of writes, walked inside a transaction: the rows of a plan, then its lists, each below its owner. */
import type { Collection } from '../../contract/collection.js';
import { invalidPayload, throwProblems, unprocessable } from '../../contract/errors.js';
import { missingItem } from '../plan/item.js';
import { bindCreate, bindUpdate } from '../plan/owner.js';
import { conditionTrue } from '../plan/types.js';
import type {
  CreatePlan,
  DeletePlan,
  Key,
  ListPlan,
  ListUpdate,
  UpdatePlan,
  WriteRow,
} from '../plan/write-plan.js';
import { compileDelete, compileUpdate } from '../sql/write.js';
import { chunk } from './chunk.js';
import { insertRows } from './insert.js';
import { findPresent, isMovable, readOwner, toStoredKeys, type ListOwner } from './list-rows.js';
import { requireRowPermission } from './row-locks.js';
import { distinctKeys, keyText } from './stored-keys.js';
import { toWrite, type TransactionContext, type Written } from './write-transaction.js';

/** @returns the keys, in the order of the rows; `null` where the database made them and does not tell */
export const writeCreate = (plan: CreatePlan, context: TransactionContext): Promise<readonly Key[] | null> =>
  writeStep({ ...plan, action: 'create' }, context, () => insertRows(plan.collection, plan.rows, context));

/** Keys per statement. */
const maxKeys = 1_000;

/** @throws FORBIDDEN where one of the rows is missing or may not be updated */
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
  plan: UpdatePlan,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<void> => {
  const { collection, row } = plan;
  await writeStep({ ...plan, rows: [row], action: 'update' }, context, async () => {
    for (const part of row.size === 0 ? [] : chunk(keys, maxKeys)) {
      const options = { ...context, keys: part, where: conditionTrue };
      await context.executor.write(compileUpdate(collection, row, options));
    }
    return keys;
  });
};

/** @throws FORBIDDEN where one of the rows is missing or may not be deleted */
export const writeDelete = async (
  plan: DeletePlan,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<void> => {
  const { collection } = plan;
  const rows = keyRows(collection, keys);
  await writeStep({ collection, rows, lists: [], action: 'delete' }, context, async () => {
    for (const part of chunk(keys, maxKeys)) await requireRowPermission(plan, part, context);
    for (const part of chunk(keys, maxKeys)) {
      const options = { ...context, keys: part, where: conditionTrue };
      await context.executor.write(compileDelete(collection, options));
    }
    return keys;
  });
};

export const keyRows = ({ key }: Collection, keys: readonly Key[]): readonly WriteRow[] =>
  keys.map((parts) => new Map(key.map(({ name }, index) => [name, parts[index] ?? null])));

interface Step extends Pick<Written, 'collection' | 'action'> {
  readonly rows: readonly WriteRow[];
  readonly lists: readonly ListPlan[];
}

/**
 * Writes the rows by `run`, which gives their keys as far as they are known, then their lists.
 * @throws UNPROCESSABLE_ENTITY for lists of rows whose key is not known
 */
const writeStep = async (
  step: Step,
  context: TransactionContext,
  run: () => Promise<readonly Key[] | null>,
): Promise<readonly Key[] | null> => {
  const { collection, action, rows, lists } = step;
  const { failing, written } = context;
  failing.write = toWrite({ collection, rows, action }, context);
  const keys = await run();
  if (keys === null && lists.length > 0) throw unknownKey(collection);
  written.push(...toWritten(step, keys ?? rows.map(() => [])));
  for (const list of lists) {
    // an update says the same of all its rows
    const owners = action === 'create' ? keys?.slice(list.row, list.row + 1) : keys;
    for (const key of owners ?? []) await writeList(list, { collection, key }, context);
  }
  return keys;
};

const unknownKey = ({ name, key }: Collection): Error =>
  unprocessable(
    `the database makes the key of "${name}" and does not tell it: give ${key.map((field) => `"${field.name}"`).join(' and ')}`,
  );

/** Rows that are made name fields of their own; an update says the same of all its rows. */
const toWritten = ({ collection, action, rows, lists }: Step, keys: readonly Key[]): readonly Written[] =>
  rows.flatMap((row, index) => {
    const named = lists.filter((list) => list.row === index).map(({ relation }) => relation.name);
    const fields = [...row.keys(), ...named];
    if (action === 'update' && fields.length === 0) return [];
    return [{ collection, action, fields, keys: action === 'update' ? keys : keys.slice(index, index + 1) }];
  });

interface OwnerRow {
  readonly collection: Collection;
  readonly key: Key;
}

const writeList = async (plan: ListPlan, row: OwnerRow, context: TransactionContext): Promise<void> => {
  const owner = await readOwner(plan, row, context);
  if (owner.includes(null)) {
    if (namesRows(plan)) throw rowsOfNull(plan, owner);
    return;
  }
  const list = { plan, owner: owner as ListOwner['owner'] };
  const present = new Map((await findPresent(list, context)).map((key) => [keyText(key), key]));
  const toStored = await toStoredKeys(list, present, context);
  for (const update of plan.updates) await writeListUpdate(update, { list, present, toStored }, context);
  if (plan.creates !== null) await writeCreate(bindCreate(plan.creates, list.owner), context);
  await removeRows({ list, present, toStored }, context);
};

const namesRows = ({ creates, updates, removes }: ListPlan): boolean =>
  creates !== null || updates.length > 0 || (removes !== null && removes.keys !== 'others');

/** Nothing refers to null. The field is named to who may use it. */
const rowsOfNull = ({ relation, known }: ListPlan, owner: readonly unknown[]): Error => {
  const lacking = relation.references[owner.indexOf(null)] ?? '';
  return invalidPayload(
    `"${relation.name}" needs a value in ${known.has(lacking) ? `"${lacking}"` : 'a field of its owner'}`,
  );
};

interface ListState {
  readonly list: ListOwner;
  /** Rows of the list before the write, by the text of their key. */
  readonly present: ReadonlyMap<string, Key>;
  toStored(key: Key): Key;
}

const writeListUpdate = async (
  { key: named, present: change, taken }: ListUpdate,
  { list, present, toStored }: ListState,
  context: TransactionContext,
): Promise<void> => {
  const key = toStored(named);
  if (present.has(keyText(key))) {
    if (change !== null) await writeUpdate(change, [key], context);
    return;
  }
  if (!(await isMovable(key, list, context))) throw missingItem(list.plan.relation.collection);
  if ('problems' in taken) return throwProblems(taken.problems);
  await writeUpdate(bindUpdate(taken, list.owner), [key], context);
};

const removeRows = async (
  { list: { plan }, present, toStored }: ListState,
  context: TransactionContext,
): Promise<void> => {
  const { relation, removes, updates } = plan;
  if (removes === null) return;
  const keys =
    removes.keys === 'others'
      ? withoutKeys(
          present,
          updates.map(({ key }) => toStored(key)),
        )
      : distinctKeys(removes.keys.map(toStored));
  if (keys.some((key) => !present.has(keyText(key)))) throw missingItem(relation.collection);
  if (keys.length === 0) return;
  const { removal } = removes;
  switch (removal.kind) {
    case 'delete':
      return writeDelete(removal.plan, keys, context);
    case 'release':
      return writeUpdate(removal.plan, keys, context);
    case 'refused':
      return throwProblems(removal.problems);
  }
};

const withoutKeys = (rows: ReadonlyMap<string, Key>, keys: readonly Key[]): readonly Key[] => {
  const left = new Map(rows);
  for (const key of keys) left.delete(keyText(key));
  return [...left.values()];
};
