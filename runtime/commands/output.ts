/** Output of commands: results on stdout, progress and errors on stderr, exit codes 0, 1 and 2. */
import { isRefusal } from '../config/refusal.js';

/** Writes a line to stdout, which holds nothing but results. */
export const printLine = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Writes a value to stdout as JSON with an indentation of two, as `--json` does. */
export const printJson = (value: unknown): void => printLine(JSON.stringify(value, null, 2));

/** Number of lines above which lists are shortened. */
export const maxLines = 20;

/** Returns the first lines, and one that counts the others. */
export const limitLines = (lines: readonly string[]): readonly string[] =>
  lines.length <= maxLines
    ? lines
    : [...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more; --json lists all`];

export interface Progress {
  step(text: string): void;
  /** Shows how much is done. @param percent 0 to 100 */
  bar(percent: number, text: string): void;
  done(): void;
}

/** Creates progress output: a single updated line on a terminal, one line per message elsewhere. */
export const createProgress = (stream: NodeJS.WriteStream = process.stderr): Progress => {
  let last = '';
  return {
    step: (text) => void stream.write(stream.isTTY ? `\r\u001B[K… ${text}` : `${text}\n`),
    bar(percent, text) {
      const done = Math.floor(percent / 5);
      const shown = stream.isTTY
        ? `\r\u001B[K[${'#'.repeat(done)}${'-'.repeat(20 - done)}] ${percent} %, ${text}`
        : // where lines stay, each tenth has one
          `${Math.floor(percent / 10) * 10} %${percent === 100 ? `, ${text}` : ''}\n`;
      if (shown !== last) stream.write(shown);
      last = shown;
    },
    done: () => void (stream.isTTY && stream.write('\r\u001B[K')),
  };
};

/** Success (0) or a finding (1). */
type Outcome = 0 | 1;

/**
 * Wraps the body of a command. Refusals (faults in configuration or spec, an unknown user) exit with 1,
 * failures with 2; both print the reason on stderr, with a stack trace for `LOG_LEVEL=debug`.
 */
export const action =
  <Arguments extends unknown[]>(body: (...args: Arguments) => Promise<Outcome>) =>
  async (...args: Arguments): Promise<void> => {
    try {
      process.exitCode = await body(...args);
    } catch (error) {
      process.stderr.write(`svc: ${errorToText(error)}\n`);
      process.exitCode = isRefusal(error) ? 1 : 2;
    }
  };

const errorToText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (isListenError(error)) return listenErrorToText(error);
  const detailed = /^(debug|trace)$/.test(process.env.LOG_LEVEL ?? '');
  return detailed && !isRefusal(error) ? (error.stack ?? error.message) : error.message;
};

interface ListenError extends Error {
  readonly code: string;
  readonly address?: string;
  readonly port?: number;
  /** Of a name that was looked up. */
  readonly hostname?: string;
}

const isListenError = (error: Error): error is ListenError =>
  'syscall' in error && /^(?:listen|getaddrinfo)$/.test(String(error.syscall)) && 'code' in error;

const listenErrorToText = ({ code, address, port, hostname }: ListenError): string => {
  if (hostname !== undefined)
    return `the host name ${hostname} has no address (${code}); set HOST (or ADMIN_HOST) to an address of this machine`;
  const where = `port ${port ?? ''} of ${address ?? 'this machine'}`;
  switch (code) {
    case 'EADDRINUSE':
      return `${where} is in use; stop what uses it, or set PORT (or ADMIN_PORT) to another`;
    case 'EACCES':
      return `${where} needs rights that this user lacks; set PORT (or ADMIN_PORT) to one above 1023`;
    default:
      return `cannot listen on ${where} (${code}); set HOST to an address of this machine`;
  }
};
