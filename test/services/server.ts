/** Starts server processes that cannot outlive the tests, however these end. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServerOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Directory to remove after the server has ended. */
  readonly folder: string;
  /** Signal that ends the server; defaults to `KILL`. `QUIT` lets it release resources of the machine. */
  readonly signal?: 'KILL' | 'QUIT';
  /** Polled until it returns true. */
  isReady(): Promise<boolean>;
}

/**
 * The guard waits for the end of its standard input: it comes when the tests stop the server, and just as well when
 * their process is killed. It ignores Ctrl-C, after which it has to remove the folder; silent itself, because
 * nobody may be left to read. In the session of the tests: Linux divides the processors among sessions first
 * (`sched_autogroup`), so that a server with a session of its own would get as much as all tests together, and one of
 * their processes next to nothing.
 */
const guard = `
trap '' INT
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
exec >/dev/null 2>&1
(cat <&3; kill -$SIGNAL $server) &
wait $server
status=$?
rm -rf "$FOLDER"
exit $status`;

/**
 * Runs a program that prepares the folder of a server, and ends it with the tests too: MySQL's computes for ever where its
 * folder disappears. @throws Error with the end of its log
 */
export const runGuarded = async (program: string, args: readonly string[]): Promise<void> => {
  const child = spawnGuarded(program, args, { FOLDER: '', SIGNAL: 'KILL' });
  const readLog = keepLog(child);
  const [status] = (await once(child, 'exit')) as [number | null];
  child.stdin.end();
  if (status !== 0) throw new Error(`${program} failed with status ${status}:\n${readLog()}`);
};

const spawnGuarded = (program: string, args: readonly string[], more: Readonly<Record<string, string>>) =>
  spawn('/bin/sh', ['-c', guard, 'guard', program, ...args], {
    env: { ...process.env, ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
  });

/** Returns a function that returns the end of what a process has printed. */
const keepLog = ({ stdout, stderr }: ChildProcessWithoutNullStreams): (() => string) => {
  let log = '';
  for (const stream of [stdout, stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-4000)));
  return () => log;
};

/** Starts a server and waits until it is ready. @throws Error with the end of its log */
export const startServer = async (options: ServerOptions): Promise<{ stop(): Promise<void> }> => {
  const child = spawnGuarded(options.program, options.args, {
    FOLDER: options.folder,
    SIGNAL: options.signal ?? 'KILL',
  });
  const readLog = keepLog(child);
  let phase: 'starting' | 'ready' | 'stopping' = 'starting';
  let running = true;
  child.once('exit', (status) => {
    running = false;
    // the tests that use it fail from now on, and nothing else says why
    if (phase === 'ready')
      process.stderr.write(`${options.program} ended with status ${status}:\n${readLog()}\n`);
  });
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    phase = 'stopping';
    child.stdin.end();
    await ended;
  };
  const deadline = Date.now() + 60_000;
  while (!(await options.isReady())) {
    if (!running || Date.now() > deadline) {
      await stop();
      throw new Error(`${options.program} did not start:\n${readLog()}`);
    }
    await sleep(50);
  }
  phase = 'ready';
  return { stop };
};
