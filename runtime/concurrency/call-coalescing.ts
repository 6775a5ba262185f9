/** Runs a task again and again, never twice at a time. */

/**
 * Returns a function that runs a task. A call during a run waits for it to end and shares the next run with all others that
 * wait, so that each call sees the task begin after it.
 * @param merge makes one input of those of two calls
 */
export const coalesceCalls = <Input, Result>(
  run: (input: Input) => Promise<Result>,
  merge: (first: Input, second: Input) => Input,
): ((input: Input) => Promise<Result>) => {
  let running: Promise<unknown> = Promise.resolve();
  let next: { input: Input; readonly result: Promise<Result> } | null = null;
  return (input) => {
    if (next !== null) {
      next.input = merge(next.input, input);
      return next.result;
    }
    const begin = (): Promise<Result> => {
      const waiting = next?.input ?? input;
      next = null;
      return run(waiting);
    };
    const result = running.then(begin, begin);
    next = { input, result };
    running = result;
    return result;
  };
};
