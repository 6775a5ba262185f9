/** Applies a diff to the snapshot that it was made of. A value that is not as the diff says is a conflict. Pure. */
import { invalidPayload } from '../../../contract/errors.js';
import type { CollectionEntry, FieldEntry, RelationEntry, Snapshot } from '../snapshot/types.js';
import { applyRenames, type Renames } from './renames.js';
import { accessOf, noAccess } from '../access-rows/types.js';
import { patchAccess } from '../access-rows/compare.js';
import { hasAccess, isDropped, type Change, type Path, type SchemaDiff } from './types.js';
import { isEqual } from './values.js';

const former = (diff: readonly Change[], key: string): string | null => {
  const change = diff.find((each) => each.kind === 'E' && each.path.length === 1 && each.path[0] === key);
  return change?.kind === 'E' && typeof change.lhs === 'string' ? change.lhs : null;
};

const pairs = <Entry extends { readonly diff: readonly Change[] }>(
  entries: readonly Entry[],
  key: string,
  id: (entry: Entry) => string,
): ReadonlyMap<string, string> =>
  new Map(
    entries.flatMap((entry) => {
      const from = former(entry.diff, key);
      return from === null ? [] : [[id(entry), from] as const];
    }),
  );

/** Returns the renames that a diff contains. */
export const renamesIn = ({ collections, fields }: SchemaDiff): Renames => {
  return {
    collections: pairs(collections, 'collection', ({ collection }) => collection),
    fields: pairs(fields, 'field', ({ collection, field }) => `${collection}\0${field}`),
  };
};

const fieldId = ({ collection, field }: Pick<FieldEntry, 'collection' | 'field'>): string =>
  `${collection}.${field}`;

/**
 * Returns the target as it shall be.
 * @throws INVALID_PAYLOAD where the target is not as the diff says
 */
export const patchSnapshot = (target: Snapshot, diff: SchemaDiff): Snapshot => {
  const renamed = applyRenames(target, renamesIn(diff));
  const dropped = new Set(
    diff.collections.filter(({ diff: changes }) => isDropped(changes)).map((entry) => entry.collection),
  );
  const remains = ({ collection }: { readonly collection: string }): boolean => !dropped.has(collection);
  return {
    ...renamed,
    collections: patchEntries<CollectionEntry>(renamed.collections, diff.collections, {
      what: 'collection',
      id: ({ collection }) => collection,
    }),
    fields: patchEntries<FieldEntry>(renamed.fields.filter(remains), diff.fields, {
      what: 'field',
      id: fieldId,
    }),
    relations: patchEntries<RelationEntry>(renamed.relations.filter(remains), diff.relations, {
      what: 'relation',
      id: fieldId,
    }),
    ...(hasAccess(diff) && patchAccess(accessOf(target) ?? noAccess, diff)),
  };
};

interface Kind<Id> {
  readonly what: string;
  id(entry: Id): string;
}

const patchEntries = <Entry extends { readonly collection: string }>(
  entries: readonly Entry[],
  changes: readonly { readonly diff: readonly Change[]; readonly collection: string }[],
  { what, id }: Kind<Entry>,
): readonly Entry[] => {
  const byId = new Map(entries.map((entry) => [id(entry), entry]));
  for (const { diff, ...change } of changes) {
    const key = id(change as unknown as Entry);
    const label = `${what} "${key}"`;
    const patched = patchEntry(byId.get(key), diff, label);
    if (patched === undefined) byId.delete(key);
    else if (id(patched) !== key) throw conflict(`${label} would become "${id(patched)}"`);
    else byId.set(key, patched);
  }
  return [...byId.values()];
};

const conflict = (reason: string): Error =>
  invalidPayload(`${reason}; make a new diff against this instance and apply that`);

const patchEntry = <Entry>(
  entry: Entry | undefined,
  changes: readonly Change[],
  label: string,
): Entry | undefined => {
  let current: unknown = entry;
  for (const change of changes) {
    if (change.path === undefined || change.path.length === 0) current = patchWhole(current, change, label);
    else if (current === undefined) throw conflict(`there is no ${label}`);
    else if (change.path.length > 1 || !['collection', 'field'].includes(String(change.path[0]))) {
      current = patchPath(current, change, { path: change.path, label });
    }
  }
  return current as Entry | undefined;
};

const patchWhole = (current: unknown, change: Change, label: string): unknown => {
  if (change.kind === 'N') {
    if (current !== undefined) throw conflict(`${label} exists already`);
    if (copyOf(change.rhs) === null) throw conflict(`${label} is no object`);
    return change.rhs;
  }
  if (change.kind !== 'D') throw conflict(`a change of ${label} names no path`);
  if (current === undefined) throw conflict(`${label} is gone already`);
  return undefined;
};

interface Place {
  readonly path: Path;
  readonly label: string;
}

/** Returns a copy with the change at a path. */
const patchPath = (value: unknown, change: Change, { path, label }: Place): unknown => {
  const [key = '', ...rest] = path;
  const [isList, copy] = [Array.isArray(value), copyOf(value)];
  if (copy === null || (isList && typeof key !== 'number')) {
    throw conflict(`${label} has no value at "${(change.path ?? []).join('.')}"`);
  }
  const before = Object.hasOwn(copy, key) ? copy[key] : undefined;
  const after =
    rest.length > 0 ? patchPath(before, change, { path: rest, label }) : changed(before, change, label);
  if (after === undefined) delete copy[key];
  else copy[key] = after;
  return isList ? Object.values(copy) : copy;
};

const copyOf = (value: unknown): Record<string | number, unknown> | null =>
  typeof value === 'object' && value !== null ? { ...(value as Record<string, unknown>) } : null;

const changed = (before: unknown, change: Change, label: string): unknown => {
  const place = `${label} at "${(change.path ?? []).join('.')}"`;
  if (change.kind === 'A') return changeList(before, change, place);
  const lhs = change.kind === 'N' ? undefined : change.lhs;
  if (!isEqual(before ?? null, lhs ?? null)) throw conflict(`${place} is not ${JSON.stringify(lhs ?? null)}`);
  return change.kind === 'D' ? undefined : change.rhs;
};

const changeList = (before: unknown, change: Extract<Change, { kind: 'A' }>, place: string): unknown => {
  const list = Array.isArray(before) ? [...(before as unknown[])] : null;
  const { index, item } = change;
  if (list === null) throw conflict(`${place} is no list`);
  if (item.kind === 'D') {
    if (!isEqual(list[index], item.lhs)) throw conflict(`${place} has something else at ${index}`);
    list.splice(index, 1);
    return list;
  }
  // those past the end come from the last to the first
  if (index < list.length && list[index] !== undefined)
    throw conflict(`${place} has something at ${index} already`);
  if (index > list.length + 1000) throw conflict(`${place} is shorter than ${index}`);
  list[index] = item.rhs;
  return list;
};
