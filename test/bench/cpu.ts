/** CPU time of a process from `/proc`, which is stable on a busy machine. Linux only. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** CPU time of all threads so far, in microseconds (proc(5): utime and stime of `stat`, in clock ticks). */
export const readCpu = (pid: number): number => {
  const fields = statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const ticks = Number(fields[11]) + Number(fields[12]);
  return (ticks * 1_000_000) / ticksPerSecond();
};

/** The same of a process and of those it has started and still has: PostgreSQL keeps one per connection. */
export const readTreeCpu = (pid: number): number =>
  readChildren(pid).reduce((sum, child) => sum + readCpuOfChild(child), readCpu(pid));

/** A child may end between being listed and being read. */
const readCpuOfChild = (pid: number): number => {
  try {
    return readCpu(pid);
  } catch {
    return 0;
  }
};

/** The second field is the name in parentheses and may itself hold spaces: what follows it is counted from there. */
const statFields = (text: string): string[] => text.slice(text.lastIndexOf(')') + 2).split(' ');

let ticks: number | null = null;

const ticksPerSecond = (): number =>
  (ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })));

/** Resident memory in megabytes. */
export const readMemory = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
};

export const readChildren = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** Clock ticks of all cores since the machine started. */
export interface MachineTimes {
  /** Taken by other guests of the same host. */
  readonly stolen: number;
  readonly total: number;
}

export const readMachine = (): MachineTimes => {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '';
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
  return { stolen: times[7] ?? 0, total: times.reduce((sum, time) => sum + time, 0) };
};
