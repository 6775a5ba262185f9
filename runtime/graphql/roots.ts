/** Implements the fields of `Query` and `Mutation` on collections with the same functions as REST. */
import type { Collection } from '../../contract/collection.js';
import { invalidPayload, invalidQuery } from '../../contract/errors.js';
import type { JsonRows } from '../execute/row-set.js';
import type { WriteOutput } from '../items/write-output.js';
import { guardMatch, readItemTag } from '../items/caching.js';
import type { DryRun, ItemContext } from '../items/context.js';
import { readOwn, readOwnRoles, updateOwn } from '../items/own.js';
import { readItem, readList, readSingleton, type ReadTarget } from '../items/read.js';
import {
  createItems,
  deleteItem,
  deleteItems,
  updateItem,
  updateItems,
  updateSingleton,
  upsertItems,
  type WriteItemContext,
} from '../items/write.js';
import { parseCachedQuery } from '../items/parsed-queries.js';
import { splitKeyValue } from '../plan/item.js';
import { readNames } from '../request/names.js';
import { toOnConflict } from '../request/on-conflict.js';
import type { ParsedQuery } from '../request/query.js';
import type { Arguments } from './arguments.js';

/** The result of a root field: rows as JSON bytes, or any other value. */
export type RootResult =
  | {
      readonly rows: JsonRows;
      readonly isList: boolean;
      readonly meta: RootMeta | null;
    }
  | { readonly value: unknown; readonly meta?: RootMeta };

/** The `meta` of a response: requested counts, cursor or tag, and the outcomes of a write. */
export type RootMeta = Readonly<Record<string, unknown>>;

/** A call of one root field. */
export interface RootCall {
  readonly collection: Collection;
  readonly args: Arguments;
  /** Builds a query from these parameters and the selection. */
  query(parameters: Arguments): ParsedQuery;
  /** Builds the query of an aggregation from the arguments and the selection. */
  aggregation(): ParsedQuery;
}

type Run = (context: ItemContext) => Promise<RootResult>;

/** Reads the arguments of a call and returns the function that runs it. @throws INVALID_QUERY */
export type RootAction = (call: RootCall) => Run;

const toResult = (rows: WriteOutput, isList: boolean): RootResult =>
  'reason' in rows ? { value: rows.reason === 'unreadable' ? true : null } : { rows, isList, meta: null };
const asItem = (rows: WriteOutput): RootResult => toResult(rows, false);
const asList = (rows: WriteOutput): RootResult => toResult(rows, true);

const targetOf = ({ collection, query }: RootCall, parameters: Arguments): ReadTarget => ({
  collection,
  parsed: query(parameters),
});

/** Returns the parts of the key; none for a singleton, which is named by its collection. */
const keyOf = ({ collection, args }: RootCall): readonly unknown[] =>
  args.id === undefined && collection.singleton ? [] : splitKeyValue(collection, args.id);

/** Returns the items to write, by key or by query. @throws INVALID_PAYLOAD when both are given */
const toItemSelection = ({
  args: { ids, filter, search, limit, offset, page, sort },
}: RootCall): ItemSelection => {
  const isQuery = [filter, search, limit, offset, page].some((each) => each !== undefined && each !== null);
  if (!isQuery) return { keys: ids };
  if (Array.isArray(ids) && ids.length > 0) {
    throw invalidPayload('select items either by "ids" or by query arguments such as "filter", not by both');
  }
  return { query: { filter, search, limit, offset, page, sort } };
};

type ItemSelection = { readonly keys: unknown } | { readonly query: Arguments };

const list: RootAction = (call) => {
  const target = targetOf(call, call.args);
  return async (context) => {
    const { rows, meta } = await readList(target, context);
    return { rows, isList: true, meta };
  };
};

const aggregate: RootAction = (call) => {
  const target = { collection: call.collection, parsed: call.aggregation() };
  return async (context) => {
    const { rows, meta } = await readList(target, context);
    return { rows, isList: true, meta };
  };
};

const item: RootAction = (call) => tagged(call, (target, context) => readItem(target, keyOf(call), context));

const singleton: RootAction = (call) => tagged(call, readSingleton);

/** Reads one item, and its tag where `meta` asks for it. */
const tagged = (call: RootCall, read: typeof readSingleton): Run => {
  const target = targetOf(call, { timezone: call.args.timezone });
  const isTagged = readsTag(call.args.meta);
  return async (context) => {
    // read first: a tag that is older than the data fails a write, a newer one would let it pass
    const etag = isTagged ? await readItemTag(representationOf(call), keyOf(call), context) : null;
    const result = asItem(await read(target, context));
    return etag === null ? result : { ...result, meta: { etag } };
  };
};

/** @throws INVALID_QUERY */
const readsTag = (meta: unknown): boolean => {
  const names = readNames(meta, 'meta') ?? [];
  const unknownName = names.find((name) => name !== 'etag');
  if (unknownName !== undefined)
    throw invalidQuery(`"meta" of one item does not support "${unknownName}"; it supports etag`);
  return names.length > 0;
};

/** The representation of an item that its tag is of: that of REST without parameters. */
const representationOf = ({ collection }: RootCall): ReadTarget => ({
  collection,
  parsed: parseCachedQuery(''),
});

/** Adds the precondition of `ifMatch`. */
const matching = (call: RootCall, context: ItemContext): WriteItemContext => {
  const { ifMatch } = call.args;
  if (typeof ifMatch !== 'string') return context;
  const target = representationOf(call);
  return { ...context, precondition: guardMatch({ target, key: keyOf(call), expected: ifMatch }, context) };
};

const create: RootAction = (call) => createRows(call, targetOf(call, {}), asItem);

const createMany: RootAction = (call) => createRows(call, targetOf(call, { sort: call.args.sort }), asList);

const upsertMany: RootAction = (call) =>
  createRows(
    { args: { ...call.args, on_conflict: 'update' } },
    targetOf(call, { sort: call.args.sort }),
    asList,
  );

const createRows = (
  { args: { data: payload, on_conflict: action, conflict } }: Pick<RootCall, 'args'>,
  target: ReadTarget,
  toOutput: (rows: WriteOutput) => RootResult,
): Run => {
  const onConflict = toOnConflict(action, conflict);
  return async (context) => {
    if (onConflict === null) return toOutput(await createItems(target, payload, context));
    const { rows, outcomes } = await upsertItems(target, { payload, onConflict }, context);
    return { ...toOutput(rows), meta: { outcomes } };
  };
};

const update: RootAction = (call) => {
  const target = targetOf(call, {});
  const payload = call.args.data ?? {};
  return async (context) =>
    asItem(await updateItem(target, { key: keyOf(call), payload }, matching(call, context)));
};

const updateMany: RootAction = (call) => {
  const target = targetOf(call, { sort: call.args.sort });
  const payload = { ...toItemSelection(call), data: call.args.data ?? {} };
  return async (context) => asList(await updateItems(target, payload, context));
};

const updateBatch: RootAction = (call) => {
  const target = targetOf(call, { sort: call.args.sort });
  return async (context) => asList(await updateItems(target, call.args.data ?? [], context));
};

const updateSingletonItem: RootAction = (call) => {
  const target = targetOf(call, {});
  return async (context) => asItem(await updateSingleton(target, call.args.data, matching(call, context)));
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
  return async (context) => asItem(await updateOwn(target, call.args.data ?? {}, context));
};

const deleteOne: RootAction = (call) => async (context) => {
  await deleteItem(call.collection, keyOf(call), matching(call, context));
  return { value: { id: call.args.id } };
};

const deleteMany: RootAction = (call) => {
  const selection = toItemSelection(call);
  return async (context) => {
    const keys = await deleteItems(call.collection, selection, context);
    return { value: { ids: [...keys.chunks(keys.count)].flat().map(joinParts) } };
  };
};

/** Prints a key in the form that `splitKeyValue` reads. */
const joinParts = (key: readonly unknown[]): string =>
  key.length === 1 ? toText(key[0]) : key.map((part) => encodeURIComponent(toText(part))).join(',');

const toText = (part: unknown): string => (Buffer.isBuffer(part) ? part.toString('base64') : String(part));

/** Returns what `meta` says of a write that was only tried. */
export const dryRunMeta = ({ rows }: DryRun): RootMeta => ({ dry_run: true, rows });

/** Lets a write be tried by `dry_run`. */
const write =
  (action: RootAction): RootAction =>
  (call) => {
    const run = action(call);
    if (call.args.dry_run !== true) return run;
    return async (context) => {
      const dryRun: DryRun = { rows: 0 };
      const result = await run({ ...context, dryRun });
      return { ...result, meta: { ...result.meta, ...dryRunMeta(dryRun) } };
    };
  };

/** Root actions by their name in the schema's directives. */
export const rootActions: ReadonlyMap<string, RootAction> = new Map([
  ['list', list],
  ['aggregate', aggregate],
  ['item', item],
  ['singleton', singleton],
  ['create', write(create)],
  ['createMany', write(createMany)],
  ['upsertMany', write(upsertMany)],
  ['update', write(update)],
  ['updateMany', write(updateMany)],
  ['updateBatch', write(updateBatch)],
  ['updateSingleton', write(updateSingletonItem)],
  ['own', own],
  ['ownList', ownList],
  ['updateOwn', write(updateOwnItem)],
  ['deleteItem', write(deleteOne)],
  ['deleteMany', write(deleteMany)],
]);
