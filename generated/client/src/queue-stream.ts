/** Reads server-sent events of the queue. */
import type { QueueStatus } from './queue-status.js';

export interface StatusEvent {
  readonly status: QueueStatus;
  /** Position in the log, with which a new connection continues; `null` without log lines. */
  readonly id: string | null;
}

/** Yields each event; skips comments, which keep the connection alive. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StatusEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = fieldOf(event, 'data');
        if (data !== null) yield { status: JSON.parse(data) as QueueStatus, id: fieldOf(event, 'id') };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const fieldOf = (event: string, name: string): string | null => {
  const line = event.split('\n').find((each) => each.startsWith(`${name}: `));
  return line === undefined ? null : line.slice(name.length + 2);
};

/** Milliseconds before each attempt to reopen a failed stream. */
const pauses = [250, 1_000, 4_000, 15_000];

/**
 * Yields events until the request has ended, and reconnects when the connection breaks, after the last line of the log.
 * @param open opens a stream that continues after an event
 * @param isFinal returns true for an error that a new connection would repeat
 */
export async function* follow(
  open: (lastEvent: string | null) => Promise<AsyncGenerator<StatusEvent, void>>,
  isFinal: (error: unknown) => boolean,
): AsyncGenerator<QueueStatus, void> {
  let lastEvent: string | null = null;
  let failures = 0;
  for (;;) {
    try {
      for await (const { status, id } of await open(lastEvent)) {
        failures = 0;
        lastEvent = id ?? lastEvent;
        yield status;
        if (status.status === 'COMPLETED') return;
      }
    } catch (error) {
      if (isFinal(error) || failures >= pauses.length) throw error;
    }
    const pause = pauses[Math.min(failures, pauses.length - 1)];
    failures += 1;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
