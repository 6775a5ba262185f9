/** Waits for a condition instead of a fixed time. */

export interface UntilOptions {
  /** Description of the condition in the error; defaults to its source code. */
  readonly what?: string;
  /** Timeout in milliseconds; defaults to 60 s. */
  readonly timeout?: number;
  /** Polling interval in milliseconds. */
  readonly interval?: number;
  /** Returns details for the error. */
  seen?(): unknown;
}

type Absent = null | undefined | false;

/**
 * Polls until `read` returns a value, and returns it.
 * @throws Error with the condition and the last value at the timeout
 */
export const until = async <Value>(
  read: () => Promise<Value | Absent> | Value | Absent,
  options: UntilOptions = {},
): Promise<Value> => {
  const { what = String(read), timeout = 60_000, interval = 25, seen } = options;
  const deadline = performance.now() + timeout;
  for (;;) {
    const found = await read();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > deadline) {
      const last = JSON.stringify((await seen?.()) ?? found ?? null);
      throw new Error(`not within ${timeout} ms: ${what}\nseen last: ${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
};
