/** Sorts, groups and freezes the parts of a catalog. */
import { compareText } from '../../contract/text-order.js';

/** Returns a sorted copy; items with equal keys keep their order. */
export const sortBy = <Item>(items: readonly Item[], key: (item: Item) => string): Item[] =>
  items.toSorted((a, b) => compareText(key(a), key(b)));

/** Groups items by key; keys and items keep the order of first appearance. */
export const groupBy = <Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
};

/** Freezes a value and everything in it. */
export const freezeDeep = <Value>(value: Value): Value => {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freezeDeep(part);
  return Object.freeze(value);
};
