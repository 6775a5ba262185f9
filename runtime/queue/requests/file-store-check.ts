/** Checks at startup that files of models can be stored. */
import type { QueueSettings } from '../settings.js';
import { checkFilesDir } from './files-dir.js';

/** Checks that files can be written to the folder and the object store of the settings. @returns an error message, or null */
export const checkFileStore = async ({
  filesDir,
  filesStore,
}: Pick<QueueSettings, 'filesDir' | 'filesStore'>): Promise<string | null> => {
  const fault = await checkFilesDir(filesDir);
  if (fault !== null || filesStore === null) return fault;
  const { checkObjectStore } = await import('./object-store.js');
  return checkObjectStore(filesStore);
};
