/** Directories of programs that are downloaded or built once. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';

/**
 * Fills a directory if it is missing. It has its name only when it is complete, so that runs that were aborted, and others
 * that need it at the same time, see all of it or nothing.
 * @param fill writes into the directory whose path it is given
 */
export const requireFolder = async (
  folder: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<void> => {
  if (existsSync(folder)) return;
  const temporary = `${folder}.${process.pid}`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });
  try {
    await fill(temporary);
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
};
