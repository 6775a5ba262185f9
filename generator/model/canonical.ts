/** Canonical text of data, for hashes and comparisons. */
import { createHash } from 'node:crypto';

/** Returns JSON with the keys of every object sorted by code unit. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => compareText(a, b)))
      : part,
  );

/** Returns the SHA-256 in hex of data whose keys always have the same order. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Compares by code unit, which is the same on every machine. */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
