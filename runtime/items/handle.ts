/** Runs the pipeline of item requests: request → access → plan → sql → execute → response. */
import { requireSecondFactor } from '../access/principal.js';
import { untilConfirmed } from '../access/confirmation.js';
import type { Access } from '../access/access.js';
import type { Collection } from '../../contract/collection.js';
import type { ItemAction, RouteHandler } from '../../contract/routes.js';
import { invalidQuery } from '../../contract/errors.js';
import { noRows, type JsonRows } from '../execute/row-set.js';
import type { WriteOutput } from './write-output.js';
import { cacheRead, guardMatch } from './caching.js';
import { createContext, type DryRun, type ItemContext, type ItemServices } from './context.js';
import { readItem, readItems, readList, readSingleton, type ReadTarget } from './read.js';
import {
  createItems,
  deleteItem,
  deleteItems,
  updateItem,
  updateItems,
  updateSingleton,
  upsertItems,
  type WriteItemContext,
} from './write.js';
import { readKeys } from './selection.js';
import { forbiddenCollection } from '../plan/scope.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { readJson } from '../request/body.js';
import { dryRunHeaders, readDryRun } from '../request/dry-run.js';
import { refuseIfMatch } from '../request/if-match.js';
import { readOnConflict, refuseOnConflict } from '../request/on-conflict.js';
import { readSearch } from '../request/search.js';
import { parseCachedQuery, parseWriteQuery } from './parsed-queries.js';
import { decodeValue, splitKey, type RouteHandle } from '../request/route.js';
import {
  respondCount,
  respondItem,
  respondList,
  respondNothing,
  respondOutcomes,
} from '../response/respond.js';

export interface HandleOptions extends Omit<ItemServices, 'confirm'> {
  readonly access: Access;
}

export type ItemsHandler = Extract<RouteHandler, { readonly kind: 'items' }>;

/** Returns the handler factory for item routes, including those of unknown collections. */
export const createHandle = (options: HandleOptions): ((handler: ItemsHandler) => RouteHandle) => {
  const services: Services = { ...options, confirm: options.access.confirm };
  const { collections } = options.registry;
  return ({ collection: name, action }) => {
    const run = actions[action];
    const collection = name === null ? undefined : collections.get(name);
    if (collection === undefined) {
      return (request, [segment = '']) =>
        respond({ request, collection: name ?? decodeValue(segment), key: noKey }, run, services);
    }
    return (request, [key]) =>
      respond(
        { request, collection, key: key === undefined ? noKey : splitKey(key, collection.key.length) },
        run,
        services,
      );
  };
};

type Services = HandleOptions & ItemServices;

const noKey: readonly string[] = [];

interface Target {
  readonly request: ApiRequest;
  /** A name if there is no such collection, which is indistinguishable from a forbidden one. */
  readonly collection: Collection | string;
  readonly key: readonly string[];
}

const respond = (
  { request, collection, key }: Target,
  action: Action,
  options: Services,
): Promise<ApiResponse> =>
  untilConfirmed(async () => {
    const found = options.access.identify(request);
    const principal = found instanceof Promise ? await found : found;
    if (principal.needsSecondFactor && !(await options.access.confirm(principal))) return null;
    requireSecondFactor(principal);
    if (typeof collection === 'string') throw forbiddenCollection(collection);
    const context = createContext(options, principal, request);
    const call: Call = { request, collection, key, context };
    return await (action.isWrite ? runWrite : runRead)(action, call, options.access);
  });

interface Call {
  readonly request: ApiRequest;
  readonly collection: Collection;
  /** Parts of the key; empty if the path has none. */
  readonly key: readonly string[];
  readonly context: ItemContext;
}

interface Action {
  readonly isWrite: boolean;
  /** True where the action compares `If-Match`. */
  readonly matches: boolean;
  /** True where the action takes `on_conflict`. */
  readonly takesConflict: boolean;
  run(call: Call): Promise<ApiResponse>;
}

/** Runs what needs the database, after the body has arrived: a slow client must not take the place of others. */
const admit = <Result>(
  { context: { admission, caller } }: Call,
  work: () => Promise<Result>,
): Promise<Result> => admission.run(work, caller);

const runRead = (action: Action, call: Call, access: Access): Promise<ApiResponse | null> => {
  const read = () => admit(call, () => readConfirmed(action, call, access));
  return call.request.method === 'SEARCH' ? call.request.body().then(read) : read();
};

/** Reads while the principal is being confirmed, where that takes a look; returns null if it is outdated. */
const readConfirmed = async (action: Action, call: Call, access: Access): Promise<ApiResponse | null> => {
  const confirmed = access.confirm(call.context.principal);
  if (confirmed === true) return cache(await action.run(call), call);
  // its rejection is handled below, but may happen before
  confirmed.catch(() => undefined);
  try {
    const response = await cache(await action.run(call), call);
    return (await confirmed) ? response : null;
  } catch (error) {
    if (await confirmed) throw error;
    return null;
  }
};

/** Adds what lets the caller keep the answer to a GET, or compare it later. */
const cache = (response: ApiResponse, { request, collection, key, context: { tagOf } }: Call) => {
  if (request.method === 'SEARCH') return response;
  const isItem = key.length > 0 || collection.singleton;
  return cacheRead(response, { request, tagOf, isItem, isSystem: collection.system });
};

/** Writes after the principal has been confirmed; reads the body before that, because it can take long. */
const runWrite = async (action: Action, call: Call, access: Access): Promise<ApiResponse | null> => {
  if (!action.matches) refuseIfMatch(call.request);
  const isDryRun = readDryRun(call.request.query);
  if (!action.takesConflict) refuseOnConflict(call.request);
  await call.request.body();
  return await admit(call, async () => {
    const confirmed = access.confirm(call.context.principal);
    if (confirmed !== true && !(await confirmed)) return null;
    return await (isDryRun ? runDry(action, call) : action.run(call));
  });
};

/** Answers what a write would store and how many rows it meets. */
const runDry = async (action: Action, call: Call): Promise<ApiResponse> => {
  const dryRun: DryRun = { rows: 0 };
  const response = await action.run({ ...call, context: { ...call.context, dryRun } });
  return { ...response, headers: { ...response.headers, ...dryRunHeaders(dryRun) } };
};

const common = { isWrite: true, matches: false, takesConflict: false };
const read = (run: Action['run']): Action => ({ ...common, isWrite: false, run });
const create = (run: Action['run']): Action => ({ ...common, takesConflict: true, run });
const write = (run: Action['run']): Action => ({ ...common, run });
const writeItem = (run: Action['run']): Action => ({ ...common, matches: true, run });

/** Returns the context of a write of one item, with the comparison that `If-Match` requires. */
const matching = ({ request, collection, key, context }: Call): WriteItemContext => {
  const expected = request.headers['if-match'];
  if (typeof expected !== 'string') return context;
  const target = { collection, parsed: parseCachedQuery(request.query) };
  return { ...context, precondition: guardMatch({ target, key, expected }, context) };
};

/** Loads the printers of files with the first export. */
const loadExport = () => import('./export.js');

const listAction = read(({ collection, request, context }) =>
  list({ collection, parsed: parseCachedQuery(request.query) }, context),
);

const list = async (target: ReadTarget, context: ItemContext): Promise<ApiResponse> => {
  const { exportAs } = target.parsed.query;
  if (exportAs !== null) return (await loadExport()).exportList(target, exportAs, context);
  const { rows, meta } = await readList(target, context);
  return respondList(rows, meta);
};

/** Responds with one item, as JSON or in the format of `export`. */
const respondOne = (
  item: JsonRows,
  target: ReadTarget,
  context: ItemContext,
): ApiResponse | Promise<ApiResponse> => {
  const { exportAs: format } = target.parsed.query;
  if (format === null) return respondItem(item);
  return loadExport().then(({ exportItem }) => exportItem(item, { target, format, context }));
};

const searchAction = read(async ({ collection, request, context }) => {
  const { parsed, keys } = await readSearch(request);
  const target = { collection, parsed };
  if (keys === undefined) return list(target, context);
  if (parsed.query.exportAs !== null) throw invalidQuery('"export" does not apply to items by their keys');
  const found = readKeys(collection, keys);
  if (found.length === 0) return respondList(noRows, null);
  const { rows, meta } = await readItems(target, found, context);
  return respondList(rows, meta);
});

const itemAction = read(async ({ collection, request, key, context }) => {
  const target = { collection, parsed: parseCachedQuery(request.query) };
  return respondOne(await readItem(target, key, context), target, context);
});

const createAction = create(async ({ collection, request, context }) => {
  const payload = await readJson(request, {});
  const target = { collection, parsed: parseWriteQuery(request.query) };
  const isList = Array.isArray(payload);
  const onConflict = readOnConflict(request.query);
  if (onConflict === null) return respondRows(await createItems(target, payload, context), isList);
  const { rows, outcomes } = await upsertItems(target, { payload, onConflict }, context);
  return respondOutcomes('reason' in rows ? null : rows, { outcomes, isList });
});

const updateItemAction = writeItem(async (call) => {
  const { collection, request, key } = call;
  const target = { collection, parsed: parseWriteQuery(request.query) };
  const rows = await updateItem(target, { key, payload: await readJson(request) }, matching(call));
  return respondRows(rows, false);
});

const updateAction = write(async ({ collection, request, context }) =>
  respondRows(
    await updateItems(
      { collection, parsed: parseWriteQuery(request.query) },
      await readJson(request),
      context,
    ),
    true,
  ),
);

const deleteItemAction = writeItem(async (call) => {
  await deleteItem(call.collection, call.key, matching(call));
  return respondNothing;
});

const deleteAction = write(async ({ collection, request, context }) => {
  await deleteItems(collection, await readJson(request), context);
  return respondNothing;
});

const singletonAction = read(async ({ collection, request, context }) => {
  const target = { collection, parsed: parseCachedQuery(request.query) };
  return respondOne(await readSingleton(target, context), target, context);
});

const searchSingletonAction = read(async ({ collection, request, context }) => {
  const target = { collection, parsed: (await readSearch(request)).parsed };
  return respondOne(await readSingleton(target, context), target, context);
});

const updateSingletonAction = writeItem(async (call) => {
  const { collection, request } = call;
  const target = { collection, parsed: parseWriteQuery(request.query) };
  return respondRows(await updateSingleton(target, await readJson(request), matching(call)), false);
});

const actions: Readonly<Record<ItemAction, Action>> = {
  list: listAction,
  search: searchAction,
  create: createAction,
  updateMany: updateAction,
  deleteMany: deleteAction,
  read: itemAction,
  update: updateItemAction,
  delete: deleteItemAction,
  readSingleton: singletonAction,
  searchSingleton: searchSingletonAction,
  updateSingleton: updateSingletonAction,
};

const respondRows = (rows: WriteOutput, isList: boolean): ApiResponse => {
  if ('reason' in rows) return rows.reason === 'large' ? respondCount(rows.count) : respondNothing;
  return isList ? respondList(rows, null) : respondItem(rows);
};
