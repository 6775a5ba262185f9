/** Made when it is first asked for; then the same for everybody. */
export const once = <Result>(make: () => Promise<Result>): (() => Promise<Result>) => {
  let made: Promise<Result> | null = null;
  return () => (made ??= make());
};
