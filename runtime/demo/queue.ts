/** Starts the queue of the demo: a Temporal server, unless one is configured, and workers. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.js';
import type { Environment } from '../config/environment.js';
import { modulePath } from '../config/package.js';
import { choosePort } from '../processes/ports.js';
import { fetchTemporal, findTemporal } from './temporal-program.js';
import { startTemporalServer, type TemporalServer } from './temporal-server.js';

export interface DemoQueue {
  /** `host:port` of Temporal, which may not be running yet. */
  readonly address: string;
  /** URL of Temporal's UI; `null` when unknown. */
  readonly ui: string | null;
  /** Whether the server has to be downloaded first. */
  readonly fetching: boolean;
  /** Starts workers once the server is ready. Never rejects; failures are printed. */
  work(environment: Environment): Promise<void>;
  stop(): Promise<void>;
}

const host = '127.0.0.1';

export const openDemoQueue = async (config: Config, tell: (message: string) => void): Promise<DemoQueue> => {
  const { address } = config.temporal;
  const own = address === null ? await openServer(config, tell) : null;
  let worker: ChildProcess | null = null;
  let stopping = false;
  return {
    address: address ?? own?.address ?? '',
    ui: own?.ui ?? null,
    fetching: own?.fetching ?? false,
    async work(environment) {
      try {
        await own?.ready;
        if (!stopping) worker = startWorker(environment);
      } catch (error) {
        if (!stopping) tell(`${(error as Error).message}\nUntil then requests of the queue wait.`);
      }
    },
    async stop() {
      stopping = true;
      if (worker !== null) await endWorker(worker);
      await own?.stop();
    },
  };
};

interface OwnServer {
  readonly address: string;
  readonly ui: string;
  readonly fetching: boolean;
  readonly ready: Promise<TemporalServer>;
  stop(): Promise<void>;
}

/** Starts a server on free ports, so that an unrelated server is never used by mistake. */
const openServer = async (config: Config, tell: (message: string) => void): Promise<OwnServer> => {
  const [port, uiPort, found] = [await choosePort(host, 0), await choosePort(host, 0), await findTemporal()];
  const file = join(dirname(config.database.url.slice('sqlite:'.length)), 'temporal.db');
  const fetching = new AbortController();
  const start = async (): Promise<TemporalServer> => {
    const program = found ?? (await fetchTemporal(tell, fetching.signal));
    const server = await startTemporalServer({ program, port, uiPort, file });
    if (found === null) tell('temporal is there: what has waited runs now');
    return server;
  };
  const ready = start();
  // the rejection is reported where `ready` is awaited
  ready.catch(() => undefined);
  return {
    address: `${host}:${port}`,
    ui: `http://${host}:${uiPort}`,
    fetching: found === null,
    ready,
    async stop() {
      fetching.abort();
      const server = await ready.catch(() => null);
      await server?.stop();
    },
  };
};

const startWorker = (environment: Environment): ChildProcess =>
  fork(modulePath('demo/worker'), { env: { ...process.env, ...environment } });

const endWorker = async (worker: ChildProcess): Promise<void> => {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'exit');
  worker.disconnect();
  await ended;
};
