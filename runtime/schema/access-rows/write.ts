/** Writes the access part of a snapshot to the system tables. */
import { invalidPayload } from '../../../contract/errors.js';
import type { Database } from '../../databases/contract.js';
import { findAdministrators } from '../../execute/administrators.js';
import {
  deleteRows,
  findRows,
  insertRow,
  updateRows,
  type NewRow,
  type Statements,
} from '../../execute/system-rows.js';
import { isEqual } from '../diff/values.js';
import { columnKinds, entriesById, type AccessEntry, type AccessList, type AccessSnapshot } from './types.js';

type KeyedList = Exclude<AccessList, 'permissions'>;

const tables = { roles: 'svc_roles', policies: 'svc_policies', access: 'svc_access' } as const;

/**
 * Makes the rows those of a snapshot; rows that do not change are not written.
 * @throws INVALID_PAYLOAD where nobody would be an administrator afterwards
 */
export const writeAccess = async (
  statements: Statements,
  before: AccessSnapshot,
  after: AccessSnapshot,
): Promise<void> => {
  const hadAdministrators = (await findAdministrators(statements)).length > 0;
  await deletePermissions(statements, before, after);
  for (const list of ['access', 'policies', 'roles'] as const) {
    const kept = entriesById(list, after[list]);
    for (const id of entriesById(list, before[list]).keys())
      if (!kept.has(id)) await deleteRows(statements, tables[list], { id });
  }
  for (const list of ['roles', 'policies', 'access'] as const)
    await writeList(statements, { list, before, after });
  const known = entriesById('permissions', before.permissions);
  for (const [id, entry] of entriesById('permissions', after.permissions)) {
    if (isEqual(known.get(id), entry)) continue;
    await insertRow(statements, 'svc_permissions', toRow('permissions', entry) as never);
  }
  if (hadAdministrators && (await findAdministrators(statements)).length === 0)
    throw invalidPayload('nobody would be an administrator any more');
};

/** Writes and rolls back, so that faults are known before anything else is changed. @throws as `writeAccess` does */
export const dryRunAccess = async (
  database: Database,
  before: AccessSnapshot,
  after: AccessSnapshot,
): Promise<void> => {
  const rollback = new Error('rollback');
  try {
    await database.transaction(async (executor) => {
      await writeAccess(executor, before, after);
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
};

interface Lists {
  readonly list: KeyedList;
  readonly before: AccessSnapshot;
  readonly after: AccessSnapshot;
}

const writeList = async (statements: Statements, { list, before, after }: Lists): Promise<void> => {
  const old = entriesById(list, before[list]);
  const changed = [...entriesById(list, after[list])].filter(([id, entry]) => !isEqual(old.get(id), entry));
  for (const [id, entry] of changed) {
    const row = toRow(list, entry);
    // a parent may come later
    const first = list === 'roles' ? { ...row, parent: null } : row;
    if (old.has(id)) await updateRows(statements, tables[list], { set: first as never, where: { id } });
    else await insertRow(statements, tables[list], first as NewRow<'svc_roles'> as never);
  }
  if (list !== 'roles') return;
  for (const [id, { parent }] of changed) {
    if (typeof parent === 'string')
      await updateRows(statements, 'svc_roles', { set: { parent }, where: { id } });
  }
};

/** Deletes permissions that are gone or changed; changed ones are inserted again, as their ids differ between instances. */
const deletePermissions = async (
  statements: Statements,
  before: AccessSnapshot,
  after: AccessSnapshot,
): Promise<void> => {
  const wanted = entriesById('permissions', after.permissions);
  for (const [id, entry] of entriesById('permissions', before.permissions)) {
    if (isEqual(wanted.get(id), entry)) continue;
    const row = toRow('permissions', entry);
    const [policy, collection, action] = [row.policy, row.collection, row.action].map(String);
    const found = await findRows(statements, 'svc_permissions', { where: { policy, collection, action } });
    // of several of a kind, the one with this content
    const same = found.find((each) =>
      Object.entries(row).every(([key, value]) => sameCell((each as Record<string, unknown>)[key], value)),
    );
    if (same !== undefined) await deleteRows(statements, 'svc_permissions', { id: same.id });
  }
};

/** JSON may be stored with other spaces and another order of keys. */
const sameCell = (stored: unknown, value: unknown): boolean =>
  String(stored ?? '') === String(value ?? '') || isEqual(parse(stored), parse(value));

const parse = (value: unknown): unknown => {
  try {
    return JSON.parse(String(value));
  } catch {
    return value;
  }
};

const toRow = (list: AccessList, entry: AccessEntry): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(columnKinds[list]).map(([name, kind]) => {
      const value = entry[name] ?? null;
      if (kind === 'boolean') return [name, Number(value === true)];
      if (value === null) return [name, null];
      if (kind === 'list') return [name, (value as readonly string[]).join(',')];
      return [name, kind === 'json' ? JSON.stringify(value) : value];
    }),
  );
