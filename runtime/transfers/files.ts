/** Stored files of imports: what was sent, and the rows that were not stored. */
import type { FileStore } from '../queue/requests/files.js';

/** Name of the stored file of an import. */
export const sourceName = 'import';

/** Returns whether this host has the file of an import, or an object store has it. */
export const hasSource = async (files: Pick<FileStore, 'read'>, request: string): Promise<boolean> => {
  const file = await files.read(request, sourceName);
  file?.stream.destroy();
  return file !== null;
};

/** Name of the file with the rows that were not stored. */
export const rejectedName = 'rejected.csv';
