/** Makes the item of a row: columns get the names of fields, and names with points become objects. */
import type { Collection, Relation } from '../../../contract/collection.js';

export type Payload = Readonly<Record<string, unknown>>;

/** Column to field; `null`: the column is left out. Columns without an entry are fields of the same name. */
export type Mapping = Readonly<Record<string, string | null>>;

/** Returns the name of the field of a column, or null where the column is left out. */
export const fieldOf = (column: string, mapping: Mapping): string | null =>
  Object.hasOwn(mapping, column) ? (mapping[column] ?? null) : column;

/** Splits the name of a field at its points, except for a field of the collection that has points in its own name. */
export const pathOf = (name: string, { fields, relations }: Collection): readonly string[] => {
  const path = name.split('.');
  return fields.has(name) && !relations.has(path[0] ?? '') ? [name] : path;
};

/**
 * Sets a value in an item; creates missing objects along the path.
 * @returns false where another value, which is not an object, is on the path; paths are therefore set from the shortest on
 */
export const setValue = (item: Record<string, unknown>, path: readonly string[], value: unknown): boolean => {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    define(item, name, value);
    return true;
  }
  const known = (Object.hasOwn(item, name) ? item[name] : undefined) ?? {};
  if (typeof known !== 'object' || Array.isArray(known)) return false;
  define(item, name, known);
  return setValue(known as Record<string, unknown>, rest, value);
};

/** Sets a property, even one called `__proto__`. */
const define = (item: Record<string, unknown>, name: string, value: unknown): void => {
  Object.defineProperty(item, name, { value, enumerable: true, configurable: true, writable: true });
};

/** Returns what is wrong with two columns of one field, of which only one would be stored; null where there are none. */
export const findCollision = (columns: readonly string[], mapping: Mapping): string | null => {
  const known = new Map<string, string>();
  for (const column of columns) {
    const field = fieldOf(column, mapping);
    if (field === null) continue;
    const other = known.get(field);
    if (other !== undefined) return `the columns "${other}" and "${column}" are both the field "${field}"`;
    known.set(field, column);
  }
  return null;
};

/** Returns what is wrong with the value of a part whose whole has a value too, of which only one would be stored. */
export const printOverlap = (path: readonly string[]): string =>
  `there is a value of "${path.join('.')}" and one of the whole that it is a part of; leave one of them out`;

/** How the columns of a file become fields. */
export interface Naming {
  readonly mapping: Mapping;
  readonly collection: Collection;
}

/** Returns an item with the names of fields in place of those of columns; what is wrong with it is returned as a text. */
export const renameColumns = (item: Payload, { mapping, collection }: Naming): Payload | string => {
  const renamed: Record<string, unknown> = {};
  const columns = Object.keys(item).flatMap((column) => {
    const name = fieldOf(column, mapping);
    return name === null ? [] : [{ column, path: pathOf(name, collection) }];
  });
  for (const { column, path } of columns.toSorted(byLength))
    if (!setValue(renamed, path, item[column])) return printOverlap(path);
  return renamed;
};

/** Sorts paths so that each is set before those that continue it. */
export const byLength = (
  one: { readonly path: readonly string[] },
  other: { readonly path: readonly string[] },
): number => one.path.length - other.path.length;

/**
 * Returns which cells of a column are JSON: `all` for lists of items, `lists` for lists of texts, which may be separated by commas
 * instead, and `flags` for booleans, which spreadsheets write in capital letters. Other cells are read by the types of their fields.
 */
export const jsonIn = (
  path: readonly string[],
  collection: Collection,
): 'all' | 'lists' | 'flags' | 'none' => {
  let current: Collection | null = collection;
  for (const name of path.slice(0, -1)) current = targetOf(current?.relations.get(name));
  const last = path.at(-1) ?? '';
  if (current?.relations.get(last)?.kind === 'oneToMany') return 'all';
  const type = current?.fields.get(last)?.type;
  if (type === 'boolean') return 'flags';
  return type === 'csv' ? 'lists' : 'none';
};

const targetOf = (relation: Relation | undefined): Collection | null =>
  relation === undefined || relation.kind === 'manyToAny' ? null : relation.collection;
