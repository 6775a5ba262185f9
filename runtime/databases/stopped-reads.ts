/** Stops the statements of reads for which nobody waits any more. */

/** Milliseconds after which the server is asked again: it ignores what arrives before the statement. */
const repeatInterval = 500;

type Run<Connection> = <Result>(task: (connection: Connection) => Promise<Result>) => Promise<Result>;

export interface StopOptions<Connection> {
  /**
   * Runs a task on a connection. Where `isSpent` is true at its end, the connection is closed: the server may still receive
   * what was to stop the task, which must not meet another.
   */
  run<Result>(task: (connection: Connection) => Promise<Result>, isSpent: () => boolean): Promise<Result>;
  /** Asks the server to stop what a connection runs; is called until that has ended. */
  stop(connection: Connection): Promise<unknown>;
}

/** Returns what runs reads until the signal aborts; then they are stopped, and fail with its reason. */
export const stopWith =
  <Connection>(signal: AbortSignal, { run, stop }: StopOptions<Connection>): Run<Connection> =>
  async (task) => {
    signal.throwIfAborted();
    let timer: NodeJS.Timeout | null = null;
    return run(
      async (connection) => {
        signal.throwIfAborted();
        const ask = (): void => void stop(connection).catch(() => undefined);
        const begin = (): void => {
          timer = setInterval(ask, repeatInterval);
          ask();
        };
        signal.addEventListener('abort', begin, { once: true });
        try {
          const result = await task(connection);
          // what is stopped may end as if it were complete, such as a function that sleeps
          signal.throwIfAborted();
          return result;
        } catch (error) {
          throw signal.aborted ? signal.reason : error;
        } finally {
          signal.removeEventListener('abort', begin);
          if (timer !== null) clearInterval(timer);
        }
      },
      () => timer !== null,
    );
  };
