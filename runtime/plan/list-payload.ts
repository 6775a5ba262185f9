/** Parses lists of related rows in payloads into rows to create, update and remove. */
import type { ToMany } from '../../contract/collection.js';
import { invalidPayload } from '../../contract/errors.js';
import { isObject } from '../../contract/objects.js';
import { readKey, splitKeyValue } from './item.js';
import type { Payload } from './row-context.js';
import type { Key } from './write-plan.js';

/** An entry of a list in a payload. */
export interface ListEntry {
  readonly payload: Payload;
  /** JSON path to the entry. */
  readonly pointer: readonly (string | number)[];
  /** Position in the complete list, from 1; `null` in a list of changes. */
  readonly ordinal: number | null;
}

/** A row that the payload gives by its key. */
export interface KeyedEntry extends ListEntry {
  readonly key: Key;
  /** True where the entry is an object, as a new row is. */
  readonly isObject: boolean;
}

/** The changes of a list that a payload contains. */
export interface ListChange {
  readonly creates: readonly ListEntry[];
  readonly updates: readonly KeyedEntry[];
  /** The rows to remove; `others`: all rows that the payload does not name. */
  readonly removes: readonly Pick<KeyedEntry, 'key' | 'pointer'>[] | 'others';
}

/** Reads an entry, or returns null after adding its problem. */
export type ReadEntry = <Entry>(pointer: ListEntry['pointer'], read: () => Entry) => Entry | null;

const readOrThrow: ReadEntry = (_, read) => read();

/**
 * Parses a list in one of two forms: an array of keys, objects without a key (new) and objects with a key
 * (changed), which is the complete list; or `{create, update, delete}`, which are changes to it. `null` is
 * the empty list.
 * @throws INVALID_PAYLOAD, and FORBIDDEN for an invalid key
 */
export const readListChange = (
  relation: ToMany,
  value: unknown,
  readEntry: ReadEntry = readOrThrow,
): ListChange => {
  const { name, collection } = relation;
  if (collection.key.length === 0) {
    throw invalidPayload(`"${name}" is not written through its owner; its items have no key`);
  }
  if (value === null || Array.isArray(value)) return readCompleteList(relation, value ?? [], readEntry);
  if (isObject(value)) return readChanges(relation, value, readEntry);
  throw invalidPayload(`"${name}" takes a list, or {"create": […], "update": […], "delete": […]}`);
};

const readCompleteList = (
  relation: ToMany,
  entries: readonly unknown[],
  readEntry: ReadEntry,
): ListChange => {
  const creates: ListEntry[] = [];
  const updates: KeyedEntry[] = [];
  entries.forEach((entry, index) => {
    const at = { pointer: [index], ordinal: index + 1 };
    if (isObject(entry) && !hasKey(relation, entry)) creates.push({ payload: entry, ...at });
    else updates.push(...asArray(readEntry(at.pointer, () => readUpdate(relation, entry, at))));
  });
  return { creates, updates, removes: 'others' };
};

const asArray = <Entry>(entry: Entry | null): readonly Entry[] => (entry === null ? [] : [entry]);

const parts: ReadonlySet<string> = new Set(['create', 'update', 'delete']);

const readChanges = (relation: ToMany, value: Payload, readEntry: ReadEntry): ListChange => {
  const invalid = Object.keys(value).find((part) => !parts.has(part) || !Array.isArray(value[part]));
  if (invalid !== undefined || Object.keys(value).length === 0) {
    throw invalidPayload(
      `"${relation.name}" takes lists under "create", "update" and "delete"${invalid === undefined ? '' : `, not "${invalid}" as it is`}`,
    );
  }
  const read = <Entry>(part: string, toEntry: (entry: unknown, pointer: ListEntry['pointer']) => Entry) =>
    ((value[part] ?? []) as readonly unknown[]).flatMap((entry, index) => {
      const pointer = [part, index];
      return asArray(readEntry(pointer, () => toEntry(entry, pointer)));
    });
  return {
    creates: read('create', (entry, pointer) => ({
      payload: requireObject(relation, entry),
      pointer,
      ordinal: null,
    })),
    updates: read('update', (entry, pointer) =>
      readUpdate(relation, requireObject(relation, entry), { pointer, ordinal: null }),
    ),
    removes: read('delete', (key, pointer) => ({ key: readBareKey(relation, key), pointer })),
  };
};

const requireObject = ({ name }: ToMany, entry: unknown): Payload => {
  if (isObject(entry)) return entry;
  throw invalidPayload(`"create" and "update" of "${name}" hold objects`);
};

const hasKey = ({ collection }: ToMany, entry: Payload): boolean =>
  collection.key.every(({ name }) => entry[name] !== undefined && entry[name] !== null);

const readUpdate = (
  relation: ToMany,
  entry: unknown,
  at: Pick<ListEntry, 'pointer' | 'ordinal'>,
): KeyedEntry => {
  if (!isObject(entry)) return { key: readBareKey(relation, entry), payload: {}, ...at, isObject: false };
  const { key } = relation.collection;
  const missing = key.find(({ name }) => entry[name] === undefined || entry[name] === null);
  if (missing !== undefined) {
    throw invalidPayload(`every changed item of "${relation.name}" needs its key "${missing.name}"`);
  }
  const names = new Set(key.map(({ name }) => name));
  return {
    key: readKey(
      relation.collection,
      key.map(({ name }) => entry[name]),
    ),
    payload: Object.fromEntries(Object.entries(entry).filter(([name]) => !names.has(name))),
    ...at,
    isObject: true,
  };
};

const readBareKey = ({ collection }: ToMany, value: unknown): Key =>
  readKey(collection, splitKeyValue(collection, value));

/** Returns whether the update changes fields of the row, rather than only adding it to the list. */
export const hasChanges = ({ payload }: Pick<KeyedEntry, 'payload'>): boolean =>
  Object.keys(payload).length > 0;
