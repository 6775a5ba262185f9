/** Rejects changes by users to the identity and permission fields of their own user record. */
import type { Collection } from '../../contract/collection.js';
import { forbidden, invalidPayload } from '../../contract/errors.js';
import type { Key } from '../plan/write-plan.js';
import type { ItemContext } from './context.js';

const ownRights: ReadonlySet<string> = new Set([
  'auth_data',
  'external_identifier',
  'ip_access',
  'policies',
  'provider',
  'role',
  'status',
  'token',
]);

/** @throws FORBIDDEN, INVALID_PAYLOAD */
export const refuseOwnRights = (payload: unknown): void => {
  const names = Object.keys(payload ?? {});
  const refused = names.find((name) => ownRights.has(name));
  if (refused !== undefined) throw forbidden(`nobody changes the own "${refused}"`);
  if (names.includes('tfa_secret')) throw invalidPayload('the second factor is changed by /users/me/tfa');
};

/**
 * The same where the caller's own row is one of `keys`. Not for administrators: they may name themselves as they may
 * anybody, and one of them stays anyway.
 * @throws FORBIDDEN, INVALID_PAYLOAD
 */
export const refuseOwnRow = (
  { name }: Collection,
  { keys, payload }: { readonly keys: readonly Key[]; readonly payload: unknown },
  { principal: { user, policies } }: Pick<ItemContext, 'principal'>,
): void => {
  if (name !== 'svc_users' || user === null || policies.admin) return;
  // keys are read in lower case, and some databases find them in any
  const own = user.id.toLowerCase();
  if (keys.some(([id]) => id === own)) refuseOwnRights(payload);
};
