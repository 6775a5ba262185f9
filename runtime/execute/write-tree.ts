/** Executes write plans inside a transaction: the rows of a plan, then its lists, each after its owner. */
import type { Collection } from '../../contract/collection.js';
import { unprocessable } from '../../contract/errors.js';
import type { PayloadLocation } from '../plan/problem-collection.js';
import { conditionTrue } from '../plan/types.js';
import type { CreatePlan, DeletePlan, Key, ListPlan, UpdatePlan, WriteRow } from '../plan/write-plan.js';
import { compileDelete, compileUpdate } from '../sql/write.js';
import { chunk } from './chunk.js';
import { insertRows } from './insert.js';
import { groupNewLists, haveRows, writeNewLists } from './new-lists.js';
import { writeParents, type RowWriters } from './parents.js';
import { requireReferences } from './references.js';
import { requireRowPermission } from './row-locks.js';
import { checkCreated, checkUpdated, findCovered } from './stored-checks.js';
import {
  maxKeys,
  requirePermissions,
  toCheckedRuns,
  toWrittenRuns,
  writeRun,
  type RowUpdate,
} from './updates.js';
import {
  runShared,
  toWrite,
  type TransactionContext,
  type CompletedWrite,
  type RelatedChange,
} from './write-transaction.js';
import { writeList, type ListWriters } from './write-list.js';

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

/** Writes rows of lists, whose references are checked together with those of their owner. */
const listWriters: ListWriters = {
  async create(plan, context) {
    await writeCreate(plan, context);
  },
  update: (...options) => writeRelated(...options),
  updateEach: (...options) => writeRelatedEach(...options),
  delete: (...options) => writeDelete(...options),
};

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
  await writeStep(
    { ...plan, rows: [row], locations: [plan.location], action: 'update' },
    context,
    async () => {
      for (const part of chunk(keys, maxKeys)) {
        const covered = await findCovered(plan, part, context);
        const options = { ...context, keys: part, where: conditionTrue };
        if (row.size > 0) await context.executor.write(compileUpdate(collection, row, options));
        await checkUpdated(plan, { keys: part, covered }, context);
      }
      return keys;
    },
  );
};

/** Updates rows like `writePermitted`, each with its own values, in order. Keys are as stored. */
export const writePermittedEach = async (
  updates: readonly RowUpdate[],
  context: TransactionContext,
): Promise<void> => {
  for (const run of toWrittenRuns(updates, context)) {
    const [first] = run;
    if (run.length === 1 && first !== undefined) await writePermitted(first.plan, [first.key], context);
    else await writeRun(run, context);
  }
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
  await writeStep({ collection, rows, locations: [], lists: [], action: 'delete' }, context, async () => {
    for (const part of chunk(keys, maxKeys)) {
      const options = { ...context, keys: part, where: conditionTrue };
      await context.executor.write(compileDelete(collection, options));
    }
    return keys;
  });
};

/** Returns rows that consist of their keys, for deletions. */
export const keyRows = ({ key }: Collection, keys: readonly Key[]): readonly WriteRow[] =>
  keys.map((parts) => new Map(key.map(({ name }, index) => [name, parts[index] ?? null])));

interface Step extends Pick<CompletedWrite, 'collection' | 'action'> {
  readonly rows: readonly WriteRow[];
  readonly locations: readonly PayloadLocation[];
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
  const { collection, rows, lists } = step;
  const { current, written } = context;
  current.write = { ...toWrite(step, context), written };
  const keys = await run();
  if (keys === null && lists.length > 0) throw unknownKey(collection);
  for (const each of toWritten(step, keys ?? rows.map(() => []))) written.push(each);
  await writeLists(step, keys ?? [], context);
  return keys;
};

const writeLists = async (
  { collection, action, lists }: Step,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<void> => {
  const writing = { writers: listWriters, context };
  const writeEach = async (each: readonly ListPlan[]): Promise<void> => {
    for (const list of each) {
      // an update has the same lists for all its rows
      const owners = action === 'create' ? keys.slice(list.ownerIndex, list.ownerIndex + 1) : keys;
      for (const key of owners) await writeList(list, { collection, key }, writing);
    }
  };
  const groups = action === 'create' ? groupNewLists(lists, { collection, keys }) : null;
  if (groups === null) return writeEach(lists);
  for (const group of groups.values()) {
    if (await haveRows(group, writing)) await writeEach(group.map(({ plan }) => plan));
    else await writeNewLists(group, writing);
  }
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
  const fieldsOf = rows.map((row) => [...row.keys()]);
  for (const { ownerIndex, relation } of lists) fieldsOf[ownerIndex]?.push(relation.name);
  return fieldsOf.flatMap((fields, index) => {
    if (action === 'update' && fields.length === 0) return [];
    return [{ collection, action, fields, keys: action === 'update' ? keys : keys.slice(index, index + 1) }];
  });
};

/** Updates rows that the request does not name by their keys. */
export const writeRelated = async (
  plan: UpdatePlan,
  keys: readonly Key[],
  context: TransactionContext,
): Promise<void> => {
  await context.beforeRelated(toRelatedChange(plan, keys));
  await writeUpdate(plan, keys, context);
};

const toRelatedChange = ({ collection, row, lists }: UpdatePlan, keys: readonly Key[]): RelatedChange => ({
  collection,
  keys,
  fields: [...row.keys(), ...lists.map(({ relation }) => relation.name)],
});

/** Updates rows like `writeRelated`, each with its own values, in order. Keys are as stored. */
export const writeRelatedEach = async (
  updates: readonly RowUpdate[],
  context: TransactionContext,
): Promise<void> => {
  for (const run of toCheckedRuns(updates, context)) {
    await runShared(run, context, async () => {
      for (const { plan, key } of run) await context.beforeRelated(toRelatedChange(plan, [key]));
      await requirePermissions(run, context);
    });
    await writePermittedEach(run, context);
  }
};
