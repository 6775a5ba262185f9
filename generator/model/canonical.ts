/** Hashes of data, and an order that is the same on every machine. */
import { createHash } from 'node:crypto';

/** Returns the SHA-256 in hex of data whose keys always have the same order. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Compares by code unit, which is the same on every machine. */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
