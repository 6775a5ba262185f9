/**
 * Returns a function that creates a value on first use and then returns the same one. After a failure, the
 * next call creates it again, once `rest` milliseconds have passed.
 */
export const lazy = <Result>(make: () => Promise<Result>, rest = 0): (() => Promise<Result>) => {
  let made: Promise<Result> | null = null;
  const forget = (): void => {
    made = null;
  };
  return () =>
    (made ??= make().catch((error: unknown) => {
      if (rest === 0) forget();
      else setTimeout(forget, rest).unref();
      throw error;
    }));
};
