/** Waits for a state instead of a time. */

export interface UntilOptions {
  /** What is awaited, for the message of a failure; the source of the condition when absent. */
  readonly what?: string;
  /** In milliseconds; 60 s when absent. */
  readonly timeout?: number;
  /** Between two looks, in milliseconds. */
  readonly interval?: number;
  /** What there is to see when it fails. */
  seen?(): unknown;
}

type Absent = null | undefined | false;

/**
 * Looks until `read` gives something, and returns it.
 * @throws Error with what was awaited and what was seen last
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
