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
  /** Starts workers once the server is ready. Never rejects; failures are printed. */
  startWorkers(environment: Environment): Promise<void>;
  stop(): Promise<void>;
}

const host = '127.0.0.1';

/** A Temporal server: the one that is configured, or one of this process. */
export interface DemoTemporal extends Pick<DemoQueue, 'address' | 'ui'> {
  /** Resolves when it answers, which may be after a download. */
  readonly ready: Promise<unknown>;
  stop(): Promise<void>;
}

/** Returns the Temporal server of `TEMPORAL_ADDRESS`, or starts one, which is downloaded the first time. */
export const openDemoTemporal = async (
  config: Config,
  print: (message: string) => void,
): Promise<DemoTemporal> => {
  const { address } = config.temporal;
  if (address === null) return openServer(config, print);
  return { address, ui: null, ready: Promise.resolve(), stop: async () => undefined };
};

/** Opens the queue without workers, which need the database to be set up first. */
export const openDemoQueue = async (config: Config, print: (message: string) => void): Promise<DemoQueue> => {
  const temporal = await openDemoTemporal(config, print);
  let worker: ChildProcess | null = null;
  let stopping = false;
  return {
    address: temporal.address,
    ui: temporal.ui,
    async startWorkers(environment) {
      try {
        await temporal.ready;
        if (!stopping) worker = forkWorker(environment);
      } catch (error) {
        if (!stopping) print(`${(error as Error).message}\nRequests of the queue wait until then.`);
      }
    },
    async stop() {
      stopping = true;
      if (worker !== null) await endWorker(worker);
      await temporal.stop();
    },
  };
};

/** Starts a server on free ports, so that an unrelated server is never used by mistake. */
const openServer = async (config: Config, print: (message: string) => void): Promise<DemoTemporal> => {
  const [port, uiPort, found] = [await choosePort(host, 0), await choosePort(host, 0), await findTemporal()];
  const file = join(dataFolder(config), 'temporal.db');
  const downloading = new AbortController();
  const start = async (): Promise<TemporalServer> => {
    const program = found ?? (await fetchTemporal(print, downloading.signal));
    const server = await startTemporalServer({ program, port, uiPort, file });
    if (found === null) print('Temporal is running; waiting requests start now');
    return server;
  };
  const ready = start();
  // the rejection is reported where `ready` is awaited
  ready.catch(() => undefined);
  return {
    address: `${host}:${port}`,
    ui: `http://${host}:${uiPort}`,
    ready,
    async stop() {
      downloading.abort();
      const server = await ready.catch(() => null);
      await server?.stop();
    },
  };
};

/** Returns the folder of an embedded database, otherwise that of the project. */
const dataFolder = ({ database: { url } }: Config): string =>
  url.startsWith('sqlite:') ? dirname(url.slice('sqlite:'.length)) : '.svc';

const forkWorker = (environment: Environment): ChildProcess =>
  fork(modulePath('demo/worker'), { env: { ...process.env, ...environment } });

const endWorker = async (worker: ChildProcess): Promise<void> => {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'exit');
  worker.disconnect();
  await ended;
};
