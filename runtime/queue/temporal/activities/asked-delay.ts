/** Delays the next attempt of a request for an inference server that asks for it. */
import { attemptDelays } from '../../contract.js';

/**
 * Returns how long the next attempt to run a model waits for an inference server that asks for it.
 * @param asked milliseconds
 * @param attempt number of the attempt that has failed, counted by Temporal
 * @returns milliseconds, up to a quarter more than asked, so that requests do not return together; undefined where the
 *   usual delay is longer
 */
export const askedDelay = (asked: number | undefined, attempt: number): number | undefined => {
  const usual = Math.min(attemptDelays.most, attemptDelays.first * 2 ** (attempt - 1));
  return asked === undefined || asked <= usual ? undefined : asked * (1 + Math.random() / 4);
};
