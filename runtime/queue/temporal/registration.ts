/** Records in the database that this worker process is alive, and drains it when an operator asks for that. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { beatInterval, beatWorker, removeWorker } from '../store/workers.js';
import type { WorkerProcessOptions } from './worker-services.js';

export interface Registration {
  /** Identity of the process: process id and host, and a random part because both may recur. */
  readonly id: string;
  /** Returns the activities in flight by name. */
  tasks(): ReadonlyMap<string, number>;
  /** Counts an activity in flight; the returned function ends it. */
  readonly track: (name: string) => () => void;
  /** Begins to report; `onDrain` is called when an operator has asked for it. */
  start(onDrain: () => void): void;
  /** Reports that the process takes nothing new. */
  drain(): void;
  /** Removes the process from the list. */
  close(): Promise<void>;
}

/** Registers this process until it is closed, with the classes of models that it runs. */
export const registerWorker = (
  { database, roles, version, track = () => () => {} }: WorkerProcessOptions,
  classes: readonly string[],
): Registration => {
  const id = `${process.pid}@${hostname()}-${randomBytes(3).toString('hex')}`;
  const started = Date.now();
  const tasks = new Map<string, number>();
  const total = (): number => [...tasks.values()].reduce((sum, count) => sum + count, 0);
  const change = (name: string, by: 1 | -1): unknown => tasks.set(name, (tasks.get(name) ?? 0) + by);
  let state: 'running' | 'draining' = 'running';
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> = Promise.resolve();
  let onDrain: (() => void) | null = null;

  const beat = async (): Promise<void> => {
    const row = { id, version, roles, classes, state, tasks: total(), started };
    // where the database is silent, this ends the connections on which activities wait
    await database.reserved.query('select 1 as one');
    if ((await beatWorker(database, row, Date.now())) && state === 'running') onDrain?.();
  };
  const send = (): void => {
    // while the database is away, other parts report it
    beating = beating.then(beat).catch(() => undefined);
  };

  return {
    id,
    tasks: () => tasks,
    track(name) {
      const finish = track(name);
      change(name, 1);
      return () => {
        change(name, -1);
        finish();
      };
    },
    start(drain) {
      onDrain = drain;
      send();
      timer = setInterval(send, beatInterval);
    },
    drain() {
      state = 'draining';
    },
    async close() {
      clearInterval(timer);
      await beating;
      await removeWorker(database, id).catch(() => undefined);
    },
  };
};
