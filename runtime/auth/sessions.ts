/**
 * Stores sessions in `svc_sessions`. Ending a session increments the access version, so its tokens are rejected from
 * the next request on.
 */
import { randomUUID } from 'node:crypto';
import { readAddressList, requireAddress, type AddressList } from '../access/addresses.js';
import { credentialOf, rotationGrace } from '../execute/access-source.js';
import { bumpAccessVersion } from '../execute/access-version.js';
import { databaseTime } from '../execute/database-time.js';
import { deleteRows, insertRow, updateRows, type NewRow, type SystemRow } from '../execute/system-rows.js';
import type { Database } from '../databases/contract.js';
import { hashRefresh, sessionOf, type Tokens } from './tokens.js';

/** The client that started a session. */
export interface SessionOrigin {
  readonly address: string;
  readonly userAgent: string | null;
  readonly origin: string | null;
}

/** The part of a user record that authentication needs. */
export interface Account {
  readonly id: string;
  readonly email: string | null;
  readonly status: string;
  readonly provider: string;
  readonly password: string | null;
  readonly tfaSecret: string | null;
  readonly tfaStep: number;
  /** Networks from which the user may sign in; `null`: any. */
  readonly addresses: AddressList;
}

export interface Session {
  readonly id: string;
  readonly user: string;
  readonly generation: number;
  readonly created: number;
  readonly expires: number;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly origin: string | null;
}

/** A new or refreshed session with its refresh token; `null` in mode `session`. */
export interface IssuedSession {
  readonly session: Session;
  readonly refresh: string | null;
}

export interface Sessions {
  begin(account: Account, options: BeginOptions): Promise<IssuedSession>;
  /**
   * Renews the session of a refresh token and replaces the token. Returns null for an invalid or expired token; a token
   * that was already used also ends the session.
   * @throws INVALID_IP when the address is not one of the user's networks
   */
  renew(refresh: string, by: RenewOptions): Promise<IssuedSession | null>;
  /**
   * Renews a session that has only a cookie and no refresh token, by its id and generation.
   * @throws INVALID_IP when the address is not one of the user's networks
   */
  renewCookie(session: string, generation: number, by: RenewOptions): Promise<IssuedSession | null>;
  /** Ends a session, optionally only if it belongs to `user`. Returns false if no such session exists. */
  end(session: string, user?: string): Promise<boolean>;
  /** Ends all sessions of a user. */
  endAll(user: string): Promise<void>;
  /** Ends the session that a refresh token belongs to, if any. */
  endByRefresh(refresh: string): Promise<void>;
  /** Returns the active sessions of a user, newest first. */
  list(user: string): Promise<readonly Session[]>;
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
  /** Whether to issue a refresh token. */
  readonly refreshable: boolean;
}

interface SessionsOptions {
  readonly database: Database;
  readonly tokens: Pick<Tokens, 'firstRefresh' | 'nextRefresh' | 'isRefresh'>;
}

export const createSessions = ({ database, tokens }: SessionsOptions): Sessions => {
  const user = database.quote('user');
  const columns = `id, ${user}, token, previous, generation, rotated, credential, created, expires, ip, user_agent, origin`;

  const findWhere = async (condition: string, value: string): Promise<StoredSession[]> => {
    const rows = await database.query(
      `select ${columns}, (select password from svc_users where svc_users.id = svc_sessions.${user}) as password,` +
        ` (select status from svc_users where svc_users.id = svc_sessions.${user}) as status,` +
        ` (select ip_access from svc_users where svc_users.id = svc_sessions.${user}) as addresses` +
        ` from svc_sessions where ${condition} order by created desc, id`,
      [value],
    );
    return (rows as unknown as SessionAndUser[]).map(rowToStored);
  };

  const find = async (id: string): Promise<StoredSession | null> =>
    (await findWhere('id = ?', id))[0] ?? null;

  const findByRefresh = async (refresh: string): Promise<StoredSession | null> => {
    const id = sessionOf(refresh);
    return id === null ? null : find(id);
  };

  /** Updates `last_access`, without an activity record or a new access version: no permission changed. */
  const updateLastAccess = async (id: string): Promise<void> => {
    await updateRows(database, 'svc_users', {
      set: { last_access: databaseTime(new Date()) },
      where: { id },
    });
  };

  /** Replaces the token and increments the generation; concurrent calls for one generation change the row once. */
  const rotate = async (stored: StoredSession, token: string | null, expires: number): Promise<void> => {
    const { id, generation } = stored.session;
    await database.write({
      text:
        'update svc_sessions set previous = token, token = ?, generation = generation + 1, rotated = ?, expires = ?' +
        ' where id = ? and generation = ?',
      values: [token, Date.now(), expires, id, generation],
    });
    await updateLastAccess(stored.session.user);
  };

  const end: Sessions['end'] = (session, owner) =>
    database.transaction(async (executor) => {
      const affected = await deleteRows(executor, 'svc_sessions', { id: session, user: owner });
      if (affected > 0) await bumpAccessVersion(executor);
      return affected > 0;
    });

  return {
    async begin(account, { from, ttl, refreshable }) {
      const now = Date.now();
      const id = randomUUID();
      const refresh = refreshable ? await tokens.firstRefresh(id) : null;
      const row = {
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
      } satisfies NewRow<'svc_sessions'>;
      await insertRow(database, 'svc_sessions', row);
      await updateLastAccess(account.id);
      return { session: rowToSession(row), refresh };
    },

    async renew(refresh, { ttl, address }) {
      const stored = await findByRefresh(refresh);
      if (stored === null || !isAlive(stored)) return null;
      requireAddress(stored.addresses, address);
      const hash = hashRefresh(refresh);
      const isCurrent = stored.token === hash;
      if (!isCurrent && !(stored.previous === hash && isWithinGrace(stored))) {
        // without this check, anyone who knows the session id could end the session with a forged token
        if (await tokens.isRefresh(refresh)) await end(stored.session.id);
        return null;
      }
      const next = await tokens.nextRefresh(refresh);
      const expires = Date.now() + ttl;
      if (isCurrent) await rotate(stored, hashRefresh(next), expires);
      return { session: { ...stored.session, expires }, refresh: next };
    },

    async renewCookie(id, generation, { ttl, address }) {
      const stored = await find(id);
      if (stored === null || !isAlive(stored) || stored.token !== null) return null;
      requireAddress(stored.addresses, address);
      const isCurrent = stored.session.generation === generation;
      if (!isCurrent && !(stored.session.generation === generation + 1 && isWithinGrace(stored))) {
        await end(id);
        return null;
      }
      const expires = Date.now() + ttl;
      if (isCurrent) await rotate(stored, null, expires);
      return { session: { ...stored.session, generation: generation + 1, expires }, refresh: null };
    },

    end,

    endAll: (owner) =>
      database.transaction(async (executor) => {
        await deleteRows(executor, 'svc_sessions', { user: owner });
        await bumpAccessVersion(executor);
      }),

    async endByRefresh(refresh) {
      const stored = await findByRefresh(refresh);
      const hash = hashRefresh(refresh);
      if (stored !== null && (stored.token === hash || stored.previous === hash))
        await end(stored.session.id);
    },

    async list(owner) {
      const found = await findWhere(`${user} = ?`, owner);
      return found.filter(isAlive).map(({ session }) => session);
    },
  };
};

interface StoredSession {
  readonly session: Session;
  readonly token: string | null;
  readonly previous: string | null;
  readonly rotated: number;
  /** Whether the user is active and has not changed the password since the session started. */
  readonly isAccountValid: boolean;
  readonly addresses: AddressList;
}

interface SessionAndUser extends SystemRow<'svc_sessions'> {
  readonly password: string | null;
  readonly status: string;
  readonly addresses: string | null;
}

const rowToStored = (row: SessionAndUser): StoredSession => ({
  session: rowToSession(row),
  token: row.token,
  previous: row.previous,
  rotated: row.rotated ?? 0,
  addresses: readAddressList(row.addresses),
  isAccountValid: row.status === 'active' && row.credential === credentialOf(row.password),
});

const rowToSession = (row: SystemRow<'svc_sessions'>): Session => ({
  id: row.id,
  user: row.user,
  generation: row.generation,
  created: row.created,
  expires: row.expires,
  ip: row.ip,
  userAgent: row.user_agent,
  origin: row.origin,
});

const isAlive = ({ session, isAccountValid }: StoredSession): boolean =>
  isAccountValid && session.expires > Date.now();

const isWithinGrace = ({ rotated }: StoredSession): boolean => Date.now() < rotated + rotationGrace;

const truncate = (value: string | null, length: number): string | null => value?.slice(0, length) ?? null;
