/** A Temporal server that lives as long as this process and keeps its data in a file. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface TemporalServerOptions {
  readonly program: string;
  readonly port: number;
  /** Port of the UI; `null`: no UI. */
  readonly uiPort: number | null;
  /** Path of its database file. */
  readonly file: string;
}

export interface TemporalServer {
  stop(): Promise<void>;
}

/**
 * Wrapper script that waits for the end of its standard input, which comes with `stop` and when this process
 * is killed. It runs in a separate session, so that Ctrl-C reaches only this process, which stops it after
 * its workers.
 */
const wrapperScript = `
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
(cat <&3; kill -TERM $server) >/dev/null 2>&1 &
wait $server`;

/** Starts a server and waits for its port. @throws Error with the end of its log when it does not start */
export const startTemporalServer = async (options: TemporalServerOptions): Promise<TemporalServer> => {
  await mkdir(dirname(options.file), { recursive: true });
  const child = spawn('/bin/sh', ['-c', wrapperScript, 'wrapper', options.program, ...argumentsOf(options)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  const log = collectLogTail(child);
  const ended = once(child, 'exit').finally(() => child.stdin.destroy());
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  while (!(await isOpen(options.port))) {
    if (child.exitCode !== null) throw new Error(`the Temporal server did not start: ${log()}`);
    await sleep(50);
  }
  return { stop };
};

/**
 * Returns the arguments. Writes survive a crash of the server, not of the machine, and are four times as
 * fast.
 */
const argumentsOf = ({ port, uiPort, file }: TemporalServerOptions): readonly string[] => [
  ...'server start-dev --ip 127.0.0.1 --log-level error'.split(' '),
  ...'--sqlite-pragma journal_mode=WAL --sqlite-pragma synchronous=NORMAL'.split(' '),
  '--port',
  String(port),
  '--db-filename',
  file,
  ...(uiPort === null ? ['--headless'] : ['--ui-port', String(uiPort)]),
];

const collectLogTail = ({ stderr }: ChildProcess): (() => string) => {
  let text = '';
  stderr?.setEncoding('utf8').on('data', (part: string) => (text = (text + part).slice(-2_000)));
  return () => text.trim();
};

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
