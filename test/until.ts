/** Waits for a condition instead of a fixed time. */

export interface UntilOptions {
  /** Description of the condition in the error; defaults to its source code. */
  readonly what?: string;
  /** Timeout in milliseconds; defaults to 150 s, because busy machines are slow. */
  readonly timeout?: number;
  /** Milliseconds between two polls; by default 25, growing to 250 with the time that it takes. */
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
  const { what = String(read), timeout = 150_000, interval, seen } = options;
  const start = performance.now();
  for (;;) {
    const found = await read();
    if (found !== null && found !== undefined && found !== false) return found;
    const waited = performance.now() - start;
    if (waited > timeout) {
      const last = JSON.stringify((await seen?.()) ?? found ?? null);
      throw new Error(`not within ${timeout} ms: ${what}\nseen last: ${last}`);
    }
    // what takes long is not asked all the time: asking takes the processor from it
    await new Promise((resolve) => setTimeout(resolve, interval ?? Math.min(Math.max(25, waited / 20), 250)));
  }
};
