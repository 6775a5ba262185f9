/**
 * Returns a function that creates a value on first use and then returns the same one. After a failure, a call creates
 * it again once `retryDelay` milliseconds have passed.
 */
export const lazy = <Result>(create: () => Promise<Result>, retryDelay = 0): (() => Promise<Result>) => {
  let created: Promise<Result> | null = null;
  const reset = (): void => {
    created = null;
  };
  return () =>
    (created ??= create().catch((error: unknown) => {
      if (retryDelay === 0) reset();
      else setTimeout(reset, retryDelay).unref();
      throw error;
    }));
};
