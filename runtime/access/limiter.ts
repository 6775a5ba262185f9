/**
 * Limits the requests of a user, or of an anonymous caller's address (for IPv6 its network), within a time window.
 * Administrators are not limited. Counts are kept in memory, for each process.
 */
import { apiError, type ApiError } from '../../contract/errors.js';
import type { ApiRequest } from '../request/api-request.js';
import type { Access } from './access.js';
import type { Principal } from './principal.js';
import { networkOf } from '../network/ip.js';

export interface LimiterOptions {
  /** Maximum number of requests within the window. */
  readonly points: number;
  /** Length of the window in milliseconds. */
  readonly duration: number;
}

/** Wraps access so that `identify` and `admit` also count requests and throw REQUESTS_EXCEEDED above the limit. */
/** @param onLimit called with each request that is refused */
export const limitAccess = (
  access: Access,
  options: LimiterOptions,
  onLimit: () => void = () => undefined,
): Access => {
  const consume = createCounter(options, onLimit);
  const counted = new WeakSet<ApiRequest>();

  const count = (principal: Principal, request: ApiRequest): Principal => {
    if (!principal.policies.admin) consume(principal.user?.id ?? networkOf(request.address()));
    return principal;
  };

  const countFailure = (request: ApiRequest, error: unknown): never => {
    consume(networkOf(request.address()));
    throw error;
  };

  const countAsync = async (identified: Promise<Principal>, request: ApiRequest): Promise<Principal> =>
    count(await identified.catch((error: unknown) => countFailure(request, error)), request);

  /** Counts a request once, although GraphQL and retries after a change of access identify it several times. */
  const countOnce = (request: ApiRequest, identify: () => Promise<Principal> | Principal) => {
    if (counted.has(request)) return identify();
    counted.add(request);
    let identified: Promise<Principal> | Principal;
    try {
      identified = identify();
    } catch (error) {
      return countFailure(request, error);
    }
    return identified instanceof Promise ? countAsync(identified, request) : count(identified, request);
  };

  return {
    ...access,
    identify: (request) => countOnce(request, () => access.identify(request)),
    admit: async (user, request) => countOnce(request, () => access.admit(user, request)),
  };
};

const createCounter = (
  { points, duration }: LimiterOptions,
  onLimit: () => void,
): ((key: string) => void) => {
  let counts = new Map<string, { count: number }>();
  let until = 0;
  return (key) => {
    const now = Date.now();
    if (now >= until) {
      counts = new Map();
      until = now + duration;
    }
    let entry = counts.get(key);
    if (entry === undefined) counts.set(key, (entry = { count: 0 }));
    entry.count += 1;
    if (entry.count > points) {
      onLimit();
      throw apiError(
        'REQUESTS_EXCEEDED',
        { limit: points, reset: new Date(until).toISOString() },
        `more than ${points} requests in ${duration / 1000} s`,
      );
    }
  };
};

/**
 * Returns `Retry-After` and the `RateLimit` headers (draft-ietf-httpapi-ratelimit-headers) of REQUESTS_EXCEEDED, in
 * whole seconds.
 */
export const limitHeaders = ({ details }: ApiError): Readonly<Record<string, string>> => {
  const seconds = Math.max(1, Math.ceil((Date.parse(String(details.reset)) - Date.now()) / 1000));
  return {
    'retry-after': String(seconds),
    ratelimit: `"default";r=0;t=${seconds}`,
    'ratelimit-policy': `"default";q=${String(details.limit)}`,
  };
};
