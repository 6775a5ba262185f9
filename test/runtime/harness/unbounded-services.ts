/** Services that limit nothing, for tests of what a read returns. */
import { createFairQueue } from '../../../runtime/concurrency/fair-queue.js';
import { createCursors } from '../../../runtime/items/cursors.js';
import { createAnswerBudget } from '../../../runtime/execute/answer-budget.js';

export const unboundedServices = {
  tagOf: async () => null,
  cursors: createCursors(async () => Buffer.from('a secret of tests')),
  answers: createAnswerBudget(Number.POSITIVE_INFINITY),
  admission: createFairQueue({
    concurrency: Number.POSITIVE_INFINITY,
    maxTasks: Number.POSITIVE_INFINITY,
    tasks: 'requests',
    service: 'server',
  }),
};
