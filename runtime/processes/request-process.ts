/**
 * A process that serves requests: connects, prepares the build, listens. Runs alone (`--workers 1`, the demo)
 * or as a child of the supervisor, with this module as its entry point.
 */
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { loadConfig } from '../config/config.js';
import { createObserver } from '../log/observers.js';
import { observeAll, timed, type Observation, type Observe } from '../observe.js';
import { arrivals } from '../concurrency/arrivals.js';
import { lazy } from '../concurrency/lazy.js';
import { createHashProcess } from '../auth/passwords/hash-process.js';
import { computeHashesBy } from '../auth/passwords/hash.js';
import { isRefusal } from '../config/refusal.js';
import { beatInterval, createWatchdog } from './watchdog.js';
import type { ConnectionSource } from '../http/node-server.js';
import type { BuildSource } from '../reloading-service.js';
import { createBuildSource } from './build-source.js';
import type { ConnectionMessage } from './connections.js';
import type { SharedCounts, WindowCounts } from '../access/limiter.js';
import { clientGrace } from '../http/timeouts.js';
import { retireLimit, type Instruction, type Report } from './messages.js';
import { createMetrics, type Metrics } from '../metrics/metrics.js';
import { watchDatabase } from '../metrics/database.js';
import { startTracing } from '../tracing/tracing.js';
import { packageVersion } from '../config/package.js';
import { openBuild, type OpenedBuild, type OpenOptions } from './open-build.js';
import { registerProcess } from './registration.js';
import { waitAsSpare } from './spare-process.js';
import { createSupervisedBuilder } from './supervised-builder.js';
import { createSupervisedSource } from './supervised-source.js';

export interface RequestProcess {
  readonly url: string;
  readonly collections: number;
  /** The build that is served. */
  readonly directory: string;
  /** Generation of the schema that it is of, as far as the process has checked itself. */
  readonly generation: number;
  isReady(): boolean;
  /** Returns why the schema as it is now cannot be served; null where it can. */
  schemaFailure(): string | null;
  /** Finishes requests in progress, within ten seconds. */
  close(): Promise<void>;
  /** Finishes requests in progress, and takes others for some seconds on the connections that clients have. */
  retire(): Promise<void>;
}

export interface RequestProcessOptions extends OpenOptions {
  /** Called when the process becomes ready or stops being ready. */
  readonly onReadiness?: (ready: boolean) => void;
  /** True where the process ends when its event loop hangs; a supervisor ends it otherwise. */
  readonly endsHung?: boolean;
  /** Counts what happens; absent where nobody reads it. */
  readonly metrics?: Metrics;
  /** Source of connections; without it, the process listens itself. */
  readonly connections?: ConnectionSource;
  /** Shares the counts of the rate limiter with the other processes of the host. */
  readonly sharedCounts?: SharedCounts;
  /** Source of new builds; without it, the process checks the schema itself. */
  readonly createSource?: (opened: OpenedBuild) => BuildSource;
}

const drainLimit = 10_000;

/** Resolves when the process accepts requests. @throws Refusal for what a user has to correct */
export const startRequestProcess = async (options: RequestProcessOptions): Promise<RequestProcess> => {
  const { config, metrics, endsHung = true } = options;
  computeHashesBy(createHashProcess());
  const { isReady, setReady } = createReadiness(options);
  const observe = followAvailability(options.observe, setReady);
  const loading = import('../server.js');
  const opened = await openBuild({ ...options, observe });
  const { directory, generation, declarations, schema: _schema, load: _load, ...build } = opened;
  const { createSource = createOwnSource(options) } = options;
  const source = createSource(opened);
  const watchdog = createWatchdog({ config, ends: endsHung });
  // a process that was a spare is watched already
  if (options.database === undefined) metrics?.watch(watchDatabase(opened.database));
  const tracing = await startTracing({ endpoint: config.traces, service: 'svc-api' });
  try {
    const { serve } = await loading;
    const server = await timed('listen', observe, () =>
      serve({
        ...build,
        declarations,
        source,
        config,
        observe,
        tracing,
        track: metrics?.tracked(watchdog.track) ?? watchdog.track,
        ...(options.connections !== undefined && { connections: options.connections }),
        ...(options.sharedCounts !== undefined && { sharedCounts: options.sharedCounts }),
      }),
    );
    const unregister = await registerProcess(opened.database, source);
    setReady(true);
    watchdog.start();
    // a process that is replaced may receive a stop signal as well
    const closeAll = lazy(async () => {
      await unregister();
      await opened.close();
      await tracing.close();
      watchdog.close();
    });
    const close = async (grace: number, limit: number): Promise<void> => {
      setReady(false);
      await Promise.race([server.close(grace), sleep(limit, undefined, { ref: false })]);
      await closeAll();
    };
    return {
      url: server.url,
      collections: declarations.length,
      directory,
      generation,
      isReady,
      schemaFailure: source.failure,
      close: () => close(0, drainLimit),
      retire: () => close(clientGrace, retireLimit),
    };
  } catch (error) {
    watchdog.close();
    await opened.close();
    throw error;
  }
};

const createReadiness = ({ onReadiness }: RequestProcessOptions) => {
  let ready = false;
  return {
    isReady: () => ready,
    setReady(value: boolean): void {
      ready = value;
      onReadiness?.(value);
    },
  };
};

/** The process checks the schema itself. */
const createOwnSource =
  ({ config, observe }: RequestProcessOptions) =>
  (opened: OpenedBuild): BuildSource =>
    createBuildSource({ opened, interval: config.schemaWatch, observe });

const followAvailability =
  (observe: Observe, setReady: (ready: boolean) => void): Observe =>
  (observation: Observation) => {
    if (observation.kind === 'databaseLost') setReady(false);
    if (observation.kind === 'databaseBack') setReady(true);
    observe(observation);
  };

interface ChildOptions {
  /** The build to serve, known once the first process has prepared it. */
  readonly directory?: string;
  /** True where the process waits until it is to serve. */
  readonly isSpare: boolean;
}

const runChild = async ({ directory, isSpare }: ChildOptions): Promise<void> => {
  let running: RequestProcess | null = null;
  let metrics: Metrics | null = null;
  const reportMetrics = async (sent?: () => void): Promise<void> => {
    if (metrics !== null) report({ kind: 'measured', snapshot: await metrics.snapshot() }, sent);
    else sent?.();
  };
  const end = async (closing: Promise<void> | undefined): Promise<void> => {
    await closing;
    await reportMetrics(() => process.exit(0));
  };
  const stop = lazy(() => end(running?.close()));
  const retire = lazy(() => end(running?.retire()));
  // A terminal sends SIGINT to the whole process group, but the supervisor decides when to stop, with SIGTERM. A
  // service manager may send SIGTERM to every process as well, so it can arrive twice.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => void stop());
  process.on('message', ({ kind }: Instruction) => {
    if (kind === 'measure') void reportMetrics();
    if (kind === 'retire') void retire();
  });
  try {
    const config = loadConfig(process.env);
    metrics = config.adminPort === null ? null : createMetrics({ version: packageVersion });
    const log = await createObserver(config);
    const observe = metrics === null ? log : observeAll(log, metrics.observe);
    const known = directory === undefined ? {} : { directory };
    const builder = createSupervisedBuilder(report);
    const build =
      isSpare && directory !== undefined
        ? await waitAsSpare({ config, observe, builder, directory, report, metrics })
        : known;
    running = await startRequestProcess({
      config,
      observe,
      ...build,
      builder,
      ...(metrics !== null && { metrics }),
      endsHung: false,
      connections: takeConnections,
      sharedCounts: createSharedCounts(),
      createSource: (opened) => createSupervisedSource(opened, report),
      onReadiness: (ready) => report({ kind: 'readiness', ready }),
    });
    const { url, collections, generation } = running;
    report({ kind: 'ready', url, collections, generation, directory: running.directory });
    if (config.watchdog > 0)
      setInterval(() => report({ kind: 'beat' }), beatInterval(config.watchdog)).unref();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    report({ kind: 'failed', message, refusal: isRefusal(error) }, () => process.exit(1));
  }
};

/** Shares counts by way of the supervisor. */
const createSharedCounts = (): SharedCounts => {
  let take: ((counted: WindowCounts) => void) | null = null;
  process.on('message', (message: Instruction) => {
    if (message.kind === 'counts') take?.(message);
  });
  return {
    report: (counted) => report({ kind: 'counted', ...counted }),
    subscribe: (next) => void (take = next),
  };
};

/** Takes the connections that the supervisor offers. */
const takeConnections: ConnectionSource = (accept) => {
  const take = ({ kind, id, more }: ConnectionMessage, socket?: Socket): void => {
    if (kind !== 'connection') return;
    arrivals.expect(more);
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

const report = (message: Report, sent: () => void = () => {}): void => {
  process.send?.(message, sent);
};

if (cluster.isWorker) {
  const [, , directory, role] = process.argv;
  await runChild({ ...(directory !== undefined && { directory }), isSpare: role === 'spare' });
}
