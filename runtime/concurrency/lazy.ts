/**
 * Made when it is first asked for; then the same for everybody. What fails is made anew by whoever asks next, after a
 * rest of so many milliseconds.
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
