/** The process that computes hashes and nothing else: `hash-process.ts` starts it and talks to it. */
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { computeHash, type HashTask } from './argon2.js';

/** Linux gives every thread a priority of its own, and those that compute are there already. */
const threads = (): readonly number[] => {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [process.pid];
  }
};

// behind everything else, yet not of the idle class: on a busy machine that would be never
for (const thread of threads()) setPriority(thread, constants.priority.PRIORITY_LOW);
// a terminal sends it to the whole group: what has been begun is finished
process.on('SIGINT', () => undefined);
// however the parent has ended
process.once('disconnect', () => process.exit());
process.on('message', (task: HashTask) => {
  void computeHash(task).then((answer) => process.send?.(answer));
});
