/** Runs requests again whose principal was identified by access rows that have changed since. */
import { apiError } from '../../contract/errors.js';
import type { ApiRequest } from '../request/api-request.js';
import type { Access } from './access.js';
import type { User } from './policies.js';
import type { Principal } from './principal.js';

/** Thrown inside a write to roll it back when the access rows have changed since the principal was identified. */
export class StalePrincipal extends Error {}

/** Returns SERVICE_UNAVAILABLE, for a request whose principal kept changing or changed too late to retry. */
export const accessUnavailable = (): Error =>
  apiError('SERVICE_UNAVAILABLE', { service: 'access' }, 'permissions are changing; try again');

/**
 * Runs a request again, up to five times, while `run` returns null or throws `StalePrincipal`, because access
 * changed meanwhile. @throws SERVICE_UNAVAILABLE
 */
export const untilConfirmed = async <Result>(run: () => Promise<Result | null>): Promise<Result> => {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    try {
      const result = await run();
      if (result !== null) return result;
    } catch (error) {
      if (!(error instanceof StalePrincipal)) throw error;
    }
  }
  throw accessUnavailable();
};

/** Identifies the caller and confirms the result, for requests without work to overlap with the confirmation. */
export const identifyNow = (request: ApiRequest, access: Access): Promise<Principal> =>
  findConfirmed(access, async () => access.identify(request));

/** Admits a user and confirms the result. */
export const admitNow = (user: User | null, request: ApiRequest, access: Access): Promise<Principal> =>
  findConfirmed(access, () => access.admit(user, request));

const findConfirmed = (access: Access, find: () => Promise<Principal>): Promise<Principal> =>
  untilConfirmed(async () => {
    const principal = await find();
    return (await access.confirm(principal)) ? principal : null;
  });
