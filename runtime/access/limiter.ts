/**
 * Limits the requests of a user, or of an anonymous caller's address (for IPv6 its network), within a time window.
 * Administrators are not limited. Counts are kept in memory; the processes of a host tell each other what they count.
 */
import { LRUCache } from 'lru-cache';
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
  /** Shares counts with the other processes of the host; absent where there is none. */
  readonly shared?: SharedCounts;
}

/** Counts of one process, or sums over all others, in a window. */
export interface WindowCounts {
  /** Unix time in milliseconds at which the window ends. */
  readonly until: number;
  readonly counts: readonly (readonly [key: string, count: number])[];
}

export interface SharedCounts {
  /** Reports the counts of this process that have changed. */
  report(counted: WindowCounts): void;
  /** Sets what is called with sums of the counts of all other processes. */
  subscribe(take: (counted: WindowCounts) => void): void;
}

/** Maximum number of callers that are counted in a window; the one that has not called for the longest time is forgotten. */
export const maxCallers = 50_000;

/** Milliseconds after which counts are reported, and by which a limit may be reached late. */
const reportInterval = 50;

/**
 * Wraps access so that `identify` and `admit` also count requests and throw REQUESTS_EXCEEDED above the limit.
 * @param onLimit called with each request that is refused
 */
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

/** Counts of a caller: those of this process, and those of the others. */
interface Counts {
  own: number;
  others: number;
}

const createCounter = (
  { points, duration, shared }: LimiterOptions,
  onLimit: () => void,
): ((key: string) => void) => {
  const all = new LRUCache<string, Counts>({ max: maxCallers });
  let until = 0;
  /** Returns whether a window is open; one that ends later than any can was begun before the clock was set back. */
  const isOpen = (end: number, now: number): boolean => now < end && end <= now + duration;
  const begin = (end: number): void => {
    all.clear();
    until = end;
  };
  const countsOf = (key: string): Counts => {
    let counts = all.get(key);
    if (counts === undefined) all.set(key, (counts = { own: 0, others: 0 }));
    return counts;
  };
  const report =
    shared === undefined
      ? () => undefined
      : createReporter(shared, () => ({ until, ownOf: (key) => all.peek(key)?.own ?? 0 }));
  shared?.subscribe((counted) => {
    const now = Date.now();
    if (!isOpen(counted.until, now)) return;
    if (!isOpen(until, now)) begin(counted.until);
    // windows that began apart end together
    until = Math.min(until, counted.until);
    for (const [key, others] of counted.counts) countsOf(key).others = others;
  });
  return (key) => {
    const now = Date.now();
    if (!isOpen(until, now)) begin(now + duration);
    const counts = countsOf(key);
    counts.own += 1;
    report(key);
    if (counts.own + counts.others > points) {
      onLimit();
      throw apiError(
        'REQUESTS_EXCEEDED',
        { limit: points, reset: new Date(until).toISOString() },
        `more than ${points} requests in ${duration / 1000} s`,
      );
    }
  };
};

/** Returns a function that has the count of a key reported, together with others. */
const createReporter = (
  shared: SharedCounts,
  current: () => { readonly until: number; ownOf(key: string): number },
): ((key: string) => void) => {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  const send = (): void => {
    timer = null;
    const { until, ownOf } = current();
    shared.report({ until, counts: [...changed].map((key) => [key, ownOf(key)] as const) });
    changed.clear();
  };
  return (key) => {
    changed.add(key);
    timer ??= setTimeout(send, reportInterval).unref();
  };
};

/**
 * Returns `Retry-After` and the `RateLimit` headers (draft-ietf-httpapi-ratelimit-headers) of REQUESTS_EXCEEDED, in
 * whole seconds; none where it is not a limit of time.
 */
export const limitHeaders = ({ details }: ApiError): Readonly<Record<string, string>> => {
  if (details.reset === undefined) return {};
  const seconds = Math.max(1, Math.ceil((Date.parse(String(details.reset)) - Date.now()) / 1000));
  return {
    'retry-after': String(seconds),
    ratelimit: `"default";r=0;t=${seconds}`,
    'ratelimit-policy': `"default";q=${String(details.limit)}`,
  };
};
