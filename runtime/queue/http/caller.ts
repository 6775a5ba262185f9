/** Authenticates callers of the queue by an API key or an access token. */
import { LRUCache } from 'lru-cache';
import { admitNow, identifyNow } from '../../access/confirmation.js';
import type { Access } from '../../access/access.js';
import type { Principal } from '../../access/principal.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { ApiRequest } from '../../request/api-request.js';
import { allows, isExpired, isSecretOf, type HashSecrets } from '../requests/keys.js';
import { findById } from '../../concurrency/batch.js';
import { isId } from '../store/ids.js';
import { findActiveKeys, markUsed, type StoredKey } from '../store/keys.js';
import type { Statements } from '../../execute/system-rows.js';
import { queueError, type QueueError } from '../requests/queue-error.js';
import type { Caller } from '../requests/requests.js';

/** Services that find keys, users and their limits. */
export interface CallerOptions {
  readonly statements: Statements;
  readonly access: Access;
  readonly secrets: HashSecrets;
}

/** Returns the caller of a request. @throws as `createIdentify` */
export type Identify = (request: ApiRequest) => Promise<Caller>;

const keyHeader = /^Key +([^\s:]+):(\S+) *$/i;

/**
 * Creates the function that identifies callers, and records when keys were last used.
 * @throws 401 with the same message for every reason, REQUESTS_EXCEEDED when the rate limit is reached
 */
export const createIdentify = (options: CallerOptions): Identify => {
  const recordUse = createUseRecorder(options.statements);
  const findKey = findById((ids) => findActiveKeys(options.statements, ids));
  return async (request) => {
    const { access, secrets } = options;
    const [, id, secret] = keyHeader.exec(String(request.headers.authorization ?? '')) ?? [];
    if (id === undefined || secret === undefined)
      return toCaller(await identifyNow(request, access).catch(throwRefusal));
    const found = isId(id) ? await findKey(id) : null;
    const key = found !== null && isValid(found, secret, secrets) ? found : null;
    await admitNow(key?.user ?? null, request, access).catch(throwRefusal);
    if (key === null) throw invalidKey();
    recordUse(key);
    return {
      account: key.account,
      models: key.models,
      mayUse: (model) => model.access === 'user' && allows(key.models, model.id),
      maySee: (model) => allows(key.models, model),
    };
  };
};

const isValid = (key: StoredKey, secret: string, secrets: HashSecrets): boolean =>
  isSecretOf(key, secret, secrets) && !isExpired(key, Date.now());

const invalidKey = (): QueueError => queueError(401, 'invalid key credentials');

/** Hides the reason of a failed authentication, except for the rate limit. */
const throwRefusal = (error: unknown): never => {
  if (error instanceof ApiError && error.code === 'REQUESTS_EXCEEDED') throw error;
  throw error instanceof ApiErrors || (error instanceof ApiError && error.status < 500)
    ? invalidKey()
    : error;
};

/** Returns the caller of a token. @throws 401 without a user, 403 where one-time passwords must be set up first */
export const toCaller = ({ user, policies, needsSecondFactor }: Principal): Caller => {
  if (needsSecondFactor) throw queueError(403, 'set up one-time passwords first');
  if (user === null) throw queueError(401, 'an API key is required: Authorization: Key <id>:<secret>');
  return {
    account: user.id,
    models: null,
    mayUse: ({ access: needed }) => needed === 'user' || policies.admin,
    maySee: () => true,
  };
};

/** Milliseconds between updates of the last use of a key. */
const useInterval = 60_000;

const createUseRecorder = (statements: Statements): ((key: StoredKey) => void) => {
  const recorded = new LRUCache<string, number>({ max: 10_000 });
  return ({ id, used }) => {
    const now = Date.now();
    if (now - Math.max(used ?? 0, recorded.get(id) ?? 0) < useInterval) return;
    recorded.set(id, now);
    markUsed(statements, id, now).catch(() => recorded.delete(id));
  };
};
