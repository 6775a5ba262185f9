/** Authenticates callers of the queue by an API key or an access token. */
import { LRUCache } from 'lru-cache';
import { admitNow, identifyNow, type Access, type Principal } from '../../access/access.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import type { QueueModelDeclaration } from '../../../contract/queue-model.js';
import type { ApiRequest } from '../../request/api-request.js';
import { allows, isExpired, isSecretOf, type HashSecrets } from '../requests/keys.js';
import { findById } from '../../concurrency/batch.js';
import { isId } from '../store/ids.js';
import { findActiveKeys, markUsed, type StoredKey } from '../store/keys.js';
import type { Statements } from '../../execute/system-rows.js';
import { refuse, type Refused } from './wire.js';

/** An authenticated caller; requests belong to the account (the user), whichever key was used. */
export interface Caller {
  readonly account: string;
  mayUse(model: QueueModelDeclaration): boolean;
  /** Whether the caller may see requests of the model with this id, which may have been removed. */
  maySee(model: string): boolean;
}

export interface CallerOptions {
  readonly statements: Statements;
  readonly access: Access;
  readonly secrets: HashSecrets;
}

export type Identify = (request: ApiRequest) => Promise<Caller>;

const header = /^Key +([^\s:]+):(\S+) *$/i;

/** @throws 401 with the same message for every reason, REQUESTS_EXCEEDED when the rate limit is reached */
export const createIdentify = (options: CallerOptions): Identify => {
  const noteUse = createUseNotes(options.statements);
  const findKey = findById((ids) => findActiveKeys(options.statements, ids));
  return async (request) => {
    const { access, secrets } = options;
    const [, id, secret] = header.exec(String(request.headers.authorization ?? '')) ?? [];
    if (id === undefined || secret === undefined)
      return toCaller(await identifyNow(request, access).catch(throwRefusal));
    const found = isId(id) ? await findKey(id) : null;
    const key = found !== null && isGood(found, secret, secrets) ? found : null;
    await admitNow(key?.user ?? null, request, access).catch(throwRefusal);
    if (key === null) throw unknown();
    noteUse(key);
    return {
      account: key.account,
      mayUse: (model) => model.access === 'user' && allows(key.models, model.id),
      maySee: (model) => allows(key.models, model),
    };
  };
};

const isGood = (key: StoredKey, secret: string, secrets: HashSecrets): boolean =>
  isSecretOf(key, secret, secrets) && !isExpired(key, Date.now());

const unknown = (): Refused => refuse(401, 'invalid key credentials');

/** Hides the reason of a failed authentication, except for the rate limit. */
const throwRefusal = (error: unknown): never => {
  if (error instanceof ApiError && error.code === 'REQUESTS_EXCEEDED') throw error;
  throw error instanceof ApiErrors || (error instanceof ApiError && error.status < 500) ? unknown() : error;
};

/** Returns the caller of a token. @throws 401 without a user, 403 when TFA must be enabled first */
export const toCaller = ({ user, policies, pending }: Principal): Caller => {
  if (pending) throw refuse(403, 'one-time passwords have to be turned on first');
  if (user === null) throw refuse(401, 'a key is needed: Authorization: Key <id>:<secret>');
  return {
    account: user.id,
    mayUse: ({ access: needed }) => needed === 'user' || policies.admin,
    maySee: () => true,
  };
};

/** Milliseconds between updates of the last use of a key. */
const useInterval = 60_000;

const createUseNotes = (statements: Statements): ((key: StoredKey) => void) => {
  const noted = new LRUCache<string, number>({ max: 10_000 });
  return ({ id, used }) => {
    const now = Date.now();
    if (now - Math.max(used ?? 0, noted.get(id) ?? 0) < useInterval) return;
    noted.set(id, now);
    markUsed(statements, id, now).catch(() => noted.delete(id));
  };
};
