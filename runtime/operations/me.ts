/** Handlers of `spec/operations/me.yaml`. */
import { untilConfirmed } from '../access/confirmation.js';
import type { Principal } from '../access/principal.js';
import { allowedActions, summarizePermissions, type AllowedActions } from '../access/summary.js';
import type { Operations } from '../../generated/server/operations.js';
import type { Collection } from '../../contract/collection.js';
import { ApiError, forbidden } from '../../contract/errors.js';
import { createContext, type ItemContext } from '../items/context.js';
import { ownId, readOwn, updateOwn } from '../items/own.js';
import { findRowPermissions } from '../items/row-locks.js';
import type { JsonRows } from '../execute/row-set.js';
import type { ReadTarget } from '../items/read.js';
import { parseQuery } from '../request/query.js';
import { clientOf, type OperationContext } from './context.js';
import { tryOut } from './dry-run.js';
import { usersOf, type OperationServices } from './services.js';

type JsonObject = Record<string, unknown>;

type MeOperations = Pick<
  Operations,
  | 'usersMe'
  | 'updateUsersMe'
  | 'rolesMe'
  | 'policiesMeGlobals'
  | 'permissionsMe'
  | 'permissionsMeCollection'
  | 'permissionsMeItem'
>;

/** Creates the handlers of the caller's own user, policies and permissions. */
export const createMeOperations = (services: OperationServices): MeOperations => ({
  usersMe: async (_input, context) => ({ data: await readMe(context, services) }),

  updateUsersMe: ({ body, dry_run: isDryRun }, context) =>
    untilConfirmed(() => updateMe(body, { context, isDryRun }, services)),

  async rolesMe(_input, context) {
    return { data: [...(await context.principal()).roles] };
  },

  async policiesMeGlobals(_input, context) {
    return { data: summarizePolicies(await context.principal()) };
  },

  async permissionsMe(_input, context) {
    const { policies } = await context.principal();
    return { data: summarizePermissions(policies, services.registry) };
  },

  async permissionsMeCollection({ collection: name }, context) {
    const { principal } = await openItemContext(context, services);
    const collection = findKnown(name, principal, services);
    return { data: allowedActions(collection, principal.policies) };
  },

  async permissionsMeItem({ collection: name, key }, context) {
    const item = await openItemContext(context, services);
    const collection = findKnown(name, item.principal, services);
    return { data: await allowedOnRow(collection, key, item) };
  },
});

const openItemContext = async (
  context: OperationContext,
  services: OperationServices,
): Promise<ItemContext> => createContext(services, await context.principal(), clientOf(context));

const targetOf = ({ query }: OperationContext, services: OperationServices): ReadTarget => ({
  collection: usersOf(services),
  parsed: parseQuery(query),
});

/** Returns the user record of the caller; its key alone, if the caller may not read what the query asks for. */
const readMe = async (context: OperationContext, services: OperationServices): Promise<JsonObject> => {
  const item = await openItemContext(context, services);
  try {
    return parseRow(await readOwn(targetOf(context, services), item));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return { id: ownId(item) };
    throw error;
  }
};

interface UpdateCall {
  readonly context: OperationContext;
  readonly isDryRun: boolean | undefined;
}

const updateMe = async (body: unknown, call: UpdateCall, services: OperationServices) => {
  const { context } = call;
  const target = targetOf(context, services);
  const item = createContext(services, await context.renew(), clientOf(context));
  const rows = await tryOut(item, call, (tried) => updateOwn(target, body, tried));
  return 'reason' in rows
    ? { status: 204 as const, body: undefined }
    : { status: 200 as const, body: { data: parseRow(rows) } };
};

const parseRow = ({ bytes }: JsonRows): JsonObject => JSON.parse(bytes.toString()) as JsonObject;

const summarizePolicies = ({ user, policies, records, needsSecondFactor }: Principal) => {
  const own = policies.ids.map((id) => records.policies.get(id));
  const hasApp = own.some((columns) => Number(columns?.['app_access'] ?? 0) === 1);
  const app = { app_access: policies.admin || hasApp };
  if (user === null) return app;
  const requiresTfa = needsSecondFactor || policies.requiresSecondFactor;
  return { ...app, admin_access: policies.admin, enforce_tfa: requiresTfa };
};

/** @throws FORBIDDEN when there is no such collection, or the caller may not know of it */
const findKnown = (name: string, principal: Principal, { registry }: OperationServices): Collection => {
  const collection = registry.collections.get(name);
  if (collection === undefined || !isKnown(collection, principal))
    throw forbidden(`the collection "${name}" does not exist or may not be used this way`);
  return collection;
};

const allowedOnRow = async (
  collection: Collection,
  key: string,
  item: ItemContext,
): Promise<AllowedActions> => {
  const allowed = allowedActions(collection, item.principal.policies);
  // a key with one column may contain commas
  const parts = collection.key.length === 1 ? [key] : key.split(',');
  const permitted = await findRowPermissions(collection, parts, item);
  return {
    ...allowed,
    update: permitted.update ? allowed.update : { access: false },
    delete: permitted.delete ? allowed.delete : { access: false },
  };
};

/** Returns true if the caller has any permission on the collection, and so may know that it exists. */
const isKnown = (collection: Collection, { policies }: Principal): boolean =>
  (['read', 'create', 'update', 'delete'] as const).some(
    (action) => policies.grant(collection, action) !== null,
  );
