/** Notes for each file how long its process computed, and how long it waited for a processor, for `counts.ts`. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';

declare module 'vitest' {
  export interface TaskMeta {
    /** Of the process of the file, without others that it started; absent where a hook failed. */
    processor?: ProcessorTime;
  }
}

/** Times in seconds. */
interface ProcessorTime {
  readonly used: number;
  /** Time in which the process was ready to run, and others had the processors; 0 outside of Linux. */
  readonly waited: number;
}

const readTime = (): ProcessorTime => {
  const { user, system } = process.cpuUsage();
  return { used: (user + system) / 1e6, waited: readWaited() };
};

/** Reads the time that the kernel counts for the main thread: used, waited, number of slices. */
const readWaited = (): number => {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e9;
  } catch {
    return 0;
  }
};

let start = readTime();

beforeAll(() => {
  start = readTime();
});

// oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern, to know what the hook needs
afterAll(({}, suite) => {
  const end = readTime();
  suite.meta.processor = { used: end.used - start.used, waited: end.waited - start.waited };
});
