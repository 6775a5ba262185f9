/** Runs commands of svc as child processes that are replaced when the project changes. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../config/environment.js';
import { coalesceCalls } from '../concurrency/call-coalescing.js';
import { modulePath } from '../config/package.js';

export interface Restarts {
  /** Ends all processes, and starts them again; several calls meanwhile are one. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the commands. One that ends by itself, as with a faulty spec, is reported on stderr, and started again by the
 * next restart.
 */
export const startCommands = (
  commands: readonly (readonly string[])[],
  environment: Environment,
): Restarts => {
  const start = (): readonly ChildProcess[] => startAll(commands, environment);
  let running = start();
  const stop = async (): Promise<void> => void (await Promise.all(running.map(end)));
  const restart = coalesceCalls<void, void>(
    async () => {
      await stop();
      running = start();
    },
    () => undefined,
  );
  return { restart: () => restart(undefined), stop };
};

/** Passes on what they print to stderr, once where several print the same, as they do of a fault in the spec. */
const startAll = (
  commands: readonly (readonly string[])[],
  environment: Environment,
): readonly ChildProcess[] => {
  const printedBy = new Map<string, number>();
  return commands.map((args, index) => {
    const stdio = ['inherit', 'inherit', 'pipe', 'ipc'] as const;
    const child = fork(modulePath('cli'), args, { env: environment, stdio: [...stdio] });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const first = printedBy.get(text) ?? index;
      printedBy.set(text, first);
      if (first === index) process.stderr.write(text);
    });
    child.once('exit', (code, signal) => {
      if (code === 0 || child.killed) return;
      const how = code === null ? `by ${String(signal)}` : `with exit code ${code}`;
      process.stderr.write(`svc ${String(args[0])} ended ${how}; it starts again with the next change\n`);
    });
    return child;
  });
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};
