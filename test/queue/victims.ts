/** Processes that are killed at any moment and started again: a database, Temporal, API and workers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTemporal } from '../../runtime/demo/temporal-program.js';
import type { Workplace } from '../runtime/commands.js';
import { commandOf, createCluster, requirePrograms } from '../services/postgres.js';
import { reservePort } from '../services/ports.js';

export interface Victim {
  readonly name: string;
  /** Resolves when it is there. */
  start(): Promise<void>;
  /** SIGKILL, to it and to whatever it has started. */
  kill(): Promise<void>;
  /** SIGTERM, as a deploy does; absent for servers, which are only killed. */
  end?(): Promise<void>;
}

export interface Server extends Victim {
  readonly port: number;
  /** Ends it and removes what it has stored. */
  remove(): Promise<void>;
}

interface Start {
  readonly name: string;
  launch(): Promise<ChildProcess>;
  isReady(child: ChildProcess): Promise<boolean>;
}

export const victim = ({ name, launch, isReady }: Start): Victim => {
  let child: ChildProcess | null = null;
  const begin = async (): Promise<void> => {
    child = await launch();
    while (!(await isReady(child))) {
      // what was killed may still hold its place
      if (child.exitCode !== null) return begin();
      await sleep(50);
    }
  };
  return {
    name,
    start: begin,
    async kill() {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
};

/** In a group of its own, which is killed as a whole. */
export const launch = ([program = '', ...args]: readonly string[]): ChildProcess =>
  spawn(program, args, { stdio: 'ignore', detached: true });

export const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false)).once('connect', () => resolve(true));
    socket.once('connect', () => socket.destroy());
  });

const asServer = (made: Victim, port: number, folder: string): Server => ({
  ...made,
  port,
  async remove() {
    await made.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  },
});

/** Acknowledged requests are stored, even if the process is killed next. */
export const createDatabase = async (): Promise<Server> => {
  const programs = await requirePrograms();
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  const port = await reservePort();
  await createCluster(programs.install, folder);
  const args = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c max_connections=100 -c fsync=off`;
  const command = await commandOf(programs.server, ['-D', join(folder, 'data'), ...args.split(' ')]);
  const made = victim({
    name: 'database',
    launch: async () => launch(command),
    isReady: () => accepts(port),
  });
  return asServer(made, port, folder);
};

export const createTemporal = async (): Promise<Server> => {
  const program = (await findTemporal()) ?? 'temporal';
  const folder = await mkdtemp(join(tmpdir(), 'svc-temporal-'));
  const port = await reservePort();
  const args = `server start-dev --headless --ip 127.0.0.1 --log-level error --port ${port} --db-filename ${folder}/db`;
  const pragmas = '--sqlite-pragma journal_mode=WAL --sqlite-pragma synchronous=NORMAL';
  const made = victim({
    name: 'temporal',
    launch: async () => launch([program, ...args.split(' '), ...pragmas.split(' ')]),
    isReady: () => accepts(port),
  });
  return asServer(made, port, folder);
};

interface Svc {
  readonly name: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Text that it prints when it is ready. */
  readonly ready: RegExp;
}

/** A command of `svc`. */
export const createSvc = (place: Workplace, { name, args, environment, ready }: Svc): Victim => {
  let running: ReturnType<Workplace['start']> | null = null;
  const start = async (): Promise<void> => {
    for (;;) {
      // with the threads that workers have outside of tests
      running = place.start(args, { TEMPORAL_DEBUG: '', ...environment });
      // it ends by itself where what it needs is away at that moment
      if ((await running.until(ready).catch(() => null)) !== null) return;
      await sleep(200);
    }
  };
  return {
    name,
    start,
    async kill() {
      await running?.stop('SIGKILL');
    },
    async end() {
      await running?.stop('SIGTERM');
    },
  };
};
