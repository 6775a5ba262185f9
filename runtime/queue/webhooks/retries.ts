/** When a delivery that failed is tried again. */

export const maxAttempts = 31;

const first = 5_000;
const longest = 6 * 3_600_000;

/** Milliseconds before attempt `number` + 1: doubled each time, a quarter more or less, at least what is asked for. */
export const retryDelay = (
  number: number,
  asked: number | null,
  random: () => number = Math.random,
): number => {
  const planned = Math.min(longest, first * 2 ** (number - 1));
  return Math.max(asked ?? 0, Math.round(planned * (0.75 + random() / 2)));
};

/** Milliseconds that attempt `number` may take. */
export const attemptTimeout = (number: number): number => (number === 1 ? 15_000 : 120_000);
