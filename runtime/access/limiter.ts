/** Requests of one user, else of one address (of IPv6: of its network), within a window; administrators are not counted. In memory: of one process. */
import { apiError, type ApiError } from '../../contract/errors.js';
import type { ApiRequest } from '../request/api-request.js';
import type { Access, Principal } from './access.js';
import { networkOf } from '../network/ip.js';

export interface LimiterOptions {
  /** Requests within the window. */
  readonly points: number;
  /** Length of the window in milliseconds. */
  readonly duration: number;
}

/** Counts requests by whoever they are identified as. `identify` and `admit` throw REQUESTS_EXCEEDED from then on. */
export const limitAccess = (access: Access, options: LimiterOptions): Access => {
  const take = createCounter(options);
  const counted = new WeakSet<ApiRequest>();

  const count = (principal: Principal, request: ApiRequest): Principal => {
    if (!principal.policies.admin) take(principal.user?.id ?? networkOf(request.address()));
    return principal;
  };

  const countNobody = (request: ApiRequest, error: unknown): never => {
    take(networkOf(request.address()));
    throw error;
  };

  const countLater = async (identified: Promise<Principal>, request: ApiRequest): Promise<Principal> =>
    count(await identified.catch((error: unknown) => countNobody(request, error)), request);

  /** What GraphQL runs asks again, and so does who is done once more because grants changed. */
  const countOnce = (request: ApiRequest, identify: () => Promise<Principal> | Principal) => {
    if (counted.has(request)) return identify();
    counted.add(request);
    let identified: Promise<Principal> | Principal;
    try {
      identified = identify();
    } catch (error) {
      return countNobody(request, error);
    }
    return identified instanceof Promise ? countLater(identified, request) : count(identified, request);
  };

  return {
    ...access,
    identify: (request) => countOnce(request, () => access.identify(request)),
    admit: async (user, request) => countOnce(request, () => access.admit(user, request)),
  };
};

const createCounter = ({ points, duration }: LimiterOptions): ((key: string) => void) => {
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
      throw apiError(
        'REQUESTS_EXCEEDED',
        { limit: points, reset: new Date(until).toISOString() },
        `more than ${points} requests within ${duration / 1000} s`,
      );
    }
  };
};

/** What REQUESTS_EXCEEDED says of when to come back: in whole seconds. */
export const limitHeaders = ({ details }: ApiError): Readonly<Record<string, string>> => {
  const seconds = Math.max(1, Math.ceil((Date.parse(String(details.reset)) - Date.now()) / 1000));
  return {
    'retry-after': String(seconds),
    ratelimit: `"default";r=0;t=${seconds}`,
    'ratelimit-policy': `"default";q=${String(details.limit)}`,
  };
};
