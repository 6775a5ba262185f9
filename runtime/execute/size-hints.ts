/** Answers of one statement tend to have one size: how many bytes the largest so far took. */
import { LRUCache } from 'lru-cache';

const maxHints = 1000;
const hints = new LRUCache<string, number>({ max: maxHints });

const least = 1024;
const slack = 512;

export const hintOf = (text: string): number => hints.get(text) ?? least;

export const rememberSize = (text: string, size: number): void => {
  if ((hints.get(text) ?? 0) >= size) return;
  hints.set(text, size + slack);
};
