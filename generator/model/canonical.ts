/** Hashes of data. */
import { createHash } from 'node:crypto';

/** Returns the SHA-256 in hex of data whose keys always have the same order. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');
