/**
 * Stores the lines of attempts that ended while the database was away. They arrive when it is back; where there are too many,
 * a mark with their number takes their place.
 */
import type { RunLog } from './run-log.js';

export interface LateLogs {
  /** Keeps the lines of a log that could not be written, and writes them later. */
  keep(log: RunLog, run: LoggedRun): void;
  /** Tries once more to write what is kept, and reports what is lost. */
  close(): Promise<void>;
}

export interface LoggedRun {
  readonly request: string;
  readonly model: string;
}

export interface LateLogOptions {
  readonly onLost: (lost: LoggedRun & { readonly lines: number }) => void;
  /** Milliseconds between two tries. */
  readonly interval?: number;
  /** Lines that are kept in all. */
  readonly maxLines?: number;
}

/**
 * Creates an empty store, which tries again every `interval` milliseconds and keeps at most `maxLines` lines.
 */
export const createLateLogs = ({ onLost, interval = 1_000, maxLines = 50_000 }: LateLogOptions): LateLogs => {
  const kept = new Map<RunLog, LoggedRun>();
  let timer: NodeJS.Timeout | undefined;

  const writeAll = async (): Promise<void> => {
    for (const log of kept.keys()) {
      // as long as one fails, the others would
      await log.end();
      kept.delete(log);
    }
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => {
      void writeAll()
        .catch(() => undefined)
        .finally(() => {
          timer = undefined;
          if (kept.size > 0) schedule();
        });
    }, interval).unref();
  };

  return {
    keep(log, run) {
      kept.set(log, run);
      const waiting = [...kept.keys()].reduce((sum, each) => sum + each.waiting(), 0);
      if (waiting > maxLines) onLost({ ...run, lines: log.discard() });
      schedule();
    },
    async close() {
      clearTimeout(timer);
      await writeAll().catch(() => undefined);
      for (const [log, run] of kept) onLost({ ...run, lines: log.waiting() });
      kept.clear();
    },
  };
};
