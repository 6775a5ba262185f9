/** Estimates how long the steps of an apply still take. */

export interface StepProgress {
  /** Steps that have ended, and all that are known. */
  readonly done: number;
  readonly steps: number;
}

/**
 * Creates a function that returns the time left, such as `about 40 s left`, by the average of the steps that have ended; an
 * empty text before the first has.
 * @param now the clock, in milliseconds
 */
export const createTimeLeft = (now: () => number = () => performance.now()) => {
  const began = now();
  return ({ done, steps }: StepProgress): string => {
    if (done === 0) return '';
    const seconds = Math.ceil((((now() - began) / done) * (steps - done)) / 1000);
    return seconds < 120 ? `about ${seconds} s left` : `about ${Math.ceil(seconds / 60)} min left`;
  };
};
