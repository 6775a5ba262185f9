/** Server-sent events of the queue, as objects. */
import type { LogLine, QueueStatus } from './queue-status.js';

/** Data of each event; comments, which keep the connection alive, are skipped. */
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

/** Pauses before a stream that broke is opened again: milliseconds, one more each time. */
const pauses = [250, 1_000, 4_000, 15_000];

/**
 * Events until the request has ended, however often the connection breaks. A stream tells every line of the log from
 * the first on: what was told before is left out.
 * @param isFinal whether an error means that trying again is of no use
 */
export async function* follow(
  open: () => Promise<AsyncGenerator<QueueStatus, void>>,
  isFinal: (error: unknown) => boolean,
): AsyncGenerator<QueueStatus, void> {
  let told = 0;
  let broken = 0;
  for (;;) {
    let known = told;
    try {
      for await (const status of await open()) {
        broken = 0;
        const logs = withoutFirst(status.logs, known);
        known = Math.max(0, known - (status.logs?.length ?? 0));
        told += logs?.length ?? 0;
        yield { ...status, logs };
        if (status.status === 'COMPLETED') return;
      }
    } catch (error) {
      if (isFinal(error) || broken >= pauses.length) throw error;
    }
    const pause = pauses[Math.min(broken, pauses.length - 1)];
    broken += 1;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

const withoutFirst = (logs: readonly LogLine[] | null, count: number): readonly LogLine[] | null =>
  logs === null ? null : logs.slice(count);
