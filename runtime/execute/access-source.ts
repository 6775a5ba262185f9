/** The fixed statements that access reads from: who exists, and what the policies say. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccessSource, Holder, TokenClaims } from '../access/access.js';
import type { AccessRows, User } from '../access/policies.js';
import { apiError } from '../../contract/errors.js';
import type { Executor, RowLayout } from '../databases/contract.js';
import { findRow } from './system-rows.js';

export interface AccessSourceOptions {
  readonly executor: Executor;
  /** What a token that a login gave says; `null`: it is none of those. @throws INVALID_TOKEN, TOKEN_EXPIRED */
  readClaims(token: string): Promise<TokenClaims | null>;
}

export const createAccessSource = ({ executor, readClaims }: AccessSourceOptions): AccessSource => ({
  loadRows: () => loadRows(executor),
  async findHolder(token) {
    const claims = await readClaims(token);
    return claims === null ? findByToken(executor, token) : findBySession(claims, executor);
  },
  readVersion: () => readVersion(executor),
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

/** The version is read first: rows that change meanwhile come with a later one, and are read again. */
export const loadRows = async (executor: Executor): Promise<AccessRows> => {
  const version = await readVersion(executor);
  const [roles, policies, access, permissions] = await Promise.all([
    executor.query('select * from svc_roles order by id'),
    executor.query('select * from svc_policies order by id'),
    executor.query(
      `select policy, role, ${executor.quote('user')} from svc_access order by sort is not null, sort, id`,
    ),
    executor.query(
      'select policy, collection, action, permissions, validation, presets, fields from svc_permissions order by id',
    ),
  ]);
  return {
    version,
    roles: roles.map((row) => ({ id: String(row.id), parent: text(row.parent), columns: row })),
    policies: policies.map((row) => ({
      id: String(row.id),
      admin: Number(row.admin_access) === 1,
      secondFactor: Number(row.enforce_tfa) === 1,
      addresses: text(row.ip_access)?.split(',') ?? [],
      columns: row,
    })),
    access: access.map((row) => ({ policy: String(row.policy), role: text(row.role), user: text(row.user) })),
    permissions: permissions.flatMap(rowToPermission),
  };
};

/** A rule that is no object would permit nothing or everything by accident: its row does not count. */
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

/** @throws where it is no object */
const json = (value: unknown): Readonly<Record<string, unknown>> | null => {
  if (value === null || value === undefined) return null;
  const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (parsed === null) return null;
  if (typeof parsed !== 'object' || Array.isArray(parsed))
    throw new Error('a rule in svc_permissions is not an object');
  return parsed as Record<string, unknown>;
};

/** Says whether a text can be that of a row: some databases fail where they are asked for one with NUL. */
export const isStorable = (given: string): boolean => !given.includes('\0');

/** Found by index, then compared in constant time: collations and prefixes do not count as equal. */
const findByToken = async (executor: Executor, token: string): Promise<Holder | null> => {
  if (!isStorable(token)) return null;
  const [row] = await executor.query('select * from svc_users where token = ?', [token]);
  if (row === undefined || !isSame(String(row.token), token)) return null;
  return {
    user: rowToUser(row),
    session: null,
    proof: credentialOf(token),
    until: Number.POSITIVE_INFINITY,
  };
};

/** A renewed session cookie leaves its predecessor this long, for requests that are under way. In milliseconds. */
export const graceTime = 10_000;

/** The session has to be there, and the password has to be the one it began with. */
const findBySession = async (
  { user, session, generation, expires }: TokenClaims,
  executor: Executor,
): Promise<Holder | null> => {
  const [[row], [held]] = await Promise.all([
    executor.query('select * from svc_users where id = ?', [user]),
    executor.query(
      `select generation, rotated, expires, credential from svc_sessions where id = ? and ${executor.quote('user')} = ?`,
      [session, user],
    ),
  ]);
  if (row === undefined || held === undefined) return null;
  if (row.status === 'suspended') throw apiError('USER_SUSPENDED', {});
  const proof = credentialOf(text(row.password));
  if (held.credential !== proof) return null;
  const isCurrent = generation === null || generation === Number(held.generation);
  const isLast = generation === Number(held.generation) - 1;
  const leaves = isCurrent ? Number(held.expires) : isLast ? Number(held.rotated) + graceTime : 0;
  if (Date.now() >= leaves) return null;
  return { user: rowToUser(row), session, proof, until: Math.min(expires, leaves) };
};

/** The role of somebody who is active and whose token still rests on what it rested on; `null`: there is none such. */
export const findStillHeld = async (
  { user, session, proof }: Pick<Holder, 'user' | 'session' | 'proof'>,
  executor: Executor,
): Promise<Pick<User, 'role'> | null> => {
  const row = await findRow(executor, 'svc_users', {
    where: { id: user.id },
    columns: ['role', 'status', 'token', 'password'],
  });
  if (row?.status !== 'active') return null;
  if (credentialOf(session === null ? row.token : row.password) !== proof) return null;
  if (session !== null && !(await isThere(session, user, executor))) return null;
  return { role: row.role };
};

const isThere = async (session: string, { id }: User, executor: Executor): Promise<boolean> => {
  const where = { id: session, user: id };
  return (await findRow(executor, 'svc_sessions', { where, columns: ['id'] })) !== undefined;
};

/** Says whether a password hash or a token is still the same, and nothing else about it. */
export const credentialOf = (hash: string | null): string =>
  createHash('sha256')
    .update(hash ?? '')
    .digest('base64url');

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

export const isSame = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
};
