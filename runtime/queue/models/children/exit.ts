/** Explains why a child process ended during a run. */
import { platformOutcome, type Outcome } from '../../requests/outcome.js';

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** True where the worker killed it because of its memory. */
  readonly exceededMemory: boolean;
  /** End of what it wrote to the standard error stream past the log. */
  readonly errorOutput: string;
}

export interface ExitContext {
  /** Maximum bytes of memory. */
  readonly memory: number;
  /** Milliseconds since the run began. */
  readonly ms: number;
}

/** Message of V8 for a heap that reached its limit. */
const heapMessage = /heap limit|heap out of memory|Invalid array length Allocation failed/i;

/** Returns whether the worker killed the process for its memory, or V8 gave up because the heap was full. */
export const isOutOfMemory = ({ exceededMemory, errorOutput }: ChildExit): boolean =>
  exceededMemory || heapMessage.test(errorOutput);

/** Returns the outcome of a run whose process ended; it is not retried, because it would most likely end alike. */
export const exitToOutcome = (exit: ChildExit, { memory, ms }: ExitContext): Outcome => {
  const after = `after ${formatSeconds(ms)}`;
  if (isOutOfMemory(exit)) {
    const size = Math.round(memory / 1024 ** 2);
    return platformOutcome('runner_out_of_memory', `The model ran out of ${size} MB of memory ${after}`);
  }
  return platformOutcome('runner_server_error', `${describeExit(exit)} ${after}`);
};

const describeExit = ({ code, signal }: ChildExit): string => {
  if (signal === null) return `The process of the model exited with code ${code}`;
  if (signal !== 'SIGKILL') return `The process of the model crashed with ${signal}`;
  return 'The process of the model was killed by the system, which may have run out of memory,';
};

/** Returns seconds with a decimal below ten, and milliseconds where that would be zero: `41 s`, `0.4 s`, `12 ms`. */
export const formatSeconds = (ms: number): string => {
  if (ms < 50) return `${Math.round(ms)} ms`;
  return ms < 9_950 ? `${Number((ms / 1000).toFixed(1))} s` : `${Math.round(ms / 1000)} s`;
};
