/** The process that computes hashes and nothing else: `apart.ts` starts it and talks to it. */
import { constants, setPriority } from 'node:os';
import { computeHash, type HashTask } from './argon2.js';

// behind whatever answers requests, yet not last of all: on a busy machine that would be never
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
// a terminal sends it to the whole group: what has been begun is finished
process.on('SIGINT', () => undefined);
// however the parent has ended
process.once('disconnect', () => process.exit());
process.on('message', (task: HashTask) => {
  void computeHash(task).then((answer) => process.send?.(answer));
});
