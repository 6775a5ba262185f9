/** The real pipeline on the archive, for whatever access says. */
import type { Access } from '../../../runtime/access/access.js';
import { createHandle, type Handle } from '../../../runtime/handle.js';
import { loadDialect } from '../../../runtime/sql/dialects.js';
import type { Archive } from './archive.js';

/** Rows of a list without a limit. */
export const fallback = 6;

/** Milliseconds a property may take: a busy machine takes its time. */
export const patience = process.env.LONG === undefined ? 180_000 : 3_600_000;

export const openPipeline = async ({
  registry,
  database,
  dialect: name,
}: Archive): Promise<(access: Access) => Handle> => {
  const limits = { fallback, most: null };
  const dialect = await loadDialect(name);
  const services = { registry, database, dialect, limits, publicLimits: limits, maxDepth: 10 };
  return (access) => createHandle({ ...services, access, isOperation: () => false });
};
