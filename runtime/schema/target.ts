/** Reads what a difference is made of and applied to. */
import type { Database } from '../databases/contract.js';
import { readAccess } from './access-rows/read.js';
import { readLive, type LiveOptions } from './live-schema.js';
import type { Snapshot } from './snapshot/types.js';
import { schemaToSnapshot, type LiveSchema } from './snapshot/write.js';

export interface Target {
  readonly live: LiveSchema;
  readonly target: Snapshot;
}

/**
 * Reads the schema that a diff is compared with, and its snapshot.
 * @param withAccess whether roles, policies and permissions are part of it
 */
export const readTarget = async (
  services: { readonly database: Database; readonly tables: LiveOptions['tables'] },
  withAccess: boolean,
): Promise<Target> => {
  const live = await readLive(services);
  const access = withAccess ? await readAccess(services.database) : {};
  return { live, target: { ...schemaToSnapshot(live), ...access } };
};
