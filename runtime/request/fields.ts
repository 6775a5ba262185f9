/** Parses `fields`. */
import { LRUCache } from 'lru-cache';
import { readNames, splitPath } from './names.js';
import type { FieldNode } from './query.js';

/** Parsed `fields` by their text, since clients repeat the same selections. */
const fieldCache = new LRUCache<string, readonly FieldNode[]>({ max: 500 });
const maxCachedLength = 2000;

/** Reads the names of `fields` to a tree; null where there are none. @throws INVALID_QUERY */
export const readFields = (value: unknown): readonly FieldNode[] | null => {
  if (typeof value !== 'string' || value.length > maxCachedLength) return parseFields(value);
  const cached = fieldCache.get(value);
  if (cached !== undefined) return cached;
  const fields = parseFields(value);
  if (fields !== null) fieldCache.set(value, fields);
  return fields;
};

const parseFields = (value: unknown): readonly FieldNode[] | null => {
  const names = readNames(value, 'fields');
  if (names === null || names.length === 0) return null;
  const root: Branch = { isEnd: false, children: new Map() };
  for (const name of names) insert(root, splitPath(name, 'fields'));
  return toNodes(root);
};

interface Branch {
  /** True where a path ends here, regardless of children. */
  isEnd: boolean;
  readonly children: Map<string, Branch>;
}

const insert = (root: Branch, path: readonly string[]): void => {
  let branch = root;
  for (const name of path) {
    const next: Branch = branch.children.get(name) ?? { isEnd: false, children: new Map() };
    branch.children.set(name, next);
    branch = next;
  }
  branch.isEnd = true;
};

/**
 * Converts a branch to nodes. A name that is both a leaf and has children becomes two nodes: `a.b` and
 * `a.b.c` may be columns.
 */
const toNodes = ({ children }: Branch): FieldNode[] =>
  [...children].flatMap(([name, branch]) => {
    const leaf = { name, children: [] };
    const inner = { name, children: toNodes(branch) };
    if (inner.children.length === 0) return [leaf];
    return branch.isEnd ? [leaf, inner] : [inner];
  });
