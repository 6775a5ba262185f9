/** Notes for each file how long its process computed, and how long it waited for a processor, for `counts.ts`. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';

declare module 'vitest' {
  export interface TaskMeta {
    /** Of the process of the file; absent where a hook failed. */
    processor?: ProcessorTime;
  }
}

/** Times in seconds. */
interface ProcessorTime {
  readonly used: number;
  /** Time of processes that the file started and that have ended; 0 outside of Linux. */
  readonly byOthers: number;
  /** Time in which the process was ready to run, and others had the processors; 0 outside of Linux. */
  readonly waited: number;
}

const readTime = (): ProcessorTime => {
  const { user, system } = process.cpuUsage();
  return { used: (user + system) / 1e6, byOthers: readOfEnded(), waited: readWaited() };
};

/** Reads the time that the kernel counts for the main thread: used, waited, number of slices. */
const readWaited = (): number => {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e9;
  } catch {
    return 0;
  }
};

/** Reads the time that the kernel counts for children which have ended, and for theirs. */
const readOfEnded = (): number => {
  try {
    const afterName = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1) ?? '';
    const [user, system] = afterName.split(' ').slice(13, 15);
    return (Number(user) + Number(system)) / ticksPerSecond;
  } catch {
    return 0;
  }
};

/** The same on every machine with Linux. */
const ticksPerSecond = 100;

let start = readTime();

beforeAll(() => {
  start = readTime();
});

// oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern, to know what the hook needs
afterAll(({}, suite) => {
  const end = readTime();
  suite.meta.processor = {
    used: end.used - start.used,
    byOthers: end.byOthers - start.byOthers,
    waited: end.waited - start.waited,
  };
});
