/** The pipeline of the data plane: request → access → plan → sql → execute → response. */
import { LRUCache } from 'lru-cache';
import { requireSecondFactor, untilConfirmed, type Access } from '../access/access.js';
import type { Collection } from '../../contract/collection.js';
import { apiError, invalidPayload, invalidQuery } from '../../contract/errors.js';
import { noRows } from '../execute/row-set.js';
import type { WriteAnswer } from './answer.js';
import { createContext, type ItemContext, type ItemServices } from './context.js';
import { readItem, readItems, readList, readSingleton } from './read.js';
import { createItems, deleteItem, deleteItems, updateItem, updateItems, updateSingleton } from './write.js';
import { readKeys } from './selection.js';
import { forbiddenCollection } from '../plan/scope.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { readJson } from '../request/body.js';
import { parseQuery, readQuery, type ParsedQuery } from '../request/query.js';
import { matchRoute, type Route } from '../request/route.js';
import { respondCount, respondItem, respondList, respondNothing } from '../response/respond.js';

export interface HandleOptions extends ItemServices {
  readonly access: Access;
  /** Whether an operation of the spec has this method and path: it comes before the item of that key. */
  isOperation(method: string, path: string): boolean;
}

/** Answers requests of the data plane; `null` for any other path. Errors are thrown. */
export type Handle = (request: ApiRequest) => Promise<ApiResponse> | null;

export const createHandle =
  (options: HandleOptions): Handle =>
  (request) => {
    const route = matchRoute(request.path, options.registry);
    if (route === null) return null;
    if (route.collection?.system === true && options.isOperation(request.method, request.path)) return null;
    return answer(request, route, options);
  };

const answer = async (request: ApiRequest, route: Route, options: HandleOptions): Promise<ApiResponse> => {
  const action = findAction(request, route);
  return untilConfirmed(async () => {
    const principal = await options.access.identify(request);
    if (principal.pending && !(await options.access.confirm(principal))) return null;
    requireSecondFactor(principal);
    if (route.collection === null) throw forbiddenCollection(route.name);
    const call: Call = {
      request,
      route,
      collection: route.collection,
      context: createContext(options, principal, request),
    };
    return (action.writes ? runWrite : runRead)(action, call, options.access);
  });
};

interface Call {
  readonly request: ApiRequest;
  readonly route: Route;
  readonly collection: Collection;
  readonly context: ItemContext;
}

interface ItemAction {
  readonly writes: boolean;
  run(call: Call): Promise<ApiResponse>;
}

/** Reads while the principal is being confirmed; `null` when it no longer holds. */
const runRead = async (action: ItemAction, call: Call, access: Access): Promise<ApiResponse | null> => {
  const confirmed = access.confirm(call.context.principal);
  // its failure is met below, however late
  confirmed.catch(() => undefined);
  try {
    const response = await action.run(call);
    return (await confirmed) ? response : null;
  } catch (error) {
    if (await confirmed) throw error;
    return null;
  }
};

/** Writes only after the principal has been confirmed; the body, which may take its time, comes before. */
const runWrite = async (action: ItemAction, call: Call, access: Access): Promise<ApiResponse | null> => {
  await call.request.body();
  return (await access.confirm(call.context.principal)) ? action.run(call) : null;
};

/** @throws ROUTE_NOT_FOUND naming the methods there are */
const findAction = (request: ApiRequest, { collection, key }: Route): ItemAction => {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const actions = actionsOf(collection, key !== null);
  const action = actions.get(method);
  if (action !== undefined) return action;
  throw apiError(
    'ROUTE_NOT_FOUND',
    { path: request.path },
    `${request.method} ${request.path} is not served${actions.size === 0 ? '' : `; here are ${[...actions.keys()].join(', ')}`}`,
  );
};

const actionsOf = (collection: Collection | null, isItem: boolean): ReadonlyMap<string, ItemAction> => {
  if (collection === null) return isItem ? itemActions : listActions;
  if (collection.key.length === 0) return isItem ? new Map() : keylessActions;
  if (collection.singleton) return isItem ? singletonItemActions : singletonActions;
  return isItem ? itemActions : listActions;
};

const read = (run: ItemAction['run']): ItemAction => ({ writes: false, run });
const write = (run: ItemAction['run']): ItemAction => ({ writes: true, run });

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

const itemAction = read(async ({ collection, request, route, context }) =>
  respondItem(await readItem({ collection, parsed: parseCached(request.query) }, route.key ?? [], context)),
);

const createAction = write(async ({ collection, request, context }) => {
  const payload = await readJson(request, {});
  const rows = await createItems({ collection, parsed: parseCached(request.query) }, payload, context);
  return respondRows(rows, Array.isArray(payload));
});

const updateItemAction = write(async ({ collection, request, route, context }) => {
  const target = { collection, parsed: parseCached(request.query) };
  const rows = await updateItem(target, { key: route.key ?? [], payload: await readJson(request) }, context);
  return respondRows(rows, false);
});

const updateAction = write(async ({ collection, request, context }) =>
  respondRows(
    await updateItems({ collection, parsed: parseCached(request.query) }, await readJson(request), context),
    true,
  ),
);

const deleteItemAction = write(async ({ collection, route, context }) => {
  await deleteItem(collection, route.key ?? [], context);
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

const listActions: ReadonlyMap<string, ItemAction> = new Map([
  ['GET', listAction],
  ['SEARCH', searchAction],
  ['POST', createAction],
  ['PATCH', updateAction],
  ['DELETE', deleteAction],
]);

const itemActions: ReadonlyMap<string, ItemAction> = new Map([
  ['GET', itemAction],
  ['PATCH', updateItemAction],
  ['DELETE', deleteItemAction],
]);

const keylessActions: ReadonlyMap<string, ItemAction> = new Map([
  ['GET', listAction],
  ['SEARCH', searchAction],
]);

const singletonActions: ReadonlyMap<string, ItemAction> = new Map([
  ['GET', singletonAction],
  ['SEARCH', searchSingletonAction],
  ['PATCH', updateSingletonAction],
]);

const singletonItemActions: ReadonlyMap<string, ItemAction> = new Map([
  ['GET', itemAction],
  ['DELETE', deleteItemAction],
]);

const respondRows = (rows: WriteAnswer, isList: boolean): ApiResponse => {
  if ('reason' in rows) return rows.reason === 'large' ? respondCount(rows.count) : respondNothing;
  return isList ? respondList(rows, null) : respondItem(rows);
};

/** `{query?, keys?}` of a SEARCH; the query string counts for nothing then. */
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

/** The same text means the same query. Kept from the second time on: most texts with a value in them never return. */
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
