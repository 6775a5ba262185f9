/**
 * Limits the memory of processes by control groups, where systemd has handed the worker's own to it (`Delegate=memory`):
 * then the kernel ends a process that takes too much, however fast, and counts descendants wherever they are.
 * https://docs.kernel.org/admin-guide/cgroup-v2.html https://systemd.io/CGROUP_DELEGATION/
 */
import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface MemoryGroups {
  /** Puts a process into a new group. @param limit in bytes @returns null where that fails, as for a process that has ended */
  add(pid: number, limit: number): MemoryGroup | null;
}

export interface MemoryGroup {
  /** Kills all processes of the group, also those that have left the group of processes. */
  kill(): void;
  /** Removes the group of an ended process. @returns whether the kernel ended one of it for its memory */
  end(): boolean;
}

export interface MemoryGroupOptions {
  /** Where control groups are mounted. */
  readonly root?: string;
  /** Content of `/proc/self/cgroup`. */
  readonly membership?: string;
  /** Identifier of the user; null where the system has none. */
  readonly user?: number | null;
}

/** The group of a unit, in which this process may have been moved to a group of its own. */
const unitGroup = /^0::(\/.+\.service)(?:\/main)?$/m;

/** Returns null where the group of this process is not one of a unit that has been handed to its user. */
export const openMemoryGroups = ({
  root = '/sys/fs/cgroup',
  membership = readOr('/proc/self/cgroup', ''),
  user = process.getuid?.() ?? null,
}: MemoryGroupOptions = {}): MemoryGroups | null => {
  const path = unitGroup.exec(membership)?.[1];
  if (path === undefined) return null;
  const folder = join(root, path);
  try {
    // that of root belongs to root whether it has been handed over or not
    if (user === 0 || statSync(folder).uid !== user) return null;
    if (!readFileSync(join(folder, 'cgroup.controllers'), 'utf8').split(/\s/).includes('memory')) return null;
    handDown(folder);
  } catch {
    return null;
  }
  return { add: (pid, limit) => addGroup({ folder: join(folder, `model-${pid}`), pid, limit }) };
};

/** Moves all processes to a group below, since only a group without processes limits those below it. */
const handDown = (folder: string): void => {
  const main = join(folder, 'main');
  mkdirSync(main, { recursive: true });
  for (const pid of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean))
    writeIfPresent(join(main, 'cgroup.procs'), pid);
  writeFileSync(join(folder, 'cgroup.subtree_control'), '+memory');
};

interface NewGroup {
  readonly folder: string;
  readonly pid: number;
  readonly limit: number;
}

const addGroup = ({ folder, pid, limit }: NewGroup): MemoryGroup | null => {
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'memory.max'), String(limit));
    writeFileSync(join(folder, 'memory.oom.group'), '1');
    // absent where the kernel does not account for swap
    writeIfPresent(join(folder, 'memory.swap.max'), '0');
    writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  } catch {
    void removeGroup(folder);
    return null;
  }
  return {
    kill: () => writeIfPresent(join(folder, 'cgroup.kill'), '1'),
    end() {
      const events = readOr(join(folder, 'memory.events'), '');
      writeIfPresent(join(folder, 'cgroup.kill'), '1');
      void removeGroup(folder);
      return /^oom_kill [1-9]/m.test(events);
    },
  };
};

/** Removes a group once its last process has ended. */
const removeGroup = async (folder: string): Promise<void> => {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      return rmdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return;
    }
    await sleep(100, undefined, { ref: false });
  }
};

const readOr = (file: string, absent: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return absent;
  }
};

const writeIfPresent = (file: string, text: string): void => {
  try {
    writeFileSync(file, text, { flag: 'r+' });
  } catch {
    // the file, or the process that it names, is not there
  }
};
