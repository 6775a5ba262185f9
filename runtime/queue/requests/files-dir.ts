/** The folder of `QUEUE_FILES_DIR`, tried before the first file is written to it. */
import { access, constants, mkdir } from 'node:fs/promises';

/** Makes the folder where it is missing. @returns why models cannot write there, and what to do; `null`: they can */
export const faultOfFilesDir = async (directory: string): Promise<string | null> => {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return (
      `QUEUE_FILES_DIR: files of models cannot be written to "${directory}" (${code}); ` +
      'let this user write there, or name another folder'
    );
  }
};
