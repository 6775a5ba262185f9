/** What a request says about who sends it: a token in the header, in the query string or in the session cookie. */
import { ApiError, forbidden, invalidPayload } from '../../contract/errors.js';
import type { ApiRequest } from '../request/api-request.js';

export interface Credential {
  readonly token: string;
  /** Tells it from every other one: the header as it was sent, else a text that no header can be. */
  readonly key: string;
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
  if (token !== null) return { token, key: keyOf(token, request.headers.authorization), cookie: false };
  const fromCookie = readSessionCookie(request);
  if (fromCookie === null) return null;
  if (!safeMethods.has(request.method)) requireOwnPage(request);
  return { token: fromCookie, key: keyOf(fromCookie, null), cookie: true };
};

/** The key of whoever sends no token. */
export const nobodysKey = '\n';

/** What the key of the request's credential is, if it is the header: where that stands alone. */
export const peekKey = ({ headers, query }: ApiRequest): string => {
  const { authorization } = headers;
  return typeof authorization === 'string' && !query.includes('access_token=') ? authorization : '';
};

const keyOf = (token: string, header: unknown): string =>
  header === `Bearer ${token}` ? header : `\n${token}`;

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

/** What is wrong is the session cookie: its session is over, or its token was never ours. */
export class SessionError extends ApiError {
  constructor({ code, details, message }: ApiError) {
    super(code, details);
    this.message = message;
  }
}

/** For what went wrong with the token of that cookie. */
export const toSessionError = (error: unknown): never => {
  throw error instanceof ApiError ? new SessionError(error) : error;
};

/** Takes the cookie back, where it is what is wrong. */
export const endedCookies = (error: unknown): readonly string[] =>
  error instanceof SessionError ? [`${sessionCookie}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`] : [];
