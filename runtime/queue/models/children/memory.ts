/** Measures the memory of processes from `/proc`. */
import { readFileSync } from 'node:fs';

/**
 * Returns the resident memory of a process and its descendants in bytes. Buffers count, which a limit of the heap does
 * not cover. Returns 0 for a process that ended, and on systems without `/proc`.
 */
export const residentMemory = (process: number): number => {
  const own = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${process}/status`))?.[1] ?? '0';
  const descendants = read(`/proc/${process}/task/${process}/children`).split(' ').filter(Boolean);
  return descendants.reduce((sum, each) => sum + residentMemory(Number(each)), Number(own) * 1024);
};

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
