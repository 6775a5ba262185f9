/** Creates, updates and deletes: everything is planned, the answer too, before anything is written. */
import { randomUUID } from 'node:crypto';
import { resolveVariable } from '../access/variables.js';
import type { Collection } from '../../contract/collection.js';
import { invalidPayload } from '../../contract/errors.js';
import { chunk } from '../execute/chunk.js';
import { databaseTime } from '../execute/database-time.js';
import {
  distinctKeys,
  executeCreate,
  executeCreateReturning,
  executeDelete,
  executeUpdate,
  executeUpdates,
  isReturnable,
} from '../execute/write.js';
import type { Key } from '../execute/insert.js';
import type { WriteContext as ExecuteContext } from '../execute/write-transaction.js';
import { JsonRows, noRows } from '../execute/row-set.js';
import { readKey, splitKeyValue } from '../plan/item.js';
import { planRead } from '../plan/read.js';
import { planCreate, planDelete, planUpdate, type UpdatePlan, type WriteContext } from '../plan/write.js';
import { readQuery, type ParsedQuery, type Query } from '../request/query.js';
import { unlimited, type Limits } from '../sql/read.js';
import { compileReturning, type Returning } from '../sql/write.js';
import { guardAccess, guardVersion } from './access-guard.js';
import { bindInput, type ItemContext } from './context.js';
import { hashRows } from './hash.js';
import { createWriteList } from './lists.js';
import { refuseOwnRow } from './own-rights.js';
import { remember } from './plans.js';
import { planContext, readCreated, readList, readWritten, type ReadTarget } from './read.js';
import { singletonKey } from './singleton.js';

/** What a write answers: rows, or nothing where the caller may not read them or nobody can tell their keys. */
export type WriteAnswer = JsonRows | null;

/** One item from an object, several from a list. */
export const createItems = async (
  target: ReadTarget,
  payload: unknown,
  context: ItemContext,
): Promise<WriteAnswer> => {
  const { collection } = target;
  const answer = planAnswer(target, context);
  const plan = await hashRows(
    planCreate(collection, Array.isArray(payload) ? payload : [payload], writeContext(context)),
  );
  if (plan.rows.length === 0) return noRows;
  const execute = executeContext(collection, context);
  if (answer !== null && answer.returning !== null && isReturnable(plan, execute)) {
    return executeCreateReturning(plan, answer.returning, execute);
  }
  const keys = await executeCreate(plan, execute);
  return keys === null ? null : readAnswer(answer, keys, { context, read: readCreated });
};

export const updateItem = async (
  target: ReadTarget,
  { key, payload }: { readonly key: readonly unknown[]; readonly payload: unknown },
  context: ItemContext,
): Promise<WriteAnswer> => {
  if (Array.isArray(payload)) throw invalidPayload('one item takes one object, not a list');
  return updateKeys(target, { keys: [readKey(target.collection, key)], payload }, context);
};

/** `{keys, data}`, `{query, data}`, or a list of items that carry their keys. */
export const updateItems = async (
  target: ReadTarget,
  payload: unknown,
  context: ItemContext,
): Promise<WriteAnswer> => {
  if (Array.isArray(payload)) return updateEach(target, payload, context);
  const { keys, query, data } = readSelection(payload);
  if (data === undefined) throw invalidPayload('"data" is missing: the values to set');
  const found = await selectKeys(target.collection, { keys, query }, context);
  return updateKeys(target, { keys: found, payload: data }, context);
};

const updateKeys = async (
  target: ReadTarget,
  { keys, payload }: { readonly keys: readonly Key[]; readonly payload: unknown },
  context: ItemContext,
): Promise<WriteAnswer> => {
  const { collection } = target;
  const answer = planAnswer(target, context);
  const plan = await planChange(collection, { keys, payload }, context);
  if (keys.length === 0) return noRows;
  await executeUpdate(plan, keys, executeContext(collection, context));
  return readAnswer(answer, keys, { context, read: readWritten });
};

const updateEach = async (
  target: ReadTarget,
  payloads: readonly unknown[],
  context: ItemContext,
): Promise<WriteAnswer> => {
  const { collection } = target;
  const answer = planAnswer(target, context);
  const updates = await Promise.all(
    payloads.map(async (payload) => {
      const key = keyInside(collection, payload);
      return { key, plan: await planChange(collection, { keys: [key], payload }, context) };
    }),
  );
  await executeUpdates(updates, executeContext(collection, context));
  const keys = distinctKeys(updates.map(({ key }) => key));
  return readAnswer(answer, keys, { context, read: readWritten });
};

const planChange = (
  collection: Collection,
  change: { readonly keys: readonly Key[]; readonly payload: unknown },
  context: ItemContext,
): Promise<UpdatePlan> => {
  const plan = planUpdate(collection, change.payload, writeContext(context));
  refuseOwnRow(collection, change, context);
  return hashRows(plan);
};

const keyInside = (collection: Collection, payload: unknown): Key => {
  const given = (payload ?? {}) as Record<string, unknown>;
  const missing = collection.key.find(
    (field) => given[field.name] === undefined || given[field.name] === null,
  );
  if (missing !== undefined) throw invalidPayload(`every item of the list needs its key "${missing.name}"`);
  return readKey(
    collection,
    collection.key.map((field) => given[field.name]),
  );
};

/** Updates the one item, or makes it. */
export const updateSingleton = async (
  target: ReadTarget,
  payload: unknown,
  context: ItemContext,
): Promise<WriteAnswer> => {
  const [key] = await singletonKey(target.collection, context);
  return key === undefined
    ? createItems(target, payload, context)
    : updateItem(target, { key, payload }, context);
};

export const deleteItem = async (
  collection: Collection,
  key: readonly unknown[],
  context: ItemContext,
): Promise<void> => {
  await deleteKeys(collection, [readKey(collection, key)], context);
};

/** A list of keys, `{keys}` or `{query}`. @returns the keys */
export const deleteItems = async (
  collection: Collection,
  payload: unknown,
  context: ItemContext,
): Promise<readonly Key[]> => {
  const selection = Array.isArray(payload) ? { keys: payload, query: undefined } : readSelection(payload);
  return deleteKeys(collection, await selectKeys(collection, selection, context), context);
};

const deleteKeys = async (
  collection: Collection,
  keys: readonly Key[],
  context: ItemContext,
): Promise<readonly Key[]> => {
  const plan = planDelete(collection, planContext(context));
  if (keys.length > 0) await executeDelete(plan, keys, executeContext(collection, context));
  return keys;
};

interface Selection {
  readonly keys: unknown;
  readonly query: unknown;
  readonly data?: unknown;
}

const readSelection = (payload: unknown): Selection => {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw invalidPayload('expected {"keys": […]} or {"query": {…}}, or a list');
  }
  const { keys, query, data } = payload as Record<string, unknown>;
  if ((keys === undefined) === (query === undefined)) {
    throw invalidPayload('exactly one of "keys" and "query" says which items are meant');
  }
  return { keys, query, data };
};

/** @throws FORBIDDEN for keys that cannot be keys */
const selectKeys = async (
  collection: Collection,
  { keys, query }: Selection,
  context: ItemContext,
): Promise<readonly Key[]> => {
  if (keys !== undefined) return readKeys(collection, keys);
  if (typeof query !== 'object' || query === null || Array.isArray(query))
    throw invalidPayload('"query" must be an object');
  const parsed = keysQuery(collection, readQuery({ ...query, fields: undefined, deep: undefined }));
  const { rows } = await readList({ collection, parsed }, isPageOnly(parsed) ? context : unbounded(context));
  const found = JSON.parse(`[${rows.bytes.toString()}]`) as Record<string, unknown>[];
  return found.map((row) =>
    readKey(
      collection,
      collection.key.map((field) => row[field.name]),
    ),
  );
};

/** A page without a size of its own has that of lists. */
const isPageOnly = ({ query: { limit, page } }: ParsedQuery): boolean => limit === null && page !== null;

/** What a write is about is no answer: without a limit it is everything that matches. */
const unbounded = (context: ItemContext): ItemContext => ({
  ...context,
  limits: noLimits,
  publicLimits: noLimits,
});

const noLimits: Limits = { fallback: unlimited, most: null };

/** The names of the key as they are: spelled as text, a comma in one of them would part it. */
const keysQuery = ({ key }: Collection, { query, shape, values }: ParsedQuery): ParsedQuery => ({
  query: { ...query, fields: key.map(({ name }) => ({ name, children: [] })) },
  shape: `keys ${shape}`,
  values,
});

/** Keys of a body, each once. */
export const readKeys = (collection: Collection, keys: unknown): readonly Key[] => {
  if (!Array.isArray(keys)) throw invalidPayload('"keys" must be a list of primary keys');
  return distinctKeys(keys.map((key: unknown) => readKey(collection, splitKeyValue(collection, key))));
};

interface Answer extends ReadTarget {
  /** The row as an insert can give it back; `null` where it takes more. */
  readonly returning: Returning | null;
}

/** How the result will be read; `null` where the caller may not read at all. Refuses bad fields before the write. */
const planAnswer = ({ collection, parsed }: ReadTarget, context: ItemContext): Answer | null => {
  if (context.principal.policies.grant(collection, 'read') === null) return null;
  const returning = remember(context, { collection, use: 'answer', shape: parsed.shape }, () =>
    compileReturning(planRead(answerQuery(parsed).query, collection, planContext(context)), context.dialect),
  );
  return { collection, parsed: answerQuery(parsed), returning };
};

/** Of the query, what says how rows look; not which ones. */
const answerQuery = (parsed: ParsedQuery): ParsedQuery => {
  const query: Query = {
    ...parsed.query,
    filter: null,
    search: null,
    limit: 'all',
    offset: null,
    page: null,
    meta: [],
  };
  return { query, shape: `answer ${parsed.shape}`, values: parsed.values };
};

/** Nothing where some of the rows are not the caller's to read. */
const readAnswer = async (
  answer: Answer | null,
  keys: readonly Key[],
  { context, read }: { readonly context: ItemContext; readonly read: typeof readWritten },
): Promise<WriteAnswer> => {
  if (answer === null) return null;
  const parts = await Promise.all(chunk(keys, answersTogether).map((part) => read(answer, part, context)));
  if (parts.every(({ count }) => count === 0) && keys.length > 0) return null;
  return joinRows(parts.map(({ rows }) => rows).filter((rows) => !rows.isEmpty));
};

const answersTogether = 500;

const joinRows = (parts: readonly JsonRows[]): JsonRows => {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const chunks = parts.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [Buffer.from(','), bytes]));
  return JsonRows.of(Buffer.concat(chunks));
};

const writeContext = ({ principal, maxDepth, now }: ItemContext): WriteContext => ({
  policies: principal.policies,
  maxDepth,
  resolve: (value) => resolveVariable(value, principal, now),
  fills: {
    user: principal.user?.id ?? null,
    now: () => databaseTime(now),
    uuid: randomUUID,
  },
});

const executeContext = (collection: Collection, context: ItemContext): ExecuteContext => ({
  database: context.database,
  dialect: context.dialect,
  input: bindInput(context, {}),
  alone: !collection.access && collection.activity === null,
  guard: () => (collection.access ? guardAccess(collection, context) : guardVersion(context)),
  writeList: (list, owner, inside) => createWriteList(writeContext(context))(list, owner, inside),
});
