/**
 * Initial buffer sizes by statement: the largest result so far, since results of one statement tend to have
 * similar sizes.
 */
import { LRUCache } from 'lru-cache';

const maxHints = 1000;
const hints = new LRUCache<string, number>({ max: maxHints });

const minSize = 1024;
/** One large result must not make every later one reserve as much. */
const maxSize = 1024 * 1024;
const slack = 512;

export const sizeHint = (text: string): number => hints.get(text) ?? minSize;

export const rememberSize = (text: string, size: number): void => {
  if ((hints.get(text) ?? 0) >= size) return;
  hints.set(text, Math.min(size + slack, maxSize));
};
