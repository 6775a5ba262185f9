/** Reads roles, policies and permissions for a snapshot. */
import { compareText } from '../../../contract/text-order.js';
import { findRows, type Statements } from '../../execute/system-rows.js';
import { canonicalJson } from '../../../contract/objects.js';
import { columnKinds, type AccessEntry, type AccessList, type AccessSnapshot } from './types.js';

/** Rows of single users belong to an instance, and are left out. */
export const readAccess = async (statements: Statements): Promise<AccessSnapshot> => {
  const [roles, policies, access, permissions] = await Promise.all([
    findRows(statements, 'svc_roles', {}),
    findRows(statements, 'svc_policies', {}),
    findRows(statements, 'svc_access', { where: { user: null } }),
    findRows(statements, 'svc_permissions', {}),
  ]);
  return {
    roles: toEntries('roles', roles),
    policies: toEntries('policies', policies),
    access: toEntries('access', access),
    permissions: toEntries('permissions', permissions),
  };
};

const toEntries = (list: AccessList, rows: readonly object[]): readonly AccessEntry[] => {
  const entries = rows.map((row) => toEntry(list, row as Record<string, unknown>));
  const sortKey = ({ id, policy, collection, action, ...rest }: AccessEntry): string =>
    list === 'permissions' ? canonicalJson([policy, collection, action, rest]) : String(id);
  return entries.toSorted((a, b) => compareText(sortKey(a), sortKey(b)));
};

const toEntry = (list: AccessList, row: Readonly<Record<string, unknown>>): AccessEntry =>
  Object.fromEntries(
    Object.entries(columnKinds[list]).map(([name, kind]) => {
      const value = row[name] ?? null;
      if (value === null) return [name, null];
      if (kind === 'boolean') return [name, Number(value) === 1];
      if (kind === 'number') return [name, Number(value)];
      if (kind === 'list') return [name, String(value) === '' ? [] : String(value).split(',')];
      return [name, kind === 'json' ? (JSON.parse(String(value)) as unknown) : value];
    }),
  );
