/** The thread of a watchdog. Its timers run even while the event loop of the process is blocked. */
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import { createLightObserver } from '../log/observers.js';
import type { OperationName, WatchdogTask } from './watchdog.js';

const { config, ends, memory, interval } = workerData as WatchdogTask;
const table = new Int32Array(memory);
const names = new Map<number, string>();

// what goes through the streams of a thread passes the event loop that hangs
const observe = createLightObserver(config, (line) => {
  try {
    writeSync(1, line);
  } catch {
    // a full pipe is no reason to stay
  }
});

/** Counts the operations in flight by name. */
const countOperations = (): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const number of table.subarray(1)) {
    const name = names.get(number);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

/** Milliseconds that a process is given to end by itself. */
const endLimit = 1_000;

/**
 * Ends the process with exit code 70 (`EX_SOFTWARE`): running JavaScript can be interrupted by the inspector, anything
 * else only by the kernel.
 */
const endProcess = (): void => {
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: 'process.reallyExit(70)' });
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), endLimit);
};

let seen = 0;
let missed = 0;

/** Counts checks instead of time, so that the sleep of a machine is not reported as a hang. */
const checkBeats = (): void => {
  const beats = Atomics.load(table, 0);
  missed = beats === seen ? missed + 1 : 0;
  seen = beats;
  if (beats === 0 || missed !== Math.ceil(config.watchdog / interval)) return;
  observe({ kind: 'processHung', process: process.pid, ms: config.watchdog, operations: countOperations() });
  if (ends) endProcess();
};

parentPort?.on('message', ([number, name]: OperationName) => names.set(number, name));
setInterval(checkBeats, interval);
