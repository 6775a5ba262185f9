/**
 * Begins, renews and ends sessions. Ending a session returns when every process rejects its tokens.
 */
import { randomUUID } from 'node:crypto';
import { requireAddress } from '../access/addresses.js';
import { credentialOf, rotationGrace } from '../execute/access-source.js';
import type { SystemRow } from '../execute/system-rows.js';
import type { Database } from '../databases/contract.js';
import type { Account } from './accounts.js';
import type { AuthContext } from './context.js';
import { hashRefresh } from './refresh-tokens.js';
import {
  endSession,
  findByRefresh,
  findSession,
  findSessionsOf,
  insertSession,
  rotateSession,
  type Session,
  type StoredSession,
} from './session-store.js';

/** The client that started a session. */
export interface SessionOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly origin: string | null;
}

/** A new or refreshed session with its refresh token; `null` in mode `session`. */
export interface IssuedSession {
  readonly session: Session;
  readonly refresh: string | null;
}

interface RenewOptions {
  /** Lifetime in milliseconds. */
  readonly ttl: number;
  readonly address: string;
}

interface BeginOptions {
  readonly from: SessionOrigin;
  /** Lifetime in milliseconds. */
  readonly ttl: number;
  /** True to issue a refresh token. */
  readonly refreshable: boolean;
}

type SessionContext = Pick<AuthContext, 'database' | 'tokens'>;

/**
 * Begins a session of an account whose credentials were checked, and returns its tokens, which are stored
 * nowhere else.
 */
export const beginSession = async (
  account: Account,
  options: BeginOptions,
  { database, tokens }: SessionContext,
): Promise<IssuedSession> => {
  const id = randomUUID();
  const refresh = options.refreshable ? await tokens.firstRefresh(id) : null;
  const session = await insertSession(database, toRow({ id, account, refresh }, options));
  return { session, refresh };
};

interface NewSession {
  readonly id: string;
  readonly account: Account;
  readonly refresh: string | null;
}

const toRow = (
  { id, account, refresh }: NewSession,
  { from, ttl }: BeginOptions,
): SystemRow<'svc_sessions'> => {
  const now = Date.now();
  return {
    id,
    user: account.id,
    token: refresh === null ? null : hashRefresh(refresh),
    previous: null,
    generation: 0,
    rotated: null,
    credential: credentialOf(account.password),
    created: now,
    expires: now + ttl,
    ip: truncate(from.address, 64),
    user_agent: truncate(from.userAgent, 255),
    origin: truncate(from.origin, 255),
  };
};

/**
 * Renews the session of a refresh token and replaces the token. Returns null for an invalid or expired token; a token
 * that was already used also ends the session.
 * @throws INVALID_IP when the address is not one of the user's networks
 */
export const renewSession = async (
  refresh: string,
  { ttl, address }: RenewOptions,
  { database, tokens }: SessionContext,
): Promise<IssuedSession | null> => {
  const stored = await findByRefresh(database, refresh);
  if (stored === null || !isAlive(stored)) return null;
  requireAddress(stored.addresses, address);
  const hash = hashRefresh(refresh);
  const isCurrent = stored.token === hash;
  if (!isCurrent && !(stored.previous === hash && isWithinGrace(stored))) {
    // without this check, anyone who knows the session id could end the session with a forged token
    if (await tokens.isRefresh(refresh)) await endSession(database, stored.session.id);
    return null;
  }
  const next = await tokens.nextRefresh(refresh);
  const expires = Date.now() + ttl;
  if (isCurrent) await rotateSession(database, stored.session, { token: hashRefresh(next), expires });
  return { session: { ...stored.session, expires }, refresh: next };
};

/** The session that a session cookie names. */
export interface CookieSession {
  readonly session: string;
  /** Number of renewals when the cookie was issued. */
  readonly generation: number;
}

/**
 * Renews a session that has only a cookie and no refresh token.
 * @throws INVALID_IP when the address is not one of the user's networks
 */
export const renewCookieSession = async (
  { session: id, generation }: CookieSession,
  { ttl, address }: RenewOptions,
  database: Database,
): Promise<IssuedSession | null> => {
  const stored = await findSession(database, id);
  if (stored === null || !isAlive(stored) || stored.token !== null) return null;
  requireAddress(stored.addresses, address);
  const isCurrent = stored.session.generation === generation;
  if (!isCurrent && !(stored.session.generation === generation + 1 && isWithinGrace(stored))) {
    await endSession(database, id);
    return null;
  }
  const expires = Date.now() + ttl;
  if (isCurrent) await rotateSession(database, stored.session, { token: null, expires });
  return { session: { ...stored.session, generation: generation + 1, expires }, refresh: null };
};

/** Ends the session that a refresh token belongs to, if any. */
export const endSessionByRefresh = async (database: Database, refresh: string): Promise<void> => {
  const stored = await findByRefresh(database, refresh);
  const hash = hashRefresh(refresh);
  if (stored !== null && (stored.token === hash || stored.previous === hash))
    await endSession(database, stored.session.id);
};

/** Returns the active sessions of a user, newest first. */
export const listSessions = async (database: Database, user: string): Promise<readonly Session[]> =>
  (await findSessionsOf(database, user)).filter(isAlive).map(({ session }) => session);

const isAlive = ({ session, isAccountValid }: StoredSession): boolean =>
  isAccountValid && session.expires > Date.now();

const isWithinGrace = ({ rotated }: StoredSession): boolean => Date.now() < rotated + rotationGrace;

const truncate = (value: string | null, length: number): string | null => value?.slice(0, length) ?? null;
