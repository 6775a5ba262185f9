/** Checks whether the schema of the database is still that of a build, and makes the build of the new one where it is not. */
import { coalesceCalls } from '../concurrency/call-coalescing.js';
import type { Database } from '../databases/contract.js';
import { readSchemaVersion, type SchemaVersion } from '../schema/version.js';
import { prepareBuild, type PrepareOptions } from './prepare.js';

/** A build and the schema that it is of. */
export interface CheckedSchema {
  readonly directory: string;
  /** Generation of the schema. */
  readonly generation: number;
}

export interface BuildCheck {
  /**
   * Returns the build of the schema as it is now.
   * @param forced compares the whole schema and the spec, also where the first check finds no change
   * @throws Error or Refusal where it cannot be made, once for each change
   */
  check(forced: boolean): Promise<CheckedSchema>;
  /** Returns why the build of the schema as it is now cannot be made; null where it can. */
  failure(): string | null;
}

/**
 * Creates the check of the schema, which makes a build where it has changed.
 * @param directory the build that is served; null: none yet
 */
export const createBuildCheck = (options: PrepareOptions, directory: string | null): BuildCheck => {
  let version: string | null = null;
  let current: CheckedSchema | null = directory === null ? null : { directory, generation: 0 };
  let failure: string | null = null;
  const check = async (forced: boolean): Promise<CheckedSchema> => {
    let now: string | null = null;
    try {
      // before the schema, so that a change that comes meanwhile is seen by the next check
      const read = await readVersion(options.database, current === null);
      now = read.text;
      if (current !== null && !forced && now === version) return current;
      const began = performance.now();
      const { directory: next, changes } = await prepareBuild(options, current?.directory ?? null);
      version = now;
      failure = null;
      if (current !== null && next !== current.directory)
        void reportChanges({ changes, ms: performance.now() - began }, options);
      return (current = { directory: next, generation: read.generation });
    } catch (error) {
      if (current === null || options.database.isConnectionLoss(error)) throw error;
      // the same schema is not built again and again
      version = now;
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== failure) options.observe({ kind: 'schemaReloadFailed', reason });
      failure = reason;
      throw error;
    }
  };
  return { check: coalesceCalls(check, (first, second) => first || second), failure: () => failure };
};

const unknownVersion = { text: null, generation: 0 };

/**
 * Reads the version of the schema. Before the first build, the system tables may be missing, which the build then reports in
 * full.
 */
const readVersion = async (
  database: Database,
  isFirst: boolean,
): Promise<SchemaVersion | typeof unknownVersion> => {
  try {
    return await readSchemaVersion(database);
  } catch (error) {
    if (isFirst && !database.isConnectionLoss(error)) return unknownVersion;
    throw error;
  }
};

interface Change {
  readonly changes: Promise<readonly string[]>;
  /** Milliseconds from noticing it to the end of the build. */
  readonly ms: number;
}

const reportChanges = async ({ changes, ms }: Change, { observe }: PrepareOptions): Promise<void> => {
  try {
    observe({ kind: 'schemaChanged', changes: await changes, ms });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    observe({ kind: 'warning', message: `the schema has changed; what changed is unknown: ${reason}` });
  }
};
