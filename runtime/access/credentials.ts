/** Reads the token of a request from the Authorization header, the query string or the session cookie. */
import { ApiError, forbidden, invalidPayload } from '../../contract/errors.js';
import type { ApiRequest } from '../request/api-request.js';

export interface Credential {
  readonly token: string;
  /** Unique cache key: the Authorization header as sent, otherwise a string that cannot be a header. */
  readonly key: string;
  /** True where the token is from the session cookie, which browsers also send with cross-site requests. */
  readonly cookie: boolean;
}

export const sessionCookie = 'svc_session_token';

/** Attribute of the session cookie: the requests of other sites that browsers send it with. */
export type SameSite = 'lax' | 'strict' | 'none';

const bearerPattern = /^Bearer +(\S+) *$/i;

/**
 * Returns the credential in the header or the query parameter, otherwise in the session cookie, or null.
 * @throws INVALID_PAYLOAD for both a header and a query parameter; FORBIDDEN for a cookie on a cross-site write
 */
export const readCredential = (request: ApiRequest): Credential | null => {
  const token = readToken(request);
  if (token !== null) return { token, key: keyOf(token, request.headers.authorization), cookie: false };
  const fromCookie = readSessionCookie(request);
  if (fromCookie === null) return null;
  if (!safeMethods.has(request.method)) requireSameOrigin(request);
  return { token: fromCookie, key: keyOf(fromCookie, null), cookie: true };
};

/** Cache key of anonymous callers. */
export const anonymousKey = '\n';

/** Returns the cache key of a request whose only token is in the header, or '' if a token may be elsewhere. */
export const headerKey = ({ headers, query }: ApiRequest): string => {
  const { authorization } = headers;
  return typeof authorization === 'string' && !query.includes('access_token=') ? authorization : '';
};

const keyOf = (token: string, header: unknown): string =>
  header === `Bearer ${token}` ? header : `\n${token}`;

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'SEARCH', 'OPTIONS']);

/** Rejects a request that the browser marks as cross-site. @throws FORBIDDEN */
export const requireSameOrigin = (request: Pick<ApiRequest, 'isUntrustedOrigin'>): void => {
  if (request.isUntrustedOrigin())
    throw forbidden('session cookies are accepted only in requests from pages of this server');
};

const readToken = (request: ApiRequest): string | null => {
  const header = request.headers.authorization;
  const fromHeader = typeof header === 'string' ? (bearerPattern.exec(header)?.[1] ?? null) : null;
  if (!request.query.includes('access_token=')) return fromHeader;
  const fromQuery = new URLSearchParams(request.query).get('access_token');
  if (fromQuery === null || fromQuery === '') return fromHeader;
  if (fromHeader !== null) {
    throw invalidPayload('the request has a token in the header and in "access_token"; send only one');
  }
  return fromQuery;
};

const sessionCookiePattern = new RegExp(`(?:^|; *)${sessionCookie}=([^; ]+)`);

const readSessionCookie = ({ headers }: ApiRequest): string | null => {
  const { cookie } = headers;
  return typeof cookie === 'string' ? (sessionCookiePattern.exec(cookie)?.[1] ?? null) : null;
};

/** An error caused by the session cookie: the session has ended or its token is invalid. */
export class SessionError extends ApiError {
  constructor({ code, details, message }: ApiError) {
    super(code, details);
    this.message = message;
  }
}

/** Rethrows an error as a `SessionError` if it is an API error. */
export const toSessionError = (error: unknown): never => {
  throw error instanceof ApiError ? new SessionError(error) : error;
};

/** Returns the Set-Cookie header that deletes the session cookie if that cookie caused the error. */
export const clearedCookies = (error: unknown, sameSite: SameSite): readonly string[] =>
  error instanceof SessionError
    ? [`${sessionCookie}=; Max-Age=0; Path=/; HttpOnly; ${attributes[sameSite]}`]
    : [];

/** Attributes of cookies. Browsers ignore a cookie for other sites without `Secure`. */
const attributes: Readonly<Record<SameSite, string>> = {
  lax: 'SameSite=Lax',
  strict: 'SameSite=Strict',
  none: 'SameSite=None; Secure',
};
