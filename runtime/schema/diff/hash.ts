/** The hash that binds a diff to its target. */
import { createHash } from 'node:crypto';
import type { Snapshot } from '../snapshot/types.js';
import { canonicalJson } from '../../../contract/objects.js';

/** Hashes schema, meta and version of a target. */
export const hashSnapshot = (snapshot: Snapshot): string =>
  createHash('sha256').update(canonicalJson(snapshot)).digest('hex').slice(0, 40);
