/** Computes when a failed delivery is retried. */

export const maxAttempts = 31;

const initialDelay = 5_000;
const maxDelay = 6 * 3_600_000;

/** Returns the milliseconds before attempt `number` + 1: exponential backoff ±25 %, at least the requested delay. */
export const retryDelay = (
  number: number,
  requested: number | null,
  random: () => number = Math.random,
): number => {
  const planned = Math.min(maxDelay, initialDelay * 2 ** (number - 1));
  return Math.max(requested ?? 0, Math.round(planned * (0.75 + random() / 2)));
};

/** Returns the timeout of attempt `number` in milliseconds. */
export const attemptTimeout = (number: number): number => (number === 1 ? 15_000 : 120_000);
