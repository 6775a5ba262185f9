/** Implements login, refresh and logout, independent of HTTP. */
import { requireAddress } from '../access/addresses.js';
import { networkOf } from '../network/ip.js';
import { apiError } from '../../contract/errors.js';
import { verifyPassword } from './passwords/hash.js';
import { findByEmail, type Account } from './accounts.js';
import type { AuthContext } from './context.js';
import { acceptCode } from './one-time-codes.js';
import { endSession } from './session-store.js';
import {
  beginSession,
  endSessionByRefresh,
  renewCookieSession,
  renewSession,
  type CookieSession,
  type IssuedSession,
  type SessionOrigin,
} from './sessions.js';

/**
 * The way in which tokens are returned. `json`: both in the body; `cookie`: the refresh token in a cookie; `session`: a single token
 * in a cookie.
 */
export type Mode = 'json' | 'cookie' | 'session';

/** The tokens that a login or refresh returns. */
export interface IssuedTokens {
  readonly access: string;
  /** `null` in mode `session`. */
  readonly refresh: string | null;
  /** Milliseconds until the access token expires. */
  readonly expires: number;
  /** Milliseconds until the session ends if it is not refreshed. */
  readonly sessionTtl: number;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly otp?: string;
}

/** The form in which the tokens of a login are returned, and their recipient. */
export interface LoginOptions {
  readonly mode: Mode;
  readonly from: SessionOrigin;
}

/**
 * Verifies credentials and starts a session.
 * @throws INVALID_CREDENTIALS, the same for every cause; INVALID_OTP; INVALID_IP; REQUESTS_EXCEEDED
 */
export const logIn = async (
  credentials: Credentials,
  options: LoginOptions,
  context: AuthContext,
): Promise<IssuedTokens> => {
  const { address } = options.from;
  const attempt = { kind: 'login', account: credentials.email, address } as const;
  const verify = () => authenticate(context, credentials, address);
  return logInAccount(await context.attempts.guard(attempt, verify), options, context);
};

/** Starts a session for a user who is already authenticated. @throws INVALID_IP */
export const logInAccount = async (
  account: Account,
  { mode, from }: LoginOptions,
  context: AuthContext,
): Promise<IssuedTokens> => {
  requireAddress(account.addresses, from.address);
  const ttl = lifetime(mode, context);
  const issued = await beginSession(account, { from, ttl, refreshable: mode !== 'session' }, context);
  return issueTokens(issued, mode, context);
};

/**
 * Renews a session.
 * @param token the refresh token; in mode `session` the token in the cookie
 * @throws INVALID_CREDENTIALS, INVALID_IP
 */
export const refreshLogin = async (
  token: string,
  { mode, address }: { readonly mode: Mode; readonly address: string },
  context: AuthContext,
): Promise<IssuedTokens> => {
  const renewal = { ttl: lifetime(mode, context), address };
  const cookie = mode === 'session' ? await readCookie(token, context) : null;
  const renewed =
    cookie === null
      ? await renewSession(token, renewal, context)
      : await renewCookieSession(cookie, renewal, context.database);
  if (renewed === null) throw apiError('INVALID_CREDENTIALS', {});
  return issueTokens(renewed, mode, context);
};

/** Ends the session of a token; does nothing if it no longer exists. */
export const logOut = async (token: string, mode: Mode, context: AuthContext): Promise<void> => {
  const { database } = context;
  const cookie = mode === 'session' ? await readCookie(token, context) : null;
  if (cookie !== null) await endSession(database, cookie.session);
  else await endSessionByRefresh(database, token);
};

/** Returns the account of the credentials. Takes the same time and throws the same error for any fault. */
const authenticate = async (
  context: AuthContext,
  { email, password, otp }: Credentials,
  address: string,
): Promise<Account> => {
  const account = await findByEmail(context.database, email);
  const isRight = await verifyPassword(account?.password ?? null, password, networkOf(address));
  if (account === null || !isRight || account.status !== 'active' || account.provider !== 'default') {
    throw apiError('INVALID_CREDENTIALS', {});
  }
  if (account.tfaSecret !== null && !(await acceptCode(context, account, otp ?? ''))) {
    throw apiError('INVALID_OTP', {});
  }
  return account;
};

const lifetime = (mode: Mode, { settings }: AuthContext): number =>
  mode === 'session' ? settings.sessionTtl : settings.refreshTtl;

const issueTokens = async (
  { session, refresh }: IssuedSession,
  mode: Mode,
  context: AuthContext,
): Promise<IssuedTokens> => {
  const { settings, tokens } = context;
  const sessionTtl = lifetime(mode, context);
  const expires = Math.min(mode === 'session' ? settings.sessionTtl : settings.accessTtl, sessionTtl);
  const access = await tokens.signAccess({
    user: session.user,
    session: session.id,
    generation: mode === 'session' ? session.generation : null,
    expires: Date.now() + expires,
  });
  return { access, refresh, expires, sessionTtl };
};

/** Reads the claims of a session cookie; null if the token is invalid, expired, or not a cookie's. */
const readCookie = async (token: string, { tokens }: AuthContext): Promise<CookieSession | null> => {
  const claims = await tokens.readClaims(token).catch(() => null);
  return claims?.generation === undefined || claims.generation === null
    ? null
    : { session: claims.session, generation: claims.generation };
};
