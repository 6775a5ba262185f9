/** Progress of an apply on stderr: the statement that runs, and the time left. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../config/refusal.js';
import type { DescribedApply } from '../../schema/apply/describe.js';
import { createProgress } from '../output.js';
import { createTimeLeft, type StepProgress } from './time-left.js';

export interface ApplyProgress {
  step(description: string, progress: StepProgress): void;
  done(): void;
}

/** Creates the progress of one apply; prints nothing before its first step. */
export const createApplyProgress = (): ApplyProgress => {
  const progress = createProgress();
  const timeLeft = createTimeLeft();
  let last = '';
  return {
    step(description, { done, steps }) {
      const at = `${done + 1}/${steps} ${description}`;
      if (at === last) return;
      last = at;
      const left = timeLeft({ done, steps });
      progress.step(`${at}${left === '' ? '' : `, ${left}`}`);
    },
    done: progress.done,
  };
};

/** Milliseconds between two looks, and for which an instance may be away while it replaces its processes. */
const interval = 500;
const awayLimit = 30_000;

/**
 * Resolves when an apply that an instance runs has ended.
 * @param read returns it as it is now
 * @throws Refusal where it failed, was given up or waits for a person
 */
export const followApply = async (
  begun: DescribedApply,
  read: (id: string) => Promise<DescribedApply>,
): Promise<void> => {
  const progress = createApplyProgress();
  let apply = begun;
  let seen = performance.now();
  while (apply.ended === null && apply.state !== 'waiting') {
    if (apply.step !== null) progress.step(apply.step, { done: apply.steps_done, steps: apply.steps });
    await sleep(interval);
    try {
      apply = await read(apply.id);
      seen = performance.now();
    } catch (error) {
      if (performance.now() - seen > awayLimit) throw error;
    }
  }
  progress.done();
  if (apply.state === 'done') return;
  throw new Refusal(`the apply ${apply.id} is ${apply.state}: ${apply.error ?? 'no reason is recorded'}`);
};
