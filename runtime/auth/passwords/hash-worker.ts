/** Entry point of the child process that computes hashes; `hash-process.ts` starts it and sends it tasks. */
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { computeHash, type HashTask } from './argon2.js';

/** Returns the ids of all threads: on Linux each has its own priority, and the worker threads already run. */
const threads = (): readonly number[] => {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [process.pid];
  }
};

// low, but not the idle class: on a busy machine an idle-class thread would never run
for (const thread of threads()) setPriority(thread, constants.priority.PRIORITY_LOW);
// a terminal sends SIGINT to the whole process group: finish the current hash, the parent ends this process
process.on('SIGINT', () => undefined);
// also happens when the parent crashed
process.once('disconnect', () => process.exit());
process.on('message', (task: HashTask) => {
  void computeHash(task).then((result) => process.send?.(result));
});
