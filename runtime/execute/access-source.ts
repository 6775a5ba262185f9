/** Reads users, sessions and policies from the system tables. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccessSource, TokenClaims } from '../access/access.js';
import type { Holder } from '../access/principal.js';
import type { AccessRows, User } from '../access/policies.js';
import { apiError } from '../../contract/errors.js';
import type { Executor, RowLayout } from '../databases/contract.js';
import { findRow, findRows } from './system-rows.js';

export interface AccessSourceOptions {
  readonly executor: Executor;
  /** Reads the access version; see `Database.reserved`. */
  readonly reserved: Executor;
  /**
   * Returns the claims of an access token or session cookie, or null for other tokens. @throws INVALID_TOKEN,
   * TOKEN_EXPIRED
   */
  readClaims(token: string): Promise<TokenClaims | null>;
  /** Returns the forms in which a static token may be stored. */
  storedForms(token: string): Promise<readonly string[]>;
  /** Called whenever the holder of a static token is read, which every change of access makes necessary. */
  noteUse(user: User): void;
}

/**
 * Creates the reads of access. The version is read by `reserved`, so that it never waits for a connection of
 * the pool.
 */
export const createAccessSource = ({
  executor,
  reserved,
  readClaims,
  ...tokens
}: AccessSourceOptions): AccessSource => ({
  loadRows: () => loadRows(executor),
  async findHolder(token) {
    const claims = await readClaims(token);
    return claims === null ? findByToken(executor, token, tokens) : findBySession(claims, executor);
  },
  readVersion: () => readVersion(reserved),
});

const versionStatement = { text: 'select version from svc_access_version', values: [] };
const versionLayout: RowLayout = {
  tokens: [{ kind: 'value', field: { name: 'version', type: 'integer' } }],
  keyColumns: 0,
  limit: 1,
};

const readVersion = async (executor: Executor): Promise<string> => {
  const { rows } = await executor.rows(versionStatement, versionLayout);
  return rows.bytes.toString('latin1');
};

/**
 * Loads the access rows. The version is read first: rows that change meanwhile have a later version and are
 * loaded again. Roles and policies have the columns that a team added too, since rules may name them.
 */
export const loadRows = async (executor: Executor): Promise<AccessRows> => {
  const version = await readVersion(executor);
  const [roles, policies, access, permissions] = await Promise.all([
    executor.query('select * from svc_roles order by id'),
    executor.query('select * from svc_policies order by id'),
    executor.query(
      `select policy, role, ${executor.quote('user')} from svc_access order by sort is not null, sort, id`,
    ),
    findRows(executor, 'svc_permissions', {
      columns: ['policy', 'collection', 'action', 'permissions', 'validation', 'presets', 'fields'],
      order: ['id'],
    }),
  ]);
  return {
    version,
    roles: roles.map((row) => ({ id: String(row.id), parent: text(row.parent), columns: row })),
    policies: policies.map((row) => ({
      id: String(row.id),
      admin: Number(row.admin_access) === 1,
      operator: Number(row.operator_access) === 1,
      secondFactor: Number(row.enforce_tfa) === 1,
      addresses: text(row.ip_access)?.split(',') ?? [],
      columns: row,
    })),
    access: access.map((row) => ({ policy: String(row.policy), role: text(row.role), user: text(row.user) })),
    permissions: permissions.flatMap(rowToPermission),
  };
};

/**
 * Converts a permission row; ignores rows whose rules are not JSON objects, which would otherwise permit
 * nothing or everything by accident.
 */
const rowToPermission = (row: Record<string, unknown>): AccessRows['permissions'] => {
  try {
    const permission = {
      policy: String(row.policy),
      collection: String(row.collection),
      action: String(row.action),
      permissions: json(row.permissions),
      validation: json(row.validation),
      presets: json(row.presets),
      fields:
        text(row.fields)
          ?.split(',')
          .map((name) => name.trim()) ?? null,
    };
    return [permission];
  } catch {
    return [];
  }
};

const text = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);

/** Parses a JSON column. @throws where it is not an object */
const json = (value: unknown): Readonly<Record<string, unknown>> | null => {
  if (value === null || value === undefined) return null;
  const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (parsed === null) return null;
  if (typeof parsed !== 'object' || Array.isArray(parsed))
    throw new Error('a rule in svc_permissions is not an object');
  return parsed as Record<string, unknown>;
};

/** Returns whether a text can be stored: some databases fail on a parameter that contains NUL. */
export const isStorable = (given: string): boolean => !given.includes('\0');

/** Milliseconds after which the holder of a static token is read again, which notes its use. */
const tokenRecheck = 5 * 60_000;

/**
 * Finds the user of a static token: by index, then compared in constant time, since a collation may treat
 * different texts as equal.
 */
const findByToken = async (
  executor: Executor,
  token: string,
  { storedForms, noteUse }: Pick<AccessSourceOptions, 'storedForms' | 'noteUse'>,
): Promise<Holder | null> => {
  if (!isStorable(token)) return null;
  const forms = await storedForms(token);
  const placeholders = forms.map(() => '?').join(', ');
  const [row] = await executor.query(`select * from svc_users where token in (${placeholders})`, forms);
  const stored = String(row?.token);
  if (row === undefined || !forms.some((form) => equalsInConstantTime(stored, form))) return null;
  const user = rowToUser(row);
  noteUse(user);
  return { user, session: null, credentialDigest: credentialOf(stored), expires: Date.now() + tokenRecheck };
};

/**
 * Milliseconds for which the previous session cookie stays valid after a renewal, for concurrent requests.
 */
export const rotationGrace = 10_000;

/**
 * Finds the user of a session. The session must exist, and the password must be the one that it began with.
 */
const findBySession = async (
  { user, session, generation, expires }: TokenClaims,
  executor: Executor,
): Promise<Holder | null> => {
  const [row, stored] = await Promise.all([
    findUserRow(executor, user),
    findRow(executor, 'svc_sessions', {
      where: { id: session, user },
      columns: ['generation', 'rotated', 'expires', 'credential'],
    }),
  ]);
  if (row === undefined || stored === undefined) return null;
  if (row.status === 'suspended') throw apiError('USER_SUSPENDED', {});
  const credentialDigest = credentialOf(text(row.password));
  if (stored.credential !== credentialDigest) return null;
  const isCurrent = generation === null || generation === Number(stored.generation);
  const isPrevious = generation === Number(stored.generation) - 1;
  const expiry = isCurrent ? Number(stored.expires) : isPrevious ? Number(stored.rotated) + rotationGrace : 0;
  if (Date.now() >= expiry) return null;
  return { user: rowToUser(row), session, credentialDigest, expires: Math.min(expires, expiry) };
};

/**
 * Returns the role of an active user whose token is still backed by the same credential and session, or null.
 */
export const findActiveHolder = async (
  { user, session, credentialDigest }: Pick<Holder, 'user' | 'session' | 'credentialDigest'>,
  executor: Executor,
): Promise<Pick<User, 'role'> | null> => {
  const row = await findRow(executor, 'svc_users', {
    where: { id: user.id },
    columns: ['role', 'status', 'token', 'password'],
  });
  if (row?.status !== 'active') return null;
  if (credentialOf(session === null ? row.token : row.password) !== credentialDigest) return null;
  if (session !== null && !(await hasSession(session, user, executor))) return null;
  return { role: row.role };
};

const hasSession = async (session: string, { id }: User, executor: Executor): Promise<boolean> => {
  const where = { id: session, user: id };
  return (await findRow(executor, 'svc_sessions', { where, columns: ['id'] })) !== undefined;
};

/** Returns a digest of a password hash or token, which shows only whether it has changed. */
export const credentialOf = (hash: string | null): string =>
  createHash('sha256')
    .update(hash ?? '')
    .digest('base64url');

/** Returns the row of a user with the columns that a team added, since rules may name them; undefined where there is none. */
export const findUserRow = async (
  { query }: Pick<Executor, 'query'>,
  id: string,
): Promise<Readonly<Record<string, unknown>> | undefined> =>
  (await query('select * from svc_users where id = ?', [id]))[0];

/**
 * Converts a row of `svc_users`. Token, password and one-time secret are not part of the user, so that no
 * rule can read them.
 */
export const rowToUser = (row: Readonly<Record<string, unknown>>): User => {
  const { token: _token, password: _password, tfa_secret: secret, tfa_step: _step, ...columns } = row;
  return {
    id: String(row.id),
    role: text(row.role),
    status: String(row.status),
    secondFactor: text(secret) !== null || row.provider !== 'default',
    columns,
  };
};

/** Compares two secrets in a time that depends on their lengths only. */
export const equalsInConstantTime = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
};
