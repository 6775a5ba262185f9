/** The pipeline of the data plane: request → access → plan → sql → execute → response. */
import { LRUCache } from 'lru-cache';
import { requireSecondFactor, untilConfirmed, type Access } from '../access/access.js';
import type { Collection } from '../../contract/collection.js';
import type { ItemAction, RouteHandler } from '../../contract/routes.js';
import { invalidPayload, invalidQuery } from '../../contract/errors.js';
import { noRows } from '../execute/row-set.js';
import type { WriteOutput } from './answer.js';
import { createContext, type ItemContext, type ItemServices } from './context.js';
import { readItem, readItems, readList, readSingleton } from './read.js';
import { createItems, deleteItem, deleteItems, updateItem, updateItems, updateSingleton } from './write.js';
import { readKeys } from './selection.js';
import { forbiddenCollection } from '../plan/scope.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { readJson } from '../request/body.js';
import { parseQuery, readQuery, type ParsedQuery } from '../request/query.js';
import { decodeValue, splitKey, type RouteHandle } from '../request/route.js';
import { respondCount, respondItem, respondList, respondNothing } from '../response/respond.js';

export interface HandleOptions extends ItemServices {
  readonly access: Access;
}

export type ItemsHandler = Extract<RouteHandler, { readonly kind: 'items' }>;

/** Returns the handler factory for item routes, including those of unknown collections. */
export const createHandle = (options: HandleOptions): ((handler: ItemsHandler) => RouteHandle) => {
  const { collections } = options.registry;
  return ({ collection: name, action }) => {
    const run = actions[action];
    const collection = name === null ? undefined : collections.get(name);
    if (collection === undefined) {
      return (request, [segment = '']) =>
        answer({ request, subject: name ?? decodeValue(segment), key: noKey }, run, options);
    }
    return (request, [key]) =>
      answer({ request, subject: collection, key: key === undefined ? noKey : splitKey(key) }, run, options);
  };
};

const noKey: readonly string[] = [];

interface Target {
  readonly request: ApiRequest;
  /** A name: of no collection that is served; answered like a forbidden one. */
  readonly subject: Collection | string;
  readonly key: readonly string[];
}

const answer = (
  { request, subject, key }: Target,
  action: Action,
  options: HandleOptions,
): Promise<ApiResponse> =>
  untilConfirmed(async () => {
    const principal = await options.access.identify(request);
    if (principal.pending && !(await options.access.confirm(principal))) return null;
    requireSecondFactor(principal);
    if (typeof subject === 'string') throw forbiddenCollection(subject);
    const context = createContext(options, principal, request);
    const call: Call = { request, collection: subject, key, context };
    return (action.writes ? runWrite : runRead)(action, call, options.access);
  });

interface Call {
  readonly request: ApiRequest;
  readonly collection: Collection;
  /** Parts of the key; empty if the path has none. */
  readonly key: readonly string[];
  readonly context: ItemContext;
}

interface Action {
  readonly writes: boolean;
  run(call: Call): Promise<ApiResponse>;
}

/** Reads while the principal is being confirmed; `null` when it no longer holds. */
const runRead = async (action: Action, call: Call, access: Access): Promise<ApiResponse | null> => {
  const confirmed = access.confirm(call.context.principal);
  // its rejection is handled below, but may happen before
  confirmed.catch(() => undefined);
  try {
    const response = await action.run(call);
    return (await confirmed) ? response : null;
  } catch (error) {
    if (await confirmed) throw error;
    return null;
  }
};

/** Writes after the principal has been confirmed; reads the body first, as that may take long. */
const runWrite = async (action: Action, call: Call, access: Access): Promise<ApiResponse | null> => {
  await call.request.body();
  return (await access.confirm(call.context.principal)) ? action.run(call) : null;
};

const read = (run: Action['run']): Action => ({ writes: false, run });
const write = (run: Action['run']): Action => ({ writes: true, run });

const listAction = read(async ({ collection, request, context }) => {
  const { rows, meta } = await readList({ collection, parsed: parseCached(request.query) }, context);
  return respondList(rows, meta);
});

const searchAction = read(async ({ collection, request, context }) => {
  const { parsed, keys } = await readSearch(request);
  const target = { collection, parsed };
  if (keys === undefined) {
    const { rows, meta } = await readList(target, context);
    return respondList(rows, meta);
  }
  const found = readKeys(collection, keys);
  if (found.length === 0) return respondList(noRows, null);
  const { rows, meta } = await readItems(target, found, context);
  return respondList(rows, meta);
});

const itemAction = read(async ({ collection, request, key, context }) =>
  respondItem(await readItem({ collection, parsed: parseCached(request.query) }, key, context)),
);

const createAction = write(async ({ collection, request, context }) => {
  const payload = await readJson(request, {});
  const rows = await createItems({ collection, parsed: parseCached(request.query) }, payload, context);
  return respondRows(rows, Array.isArray(payload));
});

const updateItemAction = write(async ({ collection, request, key, context }) => {
  const target = { collection, parsed: parseCached(request.query) };
  const rows = await updateItem(target, { key, payload: await readJson(request) }, context);
  return respondRows(rows, false);
});

const updateAction = write(async ({ collection, request, context }) =>
  respondRows(
    await updateItems({ collection, parsed: parseCached(request.query) }, await readJson(request), context),
    true,
  ),
);

const deleteItemAction = write(async ({ collection, key, context }) => {
  await deleteItem(collection, key, context);
  return respondNothing;
});

const deleteAction = write(async ({ collection, request, context }) => {
  await deleteItems(collection, await readJson(request), context);
  return respondNothing;
});

const singletonAction = read(async ({ collection, request, context }) =>
  respondItem(await readSingleton({ collection, parsed: parseCached(request.query) }, context)),
);

const searchSingletonAction = read(async ({ collection, request, context }) =>
  respondItem(await readSingleton({ collection, parsed: (await readSearch(request)).parsed }, context)),
);

const updateSingletonAction = write(async ({ collection, request, context }) => {
  const target = { collection, parsed: parseCached(request.query) };
  return respondRows(await updateSingleton(target, await readJson(request), context), false);
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

/** Reads `{query?, keys?}` of a SEARCH, which replaces the query string. */
const readSearch = async (
  request: ApiRequest,
): Promise<{ readonly parsed: ParsedQuery; readonly keys: unknown }> => {
  const body = await readJson(request, {});
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidPayload('SEARCH takes {"query": {…}} and {"keys": […]}');
  }
  const { query = {}, keys, ...rest } = body as Record<string, unknown>;
  const [unknownKey] = Object.keys(rest);
  if (unknownKey !== undefined) throw invalidPayload(`SEARCH takes "query" and "keys", not "${unknownKey}"`);
  if (typeof query !== 'object' || query === null || Array.isArray(query))
    throw invalidQuery('"query" must be an object');
  return { parsed: readQuery(query as Record<string, unknown>), keys };
};

/**
 * The same text means the same query. Kept from the second time on: most texts with a value in them never
 * return.
 */
const parsedQueries = new LRUCache<string, ParsedQuery>({ max: 1_000 });
const seenOnce = new LRUCache<string, true>({ max: 1_000 });
const maxParsedLength = 2_048;

const parseCached = (text: string): ParsedQuery => {
  const present = parsedQueries.get(text);
  if (present !== undefined) return present;
  const parsed = parseQuery(text);
  if (text.length > maxParsedLength) return parsed;
  if (seenOnce.delete(text)) {
    parsedQueries.set(text, parsed);
  } else {
    seenOnce.set(text, true);
  }
  return parsed;
};
