/**
 * Collects the log lines of a run in its child process. The first lines of each interval are sent at once, because a
 * function may never return to the event loop; a flood is sent in batches, and later only in samples.
 */
import type { LogLevel } from '../../../../contract/queue-model.js';
import type { ChildLine, FromChild } from './messages.js';

export interface ChildLog {
  add(message: string, level: LogLevel): void;
  flush(): void;
}

/** Maximum characters of a line. */
const maxLength = 8_000;
/** Lines after which only samples are sent; the worker keeps fewer. */
const fullLines = 10_000;
const batchSize = 100;
/** Milliseconds. */
const interval = 100;
/** Messages of each interval that are sent at once. */
const maxImmediate = 20;

type LogMessage = Extract<FromChild, { kind: 'log' }>;

/** Creates the log of one run; the process is reused, so that each run has its own. */
export const createChildLog = (send: (message: LogMessage) => void): ChildLog => {
  let lines: ChildLine[] = [];
  let skipped = 0;
  let total = 0;
  let intervalStart = 0;
  let sent = 0;
  let timer: NodeJS.Timeout | null = null;

  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (lines.length === 0 && skipped === 0) return;
    send({ kind: 'log', lines, skipped });
    lines = [];
    skipped = 0;
  };

  return {
    flush,
    add(message, level) {
      const time = Date.now();
      total += 1;
      lines.push({ message: message.slice(0, maxLength), level, time });
      if (lines.length > batchSize) {
        lines.shift();
        skipped += 1;
      }
      if (time - intervalStart >= interval) {
        intervalStart = time;
        sent = 0;
      }
      sent += 1;
      const isFull = total <= fullLines && lines.length === batchSize;
      if (isFull || sent <= (total <= fullLines ? maxImmediate : 1)) flush();
      else timer ??= setTimeout(flush, interval);
    },
  };
};
