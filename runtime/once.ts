/** Made when it is first asked for; then the same for everybody. What fails is made anew by whoever asks next. */
export const once = <Result>(make: () => Promise<Result>): (() => Promise<Result>) => {
  let made: Promise<Result> | null = null;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    }));
};
