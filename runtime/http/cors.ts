/** Lets pages of other origins call the API from a browser (Fetch standard, "CORS protocol"). */
import { compileOrigins, type Origins } from '../network/origins.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { addVary } from './headers.js';
import type { Responder } from './responder.js';

export interface CorsOptions {
  readonly origins: Origins;
  /** True where these pages may send cookies. */
  readonly credentials: boolean;
}

type Headers = ApiResponse['headers'];

/** Adds CORS headers to the responses of a responder, and answers preflight requests. */
export const allowOrigins = (options: CorsOptions, respond: Responder): Responder => {
  const headersOf = createOriginHeaders(options);
  return async (request) => {
    const response = await respond(request);
    const headers = headersOf(request);
    if (isPreflight(request) && 'access-control-allow-origin' in headers) {
      return { status: 204, headers: { ...headers, ...preflightHeaders(request, response) }, body: null };
    }
    return { ...response, headers: withHeaders(response.headers, headers) };
  };
};

/** Response headers that pages may read besides the CORS-safelisted ones. */
const exposedHeaders = [
  'Allow',
  'Content-Disposition',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'X-Svc-Error-Type',
  'X-Svc-Needs-Retry',
  'X-Svc-Request-Id',
  'X-Svc-Request-Timeout-Type',
  'X-Svc-Dry-Run',
  'X-Svc-Rows',
  'X-Svc-Version',
].join(', ');

const createOriginHeaders = ({ origins, credentials }: CorsOptions): ((request: ApiRequest) => Headers) => {
  const isAllowed = compileOrigins(origins);
  const anyOrigin = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposedHeaders };
  if (origins === 'all') return () => anyOrigin;
  const varyByOrigin = { vary: 'Origin' };
  return ({ headers: { origin } }) => {
    if (typeof origin !== 'string' || !isAllowed(origin)) return varyByOrigin;
    return {
      'access-control-allow-origin': origin,
      ...(credentials && { 'access-control-allow-credentials': 'true' }),
      'access-control-expose-headers': exposedHeaders,
      ...varyByOrigin,
    };
  };
};

const isPreflight = ({ method, headers }: ApiRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/** Methods allowed on unknown paths, so that pages can read the 404. */
const allMethods = 'GET, HEAD, SEARCH, POST, PUT, PATCH, DELETE, OPTIONS';

/** Seconds that browsers cache a preflight response; they apply their own maximum. */
const preflightMaxAge = '7200';

const preflightHeaders = (
  { headers }: ApiRequest,
  { headers: { allow = allMethods } }: ApiResponse,
): Headers => {
  const requested = headers['access-control-request-headers'];
  return {
    'access-control-allow-methods': allow,
    ...(typeof requested === 'string' && { 'access-control-allow-headers': requested }),
    'access-control-max-age': preflightMaxAge,
  };
};

/** Adds headers; joins the names in `Vary`. */
const withHeaders = (present: Headers, added: Headers): Headers => {
  const { vary, ...rest } = added;
  return { ...(vary === undefined ? present : addVary(present, vary)), ...rest };
};
