/** Merges the package's and a team's file of the same name key by key; the team's key wins. */
import type { MapEntry, MapNode, Node } from './yaml.js';

/** Depth at which merging stops: values below `fields.email.note` are replaced as a whole. */
const depthOfKeys = 3;

/**
 * Merges two nodes. Lists of objects with `field` are merged by it; other lists, and values deeper than three
 * keys, are replaced.
 */
export const mergeNodes = (base: Node, over: Node, depth = depthOfKeys): Node => {
  if (depth > 0 && base.kind === 'map' && over.kind === 'map') return mergeMaps(base, over, depth);
  if (base.kind === 'list' && over.kind === 'list')
    return { ...over, items: mergeItems(base.items, over.items) };
  return over;
};

const mergeMaps = (base: MapNode, over: MapNode, depth: number): MapNode => {
  const entries = new Map<string, MapEntry>(base.entries);
  for (const [key, entry] of over.entries) {
    const before = base.entries.get(key);
    const value = before === undefined ? entry.value : mergeNodes(before.value, entry.value, depth - 1);
    entries.set(key, { position: entry.position, value });
  }
  return { ...over, entries };
};

/** Merges relations by `field`; any other list is replaced as a whole. */
const mergeItems = (base: readonly Node[], over: readonly Node[]): readonly Node[] => {
  if (![...base, ...over].every((item) => fieldOf(item) !== null)) return over;
  const extended = base.map((item) => {
    const extension = over.find((candidate) => fieldOf(candidate) === fieldOf(item));
    return extension === undefined ? item : mergeNodes(item, extension, 1);
  });
  const used = new Set(base.map((item) => over.find((candidate) => fieldOf(candidate) === fieldOf(item))));
  return [...extended, ...over.filter((item) => !used.has(item))];
};

const fieldOf = (node: Node): string | null => {
  const value = node.kind === 'map' ? node.entries.get('field')?.value : undefined;
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : null;
};
