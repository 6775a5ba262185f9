/** Reads server-sent events of the queue. */
import type { LogLine, QueueStatus } from './queue-status.js';

/** Yields the data of each event; skips comments, which keep the connection alive. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<QueueStatus, void> {
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
        if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length)) as QueueStatus;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Milliseconds before each attempt to reopen a failed stream. */
const pauses = [250, 1_000, 4_000, 15_000];

/**
 * Yields events until the request has ended, and reconnects when the connection breaks. Every stream repeats the log
 * from its start; lines that were already yielded are omitted.
 * @param isFinal returns true for an error that a new connection would repeat
 */
export async function* follow(
  open: () => Promise<AsyncGenerator<QueueStatus, void>>,
  isFinal: (error: unknown) => boolean,
): AsyncGenerator<QueueStatus, void> {
  let yieldedLines = 0;
  let failures = 0;
  for (;;) {
    let linesToSkip = yieldedLines;
    try {
      for await (const status of await open()) {
        failures = 0;
        const logs = withoutFirst(status.logs, linesToSkip);
        linesToSkip = Math.max(0, linesToSkip - (status.logs?.length ?? 0));
        yieldedLines += logs?.length ?? 0;
        yield { ...status, logs };
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

const withoutFirst = (logs: readonly LogLine[] | null, count: number): readonly LogLine[] | null =>
  logs === null ? null : logs.slice(count);
