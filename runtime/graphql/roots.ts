/** What the fields of `Query` and `Mutation` do on a collection: the same as their siblings in REST. */
import type { Collection } from '../../contract/collection.js';
import { invalidPayload } from '../../contract/errors.js';
import type { JsonRows } from '../execute/row-set.js';
import type { WriteOutput } from '../items/answer.js';
import type { ItemContext } from '../items/context.js';
import { readOwn, readOwnRoles, updateOwn } from '../items/own.js';
import { readItem, readList, readSingleton, type ReadTarget } from '../items/read.js';
import {
  createItems,
  deleteItem,
  deleteItems,
  updateItem,
  updateItems,
  updateSingleton,
} from '../items/write.js';
import { splitKeyValue } from '../plan/item.js';
import type { ParsedQuery } from '../request/query.js';
import type { Arguments } from './selection.js';

/** Rows as bytes, or any other value. */
export type RootResult =
  | {
      readonly rows: JsonRows;
      readonly isList: boolean;
      /** Counts, where they were asked for. */
      readonly meta: Readonly<Record<string, number>> | null;
    }
  | { readonly value: unknown };

/** What was asked of one field at the root. */
export interface RootCall {
  readonly collection: Collection;
  readonly given: Arguments;
  /** The selection as a query with these parameters. */
  query(parameters: Arguments): ParsedQuery;
}

type Run = (context: ItemContext) => Promise<RootResult>;

/** Everything about the request is read before anything runs. @throws INVALID_QUERY */
export type RootAction = (call: RootCall) => Run;

const toResult = (rows: WriteOutput, isList: boolean): RootResult =>
  'reason' in rows ? { value: rows.reason === 'unreadable' ? true : null } : { rows, isList, meta: null };
const asItem = (rows: WriteOutput): RootResult => toResult(rows, false);
const asList = (rows: WriteOutput): RootResult => toResult(rows, true);

const targetOf = ({ collection, query }: RootCall, parameters: Arguments): ReadTarget => ({
  collection,
  parsed: query(parameters),
});

const keyOf = ({ collection, given }: RootCall): readonly unknown[] => splitKeyValue(collection, given.id);

/** Which items a write is about: those of the keys, or without keys those that a query finds. */
const selectionOf = ({ given: { ids, filter, search, limit, offset, page, sort } }: RootCall): Selection => {
  const isQuery = [filter, search, limit, offset, page].some((each) => each !== undefined && each !== null);
  if (!isQuery) return { keys: ids };
  if (Array.isArray(ids) && ids.length > 0) {
    throw invalidPayload('"ids" says which items are meant, or the arguments of a list do; not both');
  }
  return { query: { filter, search, limit, offset, page, sort } };
};

type Selection = { readonly keys: unknown } | { readonly query: Arguments };

const list: RootAction = (call) => {
  const target = targetOf(call, call.given);
  return async (context) => {
    const { rows, meta } = await readList(target, context);
    return { rows, isList: true, meta };
  };
};

const item: RootAction = (call) => {
  const target = targetOf(call, {});
  return async (context) => asItem(await readItem(target, keyOf(call), context));
};

const singleton: RootAction = (call) => {
  const target = targetOf(call, {});
  return async (context) => asItem(await readSingleton(target, context));
};

const create: RootAction = (call) => {
  const target = targetOf(call, {});
  return async (context) => asItem(await createItems(target, call.given.data, context));
};

const createMany: RootAction = (call) => {
  const target = targetOf(call, { sort: call.given.sort });
  return async (context) => asList(await createItems(target, call.given.data, context));
};

const update: RootAction = (call) => {
  const target = targetOf(call, {});
  const payload = call.given.data ?? {};
  return async (context) => asItem(await updateItem(target, { key: keyOf(call), payload }, context));
};

const updateMany: RootAction = (call) => {
  const target = targetOf(call, { sort: call.given.sort });
  const payload = { ...selectionOf(call), data: call.given.data ?? {} };
  return async (context) => asList(await updateItems(target, payload, context));
};

const updateBatch: RootAction = (call) => {
  const target = targetOf(call, { sort: call.given.sort });
  return async (context) => asList(await updateItems(target, call.given.data ?? [], context));
};

const updateOnly: RootAction = (call) => {
  const target = targetOf(call, {});
  return async (context) => asItem(await updateSingleton(target, call.given.data, context));
};

const own: RootAction = (call) => {
  const target = targetOf(call, {});
  return async (context) => asItem(await readOwn(target, context));
};

const ownList: RootAction = (call) => {
  const target = targetOf(call, {});
  return async (context) => asList(await readOwnRoles(target, context));
};

const updateOwnItem: RootAction = (call) => {
  const target = targetOf(call, {});
  return async (context) => asItem(await updateOwn(target, call.given.data ?? {}, context));
};

const deleteOne: RootAction = (call) => async (context) => {
  await deleteItem(call.collection, keyOf(call), context);
  return { value: { id: call.given.id } };
};

const deleteMany: RootAction = (call) => {
  const selection = selectionOf(call);
  return async (context) => {
    const keys = await deleteItems(call.collection, selection, context);
    return { value: { ids: keys.map(joinParts) } };
  };
};

/** As `splitKeyValue` takes it. */
const joinParts = (key: readonly unknown[]): string =>
  key.length === 1 ? toText(key[0]) : key.map((part) => encodeURIComponent(toText(part))).join(',');

const toText = (part: unknown): string => (Buffer.isBuffer(part) ? part.toString('base64') : String(part));

/** By the action that the schema names. */
export const rootActions: ReadonlyMap<string, RootAction> = new Map([
  ['list', list],
  ['item', item],
  ['singleton', singleton],
  ['create', create],
  ['createMany', createMany],
  ['update', update],
  ['updateMany', updateMany],
  ['updateBatch', updateBatch],
  ['updateSingleton', updateOnly],
  ['own', own],
  ['ownList', ownList],
  ['updateOwn', updateOwnItem],
  ['deleteItem', deleteOne],
  ['deleteMany', deleteMany],
]);
