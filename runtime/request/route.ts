/** Paths of the data plane: `/items/:collection[/:key]`, and `/users[/:key]` for system collections. */
import type { Collection, Registry } from '../../contract/collection.js';

export interface Route {
  /** `null`: no such collection here; answered like a forbidden one. */
  readonly collection: Collection | null;
  /** As it stands in the path. */
  readonly name: string;
  /** Values of the key's parts, decoded; `null`: the collection itself. */
  readonly key: readonly string[] | null;
}

const items = '/items/';

/** `null`: not a path of the data plane. */
export const matchRoute = (path: string, registry: Registry): Route | null => {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (!trimmed.startsWith(items)) return matchSystem(trimmed, registry);
  const [name = '', key, ...rest] = trimmed.slice(items.length).split('/');
  if (name === '' || rest.length > 0) return null;
  const decoded = decode(name);
  const collection = decoded === null ? undefined : registry.collections.get(decoded);
  return {
    collection: collection === undefined || collection.system ? null : collection,
    name: decoded ?? name,
    key: key === undefined ? null : splitKey(key),
  };
};

const matchSystem = (path: string, registry: Registry): Route | null => {
  const [name = '', key, ...rest] = path.slice(1).split('/');
  const collection = registry.systemPaths.get(name);
  if (collection === undefined || rest.length > 0) return null;
  return { collection, name, key: key === undefined ? null : splitKey(key) };
};

/** Parts of a composite key are joined by commas; each part is URL-escaped by itself. */
export const splitKey = (text: string): readonly string[] =>
  text.split(',').map((part) => decode(part) ?? part);

const decode = (text: string): string | null => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};
