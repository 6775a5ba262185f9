/** Checks the directory `QUEUE_FILES_DIR` at startup. */
import { access, constants, mkdir } from 'node:fs/promises';

/** Creates the directory if missing. @returns an error message if it is not writable, otherwise null */
export const checkFilesDir = async (directory: string): Promise<string | null> => {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return (
      `QUEUE_FILES_DIR: files of models cannot be written to "${directory}" (${code}); ` +
      'make it writable for this user or set another directory'
    );
  }
};
