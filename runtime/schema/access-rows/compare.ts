/** Compares and patches the access part of snapshots. Pure. */
import { invalidPayload } from '../../../contract/errors.js';
import type { AccessChange, AccessDiff, Change } from '../diff/types.js';
import { isEqual } from '../diff/values.js';
import {
  columnKinds,
  entriesById,
  perList,
  type AccessEntry,
  type AccessList,
  type AccessSnapshot,
} from './types.js';

/** Returns what makes the target's rows those that are wanted. @param mode `merge` deletes nothing */
export const compareAccess = (
  target: AccessSnapshot,
  wanted: AccessSnapshot,
  mode: 'mirror' | 'merge',
): AccessDiff => {
  const kept = administration(target);
  return perList((list) =>
    compareList(list, target, wanted).filter(
      ({ id, diff }) => diff[0]?.kind !== 'D' || (mode === 'mirror' && !kept.has(`${list}\0${id}`)),
    ),
  );
};

/**
 * Returns the rows that make administrators, so that no difference removes the last of them: their policies, and the
 * roles and access rows that lead to these.
 */
const administration = ({ roles, policies, access }: AccessSnapshot): ReadonlySet<string> => {
  const own = new Set(policies.filter(({ admin_access: all }) => all === true).map(({ id }) => id));
  const grants = access.filter(({ policy }) => own.has(policy));
  const parents = new Map(roles.map(({ id, parent }) => [id, parent]));
  const holders = new Set<unknown>();
  for (const { role } of grants) {
    for (let each = role; each !== null && each !== undefined && !holders.has(each); each = parents.get(each))
      holders.add(each);
  }
  return new Set([
    ...[...own].map((id) => `policies\0${String(id)}`),
    ...grants.map(({ id }) => `access\0${String(id)}`),
    ...[...holders].map((id) => `roles\0${String(id)}`),
  ]);
};

const compareList = (
  list: AccessList,
  target: AccessSnapshot,
  wanted: AccessSnapshot,
): readonly AccessChange[] => {
  const [old, next] = [entriesById(list, target[list]), entriesById(list, wanted[list])];
  const changed = [...next].map(([id, entry]) => {
    const present = old.get(id);
    const whole = complete(list, entry);
    return {
      id,
      diff:
        present === undefined ? [{ kind: 'N', rhs: whole } satisfies Change] : compareEntry(present, whole),
    };
  });
  const dropped = [...old]
    .filter(([id]) => !next.has(id))
    .map(([id, entry]) => ({ id, diff: [{ kind: 'D', lhs: entry } satisfies Change] }));
  return [...changed, ...dropped].filter(({ diff }) => diff.length > 0);
};

/** A column that an entry does not have is empty. */
const complete = (list: AccessList, entry: AccessEntry): AccessEntry =>
  Object.fromEntries(
    Object.entries(columnKinds[list]).map(([name, kind]) => [
      name,
      entry[name] ?? (kind === 'boolean' ? false : null),
    ]),
  );

const compareEntry = (before: AccessEntry, after: AccessEntry): readonly Change[] =>
  Object.keys(after)
    .filter((key) => !isEqual(before[key], after[key]))
    .map((key) => ({ kind: 'E', path: [key], lhs: before[key] ?? null, rhs: after[key] ?? null }));

/** Returns the target's rows with a difference applied. @throws INVALID_PAYLOAD where they are not as it says */
export const patchAccess = (target: AccessSnapshot, diff: Partial<AccessDiff>): AccessSnapshot =>
  perList((list) => patchList(list, target[list], diff[list] ?? []));

const patchList = (
  list: AccessList,
  entries: readonly AccessEntry[],
  changes: readonly AccessChange[],
): readonly AccessEntry[] => {
  const byId = new Map(entriesById(list, entries));
  for (const { id, diff } of changes) {
    const patched = diff.reduce<AccessEntry | undefined>(
      (entry, change) => patchEntry(entry, change, `${list} "${id}"`),
      byId.get(id),
    );
    if (patched === undefined) byId.delete(id);
    else byId.set(id, patched);
  }
  return [...byId.values()];
};

const patchEntry = (
  entry: AccessEntry | undefined,
  change: Change,
  label: string,
): AccessEntry | undefined => {
  const conflict = (): Error =>
    invalidPayload(`${label} is not as the diff says; make a new diff against this instance and apply that`);
  if (change.kind === 'N' && change.path === undefined) {
    if (entry !== undefined) throw conflict();
    return change.rhs as AccessEntry;
  }
  if (entry === undefined) throw conflict();
  if (change.kind === 'D' && change.path === undefined) {
    if (!isEqual(entry, change.lhs)) throw conflict();
    return undefined;
  }
  const [key = '', ...rest] = change.path ?? [];
  if (change.kind !== 'E' || rest.length > 0 || !isEqual(entry[key] ?? null, change.lhs)) throw conflict();
  return { ...entry, [key]: change.rhs };
};
