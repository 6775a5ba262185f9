/**
 * Initial buffer sizes by statement: the largest that a result needed so far, since results of one statement tend to
 * have similar sizes. Rows need more than they take, as their space is reserved for the longest form of their texts.
 */
import { LRUCache } from 'lru-cache';

const maxHints = 1000;
const hints = new LRUCache<string, number>({ max: maxHints });

const minSize = 1024;
/** One large result must not make every later one reserve as much. */
const maxSize = 1024 * 1024;
const slack = 512;

/** Returns the bytes to reserve for the result of a statement. */
export const sizeHint = (text: string): number => hints.get(text) ?? minSize;

/** Remembers the bytes that the result of a statement needed, if they are the most so far; at most 1 MB. */
export const rememberSize = (text: string, size: number): void => {
  if ((hints.get(text) ?? 0) >= size) return;
  hints.set(text, Math.min(size + slack, maxSize));
};
