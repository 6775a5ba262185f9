/** Compares two JSON values, change by change. Pure. */
import { canonicalJson, isObject } from '../../../contract/objects.js';
import type { Change, Path } from './types.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Compares by content, whatever the order of keys. */
export const isEqual = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** Returns the changes from one value to another; a key that is absent on both sides, or null, is no change. */
export const compareValues = (before: unknown, after: unknown, path: Path): readonly Change[] => {
  if (isEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, path);
  if (isObject(before) && isObject(after)) return compareObjects(before, after, path);
  return [{ kind: 'E', path, lhs: before ?? null, rhs: after ?? null }];
};

const compareObjects = (before: JsonObject, after: JsonObject, path: Path): readonly Change[] => {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key): readonly Change[] => {
    const at = [...path, key];
    const [lhs, rhs] = [before[key], after[key]];
    if (lhs === undefined) return rhs === null ? [] : [{ kind: 'N', path: at, rhs }];
    if (rhs === undefined) return lhs === null ? [] : [{ kind: 'D', path: at, lhs }];
    return compareValues(lhs, rhs, at);
  });
};

/** Values past the end of the shorter list come first, from the end, so that applying them keeps the indexes right. */
const compareLists = (
  before: readonly unknown[],
  after: readonly unknown[],
  path: Path,
): readonly Change[] => {
  const changes: Change[] = [];
  for (let index = before.length - 1; index >= after.length; index -= 1) {
    changes.push({ kind: 'A', path, index, item: { kind: 'D', lhs: before[index] } });
  }
  for (let index = after.length - 1; index >= before.length; index -= 1) {
    changes.push({ kind: 'A', path, index, item: { kind: 'N', rhs: after[index] } });
  }
  const shared = Math.min(before.length, after.length);
  for (let index = 0; index < shared; index += 1) {
    changes.push(...compareValues(before[index], after[index], [...path, index]));
  }
  return changes;
};
