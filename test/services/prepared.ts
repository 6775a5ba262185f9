/** Directories of programs that are downloaded or built once. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Returns the path of a file in a directory, which is filled if the file is missing. The directory has its name only when it
 * is complete, so that runs that were aborted, and others that need it at the same time, see all of it or nothing.
 * @param file path below the directory
 * @param fill writes into the directory whose path it is given
 */
export const requireFile = async (
  folder: string,
  file: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> => {
  const path = join(folder, file);
  if (existsSync(path)) return path;
  const prefix = `${basename(folder)}.`;
  const temporary = join(dirname(folder), `${prefix}${process.pid}`);
  await mkdir(dirname(folder), { recursive: true });
  await removeLeftovers(dirname(folder), prefix);
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary);
  try {
    await fill(temporary);
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (!existsSync(path)) throw error;
  }
  return path;
};

/** Removes directories of processes that were killed: their names are the prefix, the process id, and anything. */
export const removeLeftovers = async (place: string, prefix: string): Promise<void> => {
  const names = await readdir(place);
  const left = names.filter((name) => {
    const owner = name.startsWith(prefix) ? /^\d+(?=-|$)/.exec(name.slice(prefix.length))?.[0] : undefined;
    return owner !== undefined && !isRunning(Number(owner));
  });
  await Promise.all(
    left.map((name) => rm(join(place, name), { recursive: true, force: true }).catch(() => undefined)),
  );
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
};
