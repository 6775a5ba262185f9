/** Lets pages of other origins call the API from a browser (Fetch standard, "CORS protocol"). */
import { compileOrigins, type Origins } from '../network/origins.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { addVary } from './headers.js';
import type { Responder } from './respond.js';

export interface CorsOptions {
  readonly origins: Origins;
  /** Lets these pages send cookies and read the answers. */
  readonly credentials: boolean;
}

type Headers = ApiResponse['headers'];

/** Adds the headers of CORS to the answers of a responder, and turns answers to preflights into consent. */
export const allowOrigins = (options: CorsOptions, answer: Responder): Responder => {
  const headersOf = createOriginHeaders(options);
  return async (request) => {
    const response = await answer(request);
    const headers = headersOf(request);
    if (isPreflight(request) && 'access-control-allow-origin' in headers) {
      return { status: 204, headers: { ...headers, ...consentTo(request, response) }, body: null };
    }
    return { ...response, headers: withHeaders(response.headers, headers) };
  };
};

/** Headers that pages may read beside those that every page may. */
const exposed = [
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
  'X-Svc-Rows',
  'X-Svc-Version',
].join(', ');

const createOriginHeaders = ({ origins, credentials }: CorsOptions): ((request: ApiRequest) => Headers) => {
  const isAllowed = compileOrigins(origins);
  const everybody = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed };
  if (origins === 'all') return () => everybody;
  const varying = { vary: 'Origin' };
  return ({ headers: { origin } }) => {
    if (typeof origin !== 'string' || !isAllowed(origin)) return varying;
    return {
      'access-control-allow-origin': origin,
      ...(credentials && { 'access-control-allow-credentials': 'true' }),
      'access-control-expose-headers': exposed,
      ...varying,
    };
  };
};

const isPreflight = ({ method, headers }: ApiRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/** Of a path that is not served: its answer says so, which the page can read then. */
const anyMethod = 'GET, HEAD, SEARCH, POST, PUT, PATCH, DELETE, OPTIONS';

/** Seconds that browsers keep the consent; they cap it themselves. */
const consentAge = '7200';

const consentTo = ({ headers }: ApiRequest, { headers: { allow = anyMethod } }: ApiResponse): Headers => {
  const asked = headers['access-control-request-headers'];
  return {
    'access-control-allow-methods': allow,
    ...(typeof asked === 'string' && { 'access-control-allow-headers': asked }),
    'access-control-max-age': consentAge,
  };
};

/** Adds headers; the names in `Vary` add up. */
const withHeaders = (present: Headers, added: Headers): Headers => {
  const { vary, ...rest } = added;
  return { ...(vary === undefined ? present : addVary(present, vary)), ...rest };
};
