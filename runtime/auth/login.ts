/** Login, refresh and logout, free of HTTP: what is asked for and what is given. */
import { requireAddress } from '../access/addresses.js';
import { networkOf } from '../network/ip.js';
import { apiError } from '../../contract/errors.js';
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';
import { verifyPassword } from './passwords/hash.js';
import { findByEmail } from './accounts.js';
import type { Attempts } from './attempts.js';
import { acceptCode } from './one-time.js';
import type { Account, Renewed, SessionOrigin, Sessions } from './sessions.js';
import type { Tokens } from './tokens.js';

/** Where tokens go: both into the body; the refresh token into a cookie; one token, into a cookie. */
export type Mode = 'json' | 'cookie' | 'session';

/** What a login or refresh gives. */
export interface Given {
  readonly access: string;
  /** `null`: the access token is all there is. */
  readonly refresh: string | null;
  /** Milliseconds until the access token expires. */
  readonly expires: number;
  /** Milliseconds until the login ends unless it is refreshed. */
  readonly lasts: number;
}

export interface Authentication {
  /** @throws INVALID_CREDENTIALS, whoever it was and whatever was wrong; INVALID_OTP; INVALID_IP; REQUESTS_EXCEEDED */
  login(credentials: Credentials, mode: Mode, from: SessionOrigin): Promise<Given>;
  /** For whoever has proved who they are already. @throws INVALID_IP */
  begin(account: Account, mode: Mode, from: SessionOrigin): Promise<Given>;
  /** @param token a refresh token, or in mode `session` the token of the cookie. @throws INVALID_CREDENTIALS, INVALID_IP */
  refresh(token: string, mode: Mode, from: Pick<SessionOrigin, 'address'>): Promise<Given>;
  /** Nothing where there is no such session any more. */
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

  const give = async ({ session, refresh }: Renewed, mode: Mode): Promise<Given> => {
    const expires = Math.min(mode === 'session' ? ttls.sessionTtl : ttls.accessTtl, lifetime(mode));
    const access = await tokens.signAccess({
      user: session.user,
      session: session.id,
      generation: mode === 'session' ? session.generation : null,
      expires: Date.now() + expires,
    });
    return { access, refresh, expires, lasts: lifetime(mode) };
  };

  const begin: Authentication['begin'] = async (account, mode, from) => {
    requireAddress(account.addresses, from.address);
    const ttl = lifetime(mode);
    return give(await sessions.begin(account, { from, ttl, refreshable: mode !== 'session' }), mode);
  };

  /** Takes as long, and says the same, whatever is wrong. */
  const prove = async ({ email, password, otp }: Credentials, address: string): Promise<Account> => {
    const account = await findByEmail(database, email);
    const isRight = await verifyPassword(account?.password ?? null, password, networkOf(address));
    if (account === null || !isRight || account.status !== 'active' || account.provider !== 'default') {
      throw apiError('INVALID_CREDENTIALS', {});
    }
    if (account.tfaSecret !== null && !(await acceptCode(database, account, otp ?? ''))) {
      throw apiError('INVALID_OTP', {});
    }
    return account;
  };

  /** The claims of a session cookie, also of one that has just expired or been renewed. */
  const readCookie = async (token: string) => {
    const claims = await tokens.readClaims(token).catch(() => null);
    return claims?.generation === undefined || claims.generation === null
      ? null
      : { session: claims.session, generation: claims.generation };
  };

  return {
    async login(credentials, mode, from) {
      const attempt = { kind: 'login', account: credentials.email, address: from.address } as const;
      return begin(await attempts.guard(attempt, () => prove(credentials, from.address)), mode, from);
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
      return give(renewed, mode);
    },
    async logout(token, mode) {
      const cookie = mode === 'session' ? await readCookie(token) : null;
      if (cookie !== null) await sessions.end(cookie.session);
      else await sessions.endByRefresh(token);
    },
  };
};
