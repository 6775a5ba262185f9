/**
 * A process that serves requests: connects, prepares the build, listens. Runs alone (`--workers 1`, the demo)
 * or as a child of the supervisor, with this module as its entry point.
 */
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { loadConfig } from '../config/config.js';
import { createObserver, timed, type Observation, type Observe } from '../observe.js';
import { lazy } from '../concurrency/lazy.js';
import { createHashProcess } from '../auth/passwords/hash-process.js';
import { computeHashesBy } from '../auth/passwords/hash.js';
import { isRefusal } from '../config/refusal.js';
import { beatInterval, createWatchdog } from './watchdog.js';
import type { ConnectionSource } from '../http/node-server.js';
import type { ConnectionMessage } from './connections.js';
import { openBuild, type OpenOptions } from './open-build.js';

export interface RequestProcess {
  readonly url: string;
  readonly collections: number;
  /** The build that is served. */
  readonly directory: string;
  isReady(): boolean;
  /** Finishes requests in progress, within ten seconds. */
  close(): Promise<void>;
}

export interface RequestProcessOptions extends OpenOptions {
  /** Called when the process becomes ready or stops being ready. */
  readonly onReadiness?: (ready: boolean) => void;
  /** Whether the process ends when its event loop hangs; a supervisor ends it otherwise. */
  readonly endsHung?: boolean;
  /** Where connections come from; without it, the process listens itself. */
  readonly connections?: ConnectionSource;
  /** Has the schema served by new processes; without it, this one serves it. */
  readonly reload?: () => Promise<void>;
}

const drainLimit = 10_000;

export const startRequestProcess = async (options: RequestProcessOptions): Promise<RequestProcess> => {
  const { config, endsHung = true } = options;
  computeHashesBy(createHashProcess());
  let ready = false;
  const setReady = (value: boolean): void => {
    ready = value;
    options.onReadiness?.(value);
  };
  const observe = watchDatabase(options.observe, setReady);
  const loading = import('../server.js');
  const opened = await openBuild({ ...options, observe });
  const { directory, declarations, rebuild, ...build } = opened;
  const watchdog = createWatchdog({ config, ends: endsHung });
  try {
    const { serve } = await loading;
    const server = await timed('listen', observe, () =>
      serve({
        ...build,
        declarations,
        ...(options.reload === undefined ? { rebuild } : { reload: options.reload }),
        config,
        observe,
        track: watchdog.track,
        ...(options.connections !== undefined && { connections: options.connections }),
      }),
    );
    setReady(true);
    watchdog.start();
    const close = async (): Promise<void> => {
      setReady(false);
      await Promise.race([server.close(), sleep(drainLimit, undefined, { ref: false })]);
      await opened.close();
      watchdog.close();
    };
    return { url: server.url, collections: declarations.length, directory, isReady: () => ready, close };
  } catch (error) {
    watchdog.close();
    await opened.close();
    throw error;
  }
};

const watchDatabase =
  (observe: Observe, setReady: (ready: boolean) => void): Observe =>
  (observation: Observation) => {
    if (observation.kind === 'databaseLost') setReady(false);
    if (observation.kind === 'databaseBack') setReady(true);
    observe(observation);
  };

/** Message from a child to the supervisor. */
export type Report =
  | { kind: 'ready'; url: string; collections: number; directory: string }
  | { kind: 'readiness'; ready: boolean }
  /** The event loop turns; sent at intervals from `ready` on. */
  | { kind: 'beat' }
  /** A connection has been taken. */
  | { kind: 'taken'; id: number }
  /** No more connections are taken. */
  | { kind: 'closing' }
  /** The schema has changed: asks for new processes that serve it. */
  | { kind: 'reload' }
  | { kind: 'failed'; message: string; refusal: boolean };

/** Answer of the supervisor to `reload`. */
export interface Reloaded {
  readonly kind: 'reloaded';
  /** Why the new processes cannot serve; `null` where they do. */
  readonly error: string | null;
}

/** Runs a child. `directory` is the build to serve, known once the first process has prepared it. */
const runChild = async (directory: string | undefined): Promise<void> => {
  let running: RequestProcess | null = null;
  const stop = lazy(async () => {
    await running?.close();
    process.exit(0);
  });
  // A terminal sends SIGINT to the whole process group, but the supervisor decides when to stop, with SIGTERM. A
  // service manager may send SIGTERM to every process as well, so it can arrive twice.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => void stop());
  try {
    const config = loadConfig(process.env);
    running = await startRequestProcess({
      config,
      observe: await createObserver(config),
      ...(directory === undefined ? {} : { directory }),
      endsHung: false,
      connections: takeConnections,
      reload: requestReload,
      onReadiness: (ready) => report({ kind: 'readiness', ready }),
    });
    const { url, collections } = running;
    report({ kind: 'ready', url, collections, directory: running.directory });
    if (config.watchdog > 0)
      setInterval(() => report({ kind: 'beat' }), beatInterval(config.watchdog)).unref();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    report({ kind: 'failed', message, refusal: isRefusal(error) }, () => process.exit(1));
  }
};

/** Takes the connections that the supervisor offers. */
const takeConnections: ConnectionSource = (accept) => {
  const take = ({ kind, id }: ConnectionMessage, socket?: Socket): void => {
    if (kind !== 'connection') return;
    report({ kind: 'taken', id });
    // absent where the client has gone
    if (socket !== undefined) accept(socket);
  };
  process.on('message', take);
  return () => {
    process.off('message', take);
    report({ kind: 'closing' });
  };
};

/** Resolves when new processes serve the schema; this one is then told to end. */
const requestReload = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const onMessage = (message: Partial<Reloaded>): void => {
      if (message.kind !== 'reloaded') return;
      process.off('message', onMessage);
      if (message.error === null || message.error === undefined) resolve();
      else reject(new Error(message.error));
    };
    process.on('message', onMessage);
    report({ kind: 'reload' });
  });

const report = (message: Report, sent: () => void = () => {}): void => {
  process.send?.(message, sent);
};

if (cluster.isWorker) await runChild(process.argv[2]);
