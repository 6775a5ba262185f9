/** What a request says about who sends it: a token in the header, in the query string or in the session cookie. */
import { ApiError, forbidden, invalidPayload } from '../errors.js';
import type { ApiRequest } from '../request/api-request.js';

export interface Credential {
  readonly token: string;
  /** Sent by the browser by itself, whoever asked for it. */
  readonly cookie: boolean;
}

export const sessionCookie = 'svc_session_token';

const bearer = /^Bearer +(\S+) *$/i;

/**
 * Header or query parameter, never both; the cookie where neither is there.
 * @throws INVALID_PAYLOAD for two tokens at once; FORBIDDEN for a write that a page of somebody else sends by cookie
 */
export const readCredential = (request: ApiRequest): Credential | null => {
  const token = readToken(request);
  if (token !== null) return { token, cookie: false };
  const fromCookie = readSessionCookie(request);
  if (fromCookie === null) return null;
  if (!safeMethods.has(request.method)) requireOwnPage(request);
  return { token: fromCookie, cookie: true };
};

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'SEARCH', 'OPTIONS']);

/** @throws FORBIDDEN where the browser says that the request comes from a page of somebody else */
export const requireOwnPage = (request: Pick<ApiRequest, 'isForeign'>): void => {
  if (request.isForeign()) throw forbidden('cookies count only for requests from pages of this server');
};

const readToken = (request: ApiRequest): string | null => {
  const header = request.headers.authorization;
  const fromHeader = typeof header === 'string' ? (bearer.exec(header)?.[1] ?? null) : null;
  if (!request.query.includes('access_token=')) return fromHeader;
  const fromQuery = new URLSearchParams(request.query).get('access_token');
  if (fromQuery === null || fromQuery === '') return fromHeader;
  if (fromHeader !== null) {
    throw invalidPayload('a token was sent both as a header and as "access_token"; send it once');
  }
  return fromQuery;
};

const inCookies = new RegExp(`(?:^|; *)${sessionCookie}=([^; ]+)`);

const readSessionCookie = ({ headers }: ApiRequest): string | null => {
  const { cookie } = headers;
  return typeof cookie === 'string' ? (inCookies.exec(cookie)?.[1] ?? null) : null;
};

/** Whether what is wrong is the session cookie: its session is over, or its token was never ours. */
export const refusesSession = (error: unknown, request: ApiRequest): boolean =>
  error instanceof ApiError &&
  (error.status === 401 || error.code === 'INVALID_TOKEN') &&
  usesSessionCookie(request);

/** Whether the caller is known by the session cookie and nothing else. */
const usesSessionCookie = (request: ApiRequest): boolean =>
  request.headers.authorization === undefined &&
  !request.query.includes('access_token=') &&
  readSessionCookie(request) !== null;
