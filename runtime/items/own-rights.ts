/** Rejects changes by users to the identity and permission fields of their own user record. */
import type { Collection } from '../../contract/collection.js';
import { forbidden, invalidPayload } from '../../contract/errors.js';
import type { KeyList } from '../execute/key-list.js';
import type { Key } from '../plan/write-plan.js';
import type { ItemContext } from './context.js';

const protectedFields: ReadonlySet<string> = new Set([
  'auth_data',
  'external_identifier',
  'ip_access',
  'policies',
  'provider',
  'role',
  'status',
  'token',
]);

const batchSize = 1_000;

/** Rejects a payload that changes a protected field. @throws FORBIDDEN, INVALID_PAYLOAD */
export const rejectOwnIdentity = (payload: unknown): void => rejectProtected(Object.keys(payload ?? {}));

const rejectProtected = (names: readonly string[]): void => {
  const refused = names.find((name) => protectedFields.has(name));
  if (refused !== undefined) throw forbidden(`you cannot change your own "${refused}"`);
  if (names.includes('tfa_secret')) throw invalidPayload('use /users/me/tfa to change the second factor');
};

/**
 * Rejects such a payload if the caller's own row is one of `keys`. Does not apply to administrators, who can change any
 * user; that one administrator remains is checked separately.
 * @throws FORBIDDEN, INVALID_PAYLOAD
 */
export const rejectOwnRow = (
  { name }: Collection,
  { keys, payload }: { readonly keys: KeyList; readonly payload: unknown },
  { principal: { user, policies } }: Pick<ItemContext, 'principal'>,
): void => {
  if (name !== 'svc_users' || user === null || policies.admin) return;
  for (const part of keys.chunks(batchSize)) if (includesUser(part, user.id)) rejectOwnIdentity(payload);
};

/** Rejects protected fields of the caller's own row that a write of another row changes. @throws as `rejectOwnRow` */
export const rejectOwnFields = (
  keys: readonly Key[],
  fields: readonly string[],
  { principal: { user } }: Pick<ItemContext, 'principal'>,
): void => {
  if (user !== null && includesUser(keys, user.id)) rejectProtected(fields);
};

/** Compares in lower case, because some databases ignore the case of UUIDs. */
const includesUser = (keys: readonly Key[], id: string): boolean =>
  keys.some(([key]) => String(key).toLowerCase() === id.toLowerCase());
