/** Reads and writes `svc_sessions`. */
import { readAddressList, type AddressList } from '../access/addresses.js';
import { credentialOf } from '../execute/access-source.js';
import { changeAccess } from '../execute/access-version.js';
import { databaseTime } from '../execute/database-time.js';
import { deleteRows, insertRow, updateRows, type SystemRow } from '../execute/system-rows.js';
import type { Database } from '../databases/contract.js';
import { sessionOf } from './refresh-tokens.js';

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

/** A session with what decides whether it may be renewed. */
export interface StoredSession {
  readonly session: Session;
  readonly token: string | null;
  readonly previous: string | null;
  readonly rotated: number;
  /** True where the user is active and has not changed the password since the session started. */
  readonly isAccountValid: boolean;
  readonly addresses: AddressList;
}

/** Stores a session, and the time as the last access of its user. */
export const insertSession = async (database: Database, row: SystemRow<'svc_sessions'>): Promise<Session> => {
  await insertRow(database, 'svc_sessions', row);
  await updateLastAccess(database, row.user);
  return rowToSession(row);
};

/** Returns the session with this id, or null if there is none. */
export const findSession = async (database: Database, id: string): Promise<StoredSession | null> =>
  (await findWhere(database, 'id = ?', id))[0] ?? null;

/** Returns the session that a refresh token names, or null; the token itself is not verified. */
export const findByRefresh = async (database: Database, refresh: string): Promise<StoredSession | null> => {
  const id = sessionOf(refresh);
  return id === null ? null : findSession(database, id);
};

/** Returns the sessions of a user, newest first. */
export const findSessionsOf = (database: Database, user: string): Promise<readonly StoredSession[]> =>
  findWhere(database, `${database.quote('user')} = ?`, user);

interface Rotation {
  /** Hash of the new refresh token; `null` for a session that has only a cookie. */
  readonly token: string | null;
  /** Unix time in milliseconds. */
  readonly expires: number;
}

/** Replaces the token and increments the generation; concurrent calls for one generation change the row once. */
export const rotateSession = async (
  database: Database,
  { id, user, generation }: Session,
  { token, expires }: Rotation,
): Promise<void> => {
  await database.write({
    text:
      'update svc_sessions set previous = token, token = ?, generation = generation + 1, rotated = ?, expires = ?' +
      ' where id = ? and generation = ?',
    values: [token, Date.now(), expires, id, generation],
  });
  await updateLastAccess(database, user);
};

/**
 * Ends a session, optionally only if it belongs to `user`; every process rejects its tokens when this returns. Returns
 * false if no such session exists.
 */
export const endSession = (database: Database, id: string, user?: string): Promise<boolean> =>
  changeAccess(database, async (executor, raise) => {
    const affected = await deleteRows(executor, 'svc_sessions', { id, user });
    if (affected > 0) await raise();
    return affected > 0;
  });

/** Updates `last_access`, without an activity record or a new access version: no permission changed. */
export const updateLastAccess = async (database: Database, id: string): Promise<void> => {
  const set = { last_access: databaseTime(new Date()) };
  await updateRows(database, 'svc_users', { set, where: { id } });
};

interface SessionAndUser extends SystemRow<'svc_sessions'> {
  readonly password: string | null;
  readonly status: string;
  readonly addresses: string | null;
}

const findWhere = async (database: Database, condition: string, value: string): Promise<StoredSession[]> => {
  const user = database.quote('user');
  const ofUser = (column: string): string =>
    `(select ${column} from svc_users where svc_users.id = svc_sessions.${user})`;
  const rows = await database.query(
    `select id, ${user}, token, previous, generation, rotated, credential, created, expires, ip, user_agent, origin,` +
      ` ${ofUser('password')} as password, ${ofUser('status')} as status, ${ofUser('ip_access')} as addresses` +
      ` from svc_sessions where ${condition} order by created desc, id`,
    [value],
  );
  return (rows as unknown as SessionAndUser[]).map(rowToStored);
};

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
