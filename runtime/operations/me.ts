/** Handlers of `spec/operations/me.yaml`. */
import { untilConfirmed, type Principal } from '../access/access.js';
import { allowedActions, summarizePermissions, type AllowedActions } from '../access/summary.js';
import type { Operations } from '../../generated/server/operations.js';
import type { Collection } from '../../contract/collection.js';
import { ApiError, forbidden } from '../../contract/errors.js';
import { createContext, type ItemContext } from '../items/context.js';
import { ownId, readOwn, updateOwn } from '../items/own.js';
import { findRowPermissions } from '../items/row-locks.js';
import { parseQuery } from '../request/query.js';
import { clientOf, type OperationContext } from './context.js';
import type { OperationServices } from './services.js';

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

export const createMeOperations = (services: OperationServices): MeOperations => {
  const users = services.registry.collections.get('svc_users') as Collection;

  const openItemContext = async (context: OperationContext): Promise<ItemContext> =>
    createContext(services, await context.principal(), clientOf(context));

  const actionsOf = async (
    name: string,
    key: string | null,
    context: OperationContext,
  ): Promise<{ data: AllowedActions }> => {
    const item = await openItemContext(context);
    const collection = services.registry.collections.get(name);
    const policies = item.principal.policies;
    if (collection === undefined || !isKnown(collection, item.principal)) {
      throw forbidden(`the collection "${name}" does not exist or may not be used this way`);
    }
    const allowed = allowedActions(collection, policies);
    if (key === null) return { data: allowed };
    // a key with one column may contain commas
    const parts = collection.key.length === 1 ? [key] : key.split(',');
    const permitted = await findRowPermissions(collection, parts, item);
    return {
      data: {
        ...allowed,
        update: permitted.update ? allowed.update : { access: false },
        delete: permitted.delete ? allowed.delete : { access: false },
      },
    };
  };

  return {
    async usersMe(_input, context) {
      const item = await openItemContext(context);
      try {
        const rows = await readOwn({ collection: users, parsed: parseQuery(context.query) }, item);
        return { data: JSON.parse(rows.bytes.toString()) };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'FORBIDDEN') return { data: { id: ownId(item) } };
        throw error;
      }
    },

    updateUsersMe: ({ body }, context) =>
      untilConfirmed(async () => {
        const target = { collection: users, parsed: parseQuery(context.query) };
        const item = createContext(services, await context.renew(), clientOf(context));
        const rows = await updateOwn(target, body, item);
        return 'reason' in rows
          ? { status: 204 as const, body: undefined }
          : { status: 200 as const, body: { data: JSON.parse(rows.bytes.toString()) } };
      }),

    async rolesMe(_input, context) {
      return { data: [...(await context.principal()).roles] };
    },

    async policiesMeGlobals(_input, context) {
      const { user, policies, records, needsSecondFactor } = await context.principal();
      const own = policies.ids.map((id) => records.policies.get(id));
      const isSet = (column: string): boolean => own.some((columns) => Number(columns?.[column] ?? 0) === 1);
      const app = policies.admin || isSet('app_access');
      if (user === null) return { data: { app_access: app } };
      return {
        data: {
          app_access: app,
          admin_access: policies.admin,
          enforce_tfa: needsSecondFactor || policies.requiresSecondFactor,
        },
      };
    },

    async permissionsMe(_input, context) {
      const { policies } = await context.principal();
      return { data: summarizePermissions(policies, services.registry) };
    },

    permissionsMeCollection: ({ collection }, context) => actionsOf(collection, null, context),

    permissionsMeItem: ({ collection, key }, context) => actionsOf(collection, key, context),
  };
};

/** Returns true if the caller has any permission on the collection, and so may know that it exists. */
const isKnown = (collection: Collection, { policies }: Principal): boolean =>
  (['read', 'create', 'update', 'delete'] as const).some(
    (action) => policies.grant(collection, action) !== null,
  );
