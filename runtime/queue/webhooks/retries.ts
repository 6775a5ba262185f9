/** Computes when a failed delivery is retried. */

export const maxAttempts = 31;

const initialDelay = 5_000;
const maxDelay = 6 * 3_600_000;

/**
 * Returns the milliseconds before attempt `number` + 1: exponential backoff ±25 %, at least the requested delay, which is
 * exceeded by up to a quarter so that deliveries do not return together.
 */
export const retryDelay = (
  number: number,
  requested: number | null,
  random: () => number = Math.random,
): number => {
  const planned = Math.min(maxDelay, initialDelay * 2 ** (number - 1));
  const jitter = random();
  return Math.round(Math.max((requested ?? 0) * (1 + jitter / 4), planned * (0.75 + jitter / 2)));
};

/** Returns the timeout of attempt `number` in milliseconds. */
export const attemptTimeout = (number: number): number => (number === 1 ? 15_000 : 120_000);
