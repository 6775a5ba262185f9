/**
 * The log of an attempt. The first and the last lines are kept, with a mark where others were left out. Lines are
 * written in batches; while the database is away they wait, and those for which there is no room are counted.
 */
import type { LogLevel } from '../../../contract/queue-model.js';
import type { Statements } from '../../execute/system-rows.js';
import { insertLogs, lastSeq, type LogLine } from '../store/logs.js';

export interface RunLog {
  /** Returns the bytes of the lines that were or will be stored. */
  size(): number;
  add(message: string, level?: LogLevel, time?: number): void;
  /** Counts lines that were left out before they reached this log. */
  skip(lines: number): void;
  /** Writes what waits. @throws the error of the database; the lines are kept */
  flush(): Promise<void>;
  /** Writes everything, including the last lines. @throws the error of the database; the lines are kept */
  end(): Promise<void>;
  /** Returns the number of lines that are still to be written. */
  waiting(): number;
  /** Puts a mark in place of the lines that are still to be written. @returns their number */
  discard(): number;
}

export interface RunLogLimits {
  /** Lines, and bytes, that are kept from the start of an attempt. */
  readonly headLines: number;
  readonly headBytes: number;
  /** Lines that are kept from its end. */
  readonly tailLines: number;
}

export interface RunLogOptions {
  readonly statements: Statements;
  readonly request: string;
  readonly attempt: number;
  readonly limits?: RunLogLimits;
}

const defaultLimits: RunLogLimits = { headLines: 5_000, headBytes: 1_000_000, tailLines: 500 };
/** Maximum characters of a line. */
const maxLength = 8_000;
/** Lines per statement. */
const batchSize = 100;

type PendingLine = Pick<LogLine, 'message' | 'level' | 'time'>;

interface LineWriter {
  /** Numbers a line, which the next `flush` writes; returns how many there are. */
  add(line: PendingLine): number;
  /** Writes what waits. @throws the error of the database; the lines are kept */
  flush(): Promise<void>;
  waiting(): number;
  /** Puts a mark in place of what waits. @returns the number of lines that are lost */
  discard(): number;
}

/** Writes lines in their order, each once, although writes may fail after the database has stored their lines. */
const createLineWriter = ({ statements, request, attempt }: Omit<RunLogOptions, 'limits'>): LineWriter => {
  let waiting: LogLine[] = [];
  let seq = 0;
  /** True where the last write failed, after which its lines may be stored all the same. */
  let isUncertain = false;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (isUncertain) {
        const stored = await lastSeq(statements, { request, attempt });
        waiting = waiting.filter((line) => line.seq > stored);
        isUncertain = false;
      }
      const batch = waiting.slice(0, batchSize);
      if (batch.length === 0) return;
      isUncertain = true;
      await insertLogs(statements, batch);
      isUncertain = false;
      waiting = waiting.slice(batch.length);
    }
  };

  return {
    add(line) {
      seq += 1;
      waiting.push({ request, attempt, seq, ...line });
      return seq;
    },
    flush() {
      writing = writing.catch(() => undefined).then(write);
      return writing;
    },
    waiting: () => waiting.length,
    discard() {
      const lost = waiting.length;
      const last = waiting.at(-1);
      if (last !== undefined) waiting = [{ ...last, level: 'WARN', message: `${countLines(lost)} lost` }];
      return lost;
    },
  };
};

const countLines = (count: number): string => (count === 1 ? '1 line was' : `${count} lines were`);

const bytesOf = ({ message }: PendingLine): number => Buffer.byteLength(message);

/** Creates the log of one attempt. Nothing is stored before its first batch. */
export const createRunLog = ({ limits = defaultLimits, ...options }: RunLogOptions): RunLog => {
  const writer = createLineWriter(options);
  let tail: PendingLine[] = [];
  let [lines, headBytes, tailBytes, skipped] = [0, 0, 0, 0];
  let isFull = false;
  return {
    size: () => headBytes + tailBytes,
    add(message, level = 'INFO', time = Date.now()) {
      const line: PendingLine = { message: message.slice(0, maxLength), level, time };
      isFull ||= lines >= limits.headLines || headBytes >= limits.headBytes;
      if (!isFull) {
        headBytes += bytesOf(line);
        lines = writer.add(line);
        return;
      }
      tail.push(line);
      tailBytes += bytesOf(line);
      if (tail.length <= limits.tailLines) return;
      const dropped = tail.shift();
      if (dropped !== undefined) tailBytes -= bytesOf(dropped);
      skipped += 1;
    },
    skip(count) {
      skipped += count;
      isFull = true;
    },
    flush: () => writer.flush(),
    waiting: () => writer.waiting() + tail.length,
    discard: () => writer.discard(),
    end() {
      if (skipped > 0) {
        const text = `${countLines(skipped)} left out`;
        writer.add({ message: text, level: 'WARN', time: tail[0]?.time ?? Date.now() });
      }
      for (const line of tail) writer.add(line);
      [tail, skipped] = [[], 0];
      return writer.flush();
    },
  };
};
