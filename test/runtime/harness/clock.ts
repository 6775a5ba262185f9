import { afterAll, beforeAll, vi } from 'vitest';

/** Step of one-time passwords, in milliseconds. */
const step = 30_000;

/**
 * Stops the clock of this process, the server's too, in the middle of a step of one-time passwords, for the tests of the
 * surrounding `describe`: however long they take, a code stays that of the present step. Timers go on.
 */
export const stopClock = (): void => {
  beforeAll(() => {
    vi.setSystemTime(Math.floor(Date.now() / step) * step + step / 2);
  });
  afterAll(() => {
    vi.useRealTimers();
  });
};
