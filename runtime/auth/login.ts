/** Implements login, refresh and logout, independent of HTTP. */
import { requireAddress } from '../access/addresses.js';
import { networkOf } from '../network/ip.js';
import { apiError } from '../../contract/errors.js';
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';
import { verifyPassword } from './passwords/hash.js';
import { findByEmail } from './accounts.js';
import type { Attempts } from './attempts.js';
import { acceptCode } from './one-time.js';
import type { Account, IssuedSession, SessionOrigin, Sessions } from './sessions.js';
import type { Tokens } from './tokens.js';

/**
 * How tokens are returned: `json`: both in the body; `cookie`: the refresh token in a cookie; `session`: a single token
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

export interface Authentication {
  /**
   * Verifies credentials and starts a session.
   * @throws INVALID_CREDENTIALS, the same for every cause; INVALID_OTP; INVALID_IP; REQUESTS_EXCEEDED
   */
  login(credentials: Credentials, mode: Mode, from: SessionOrigin): Promise<IssuedTokens>;
  /** Starts a session for a user who is already authenticated. @throws INVALID_IP */
  begin(account: Account, mode: Mode, from: SessionOrigin): Promise<IssuedTokens>;
  /**
   * Renews a session.
   * @param token the refresh token; in mode `session` the token in the cookie
   * @throws INVALID_CREDENTIALS, INVALID_IP
   */
  refresh(token: string, mode: Mode, from: Pick<SessionOrigin, 'address'>): Promise<IssuedTokens>;
  /** Ends the session of a token; does nothing if it no longer exists. */
  logout(token: string, mode: Mode): Promise<void>;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly otp?: string;
}

export interface AuthenticationOptions {
  readonly database: Database;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly ttls: Config['auth'];
}

export const createAuthentication = (options: AuthenticationOptions): Authentication => {
  const { database, tokens, sessions, attempts, ttls } = options;

  const lifetime = (mode: Mode): number => (mode === 'session' ? ttls.sessionTtl : ttls.refreshTtl);

  const issueTokens = async ({ session, refresh }: IssuedSession, mode: Mode): Promise<IssuedTokens> => {
    const expires = Math.min(mode === 'session' ? ttls.sessionTtl : ttls.accessTtl, lifetime(mode));
    const access = await tokens.signAccess({
      user: session.user,
      session: session.id,
      generation: mode === 'session' ? session.generation : null,
      expires: Date.now() + expires,
    });
    return { access, refresh, expires, sessionTtl: lifetime(mode) };
  };

  const begin: Authentication['begin'] = async (account, mode, from) => {
    requireAddress(account.addresses, from.address);
    const ttl = lifetime(mode);
    return issueTokens(await sessions.begin(account, { from, ttl, refreshable: mode !== 'session' }), mode);
  };

  /** Returns the account of the credentials. Takes the same time and throws the same error whatever is wrong. */
  const authenticate = async ({ email, password, otp }: Credentials, address: string): Promise<Account> => {
    const account = await findByEmail(database, email);
    const isRight = await verifyPassword(account?.password ?? null, password, networkOf(address));
    if (account === null || !isRight || account.status !== 'active' || account.provider !== 'default') {
      throw apiError('INVALID_CREDENTIALS', {});
    }
    if (account.tfaSecret !== null && !(await acceptCode({ database, attempts }, account, otp ?? ''))) {
      throw apiError('INVALID_OTP', {});
    }
    return account;
  };

  /** Reads the claims of a session cookie; null if the token is invalid, expired, or not a cookie's. */
  const readCookie = async (token: string) => {
    const claims = await tokens.readClaims(token).catch(() => null);
    return claims?.generation === undefined || claims.generation === null
      ? null
      : { session: claims.session, generation: claims.generation };
  };

  return {
    async login(credentials, mode, from) {
      const attempt = { kind: 'login', account: credentials.email, address: from.address } as const;
      return begin(await attempts.guard(attempt, () => authenticate(credentials, from.address)), mode, from);
    },
    begin,
    async refresh(token, mode, { address }) {
      const renewal = { ttl: lifetime(mode), address };
      const cookie = mode === 'session' ? await readCookie(token) : null;
      const renewed =
        cookie === null
          ? await sessions.renew(token, renewal)
          : await sessions.renewCookie(cookie.session, cookie.generation, renewal);
      if (renewed === null) throw apiError('INVALID_CREDENTIALS', {});
      return issueTokens(renewed, mode);
    },
    async logout(token, mode) {
      const cookie = mode === 'session' ? await readCookie(token) : null;
      if (cookie !== null) await sessions.end(cookie.session);
      else await sessions.endByRefresh(token);
    },
  };
};
