/** Where servers of the tests keep their data. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
/** Bytes that must be free: a run takes about two gigabytes at most. */
const enough = 8 * 1024 ** 3;

/** Returns a directory in memory where Linux has enough of it, otherwise that of temporary files. */
export const dataFolder = (): string => {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enough ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
};
