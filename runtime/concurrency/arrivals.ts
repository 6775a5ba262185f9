/**
 * Tells when connections may wait to be accepted. The event loop accepts one in each turn (libuv since 1.45), and takes one
 * from a supervisor: where requests keep it busy for 80 ms a turn, new connections come in at 12 a second, and nothing
 * bounds how long the others wait. Work that does not begin while they come lets the loop turn fast.
 */
export interface Arrivals {
  /** Counts a new connection. */
  count(): void;
  /** Sets whether a supervisor has further connections for this process. */
  expect(more: boolean): void;
  /**
   * Returns whether connections still come: one did in this turn of the event loop or the last, or is expected.
   * @param onEnd called once they do not, if they still come; once, however often the same function is passed
   */
  arePending(onEnd: () => void): boolean;
}

/** Maximum number of connections for which work waits: where they never cease to come, it goes on after so many. */
const maxConnections = 256;

/** Maximum pauses of a millisecond, for connections that are expected only: a busy machine hands them over late. */
const maxPauses = 50;

/** Creates the count of arriving connections of a process. */
export const createArrivals = (): Arrivals => {
  const callbacks = new Set<() => void>();
  let isPending = false;
  /** Connections since work waits, and those of them until the end of the last turn. */
  let connections = 0;
  let seen = 0;
  let isExpected = false;
  let pauses = 0;

  /** Runs when the events of a turn are handled. */
  const endTurn = (): void => {
    if (connections > seen && connections < maxConnections) {
      seen = connections;
      setImmediate(endTurn);
      return;
    }
    if (isExpected && connections < maxConnections && pauses < maxPauses) {
      pauses += 1;
      setTimeout(endTurn, 1);
      return;
    }
    isPending = false;
    isExpected = false;
    const waiting = [...callbacks];
    callbacks.clear();
    for (const callback of waiting) callback();
  };

  const begin = (): void => {
    isPending = true;
    connections = 0;
    seen = 0;
    pauses = 0;
    setImmediate(endTurn);
  };

  return {
    count() {
      if (!isPending) begin();
      connections += 1;
    },
    expect(more) {
      isExpected = more;
    },
    arePending(onEnd) {
      if (isPending) callbacks.add(onEnd);
      return isPending;
    },
  };
};

/** Arrivals at this thread, whose event loop all its servers share. */
export const arrivals = createArrivals();
