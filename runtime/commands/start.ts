/** `svc start`: serves the API. */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Command, InvalidArgumentError } from 'commander';
import { loadConfig, type Config } from '../config/config.js';
import { loadEnvironment } from '../config/environment.js';
import { shownVariables } from '../config/variables.js';
import type { AdminServer } from '../processes/admin-server.js';
import { connectServiceManager } from '../processes/service-manager.js';
import { untilStopped, type Stoppable } from '../processes/lifetime.js';
import { checkFileStore } from '../queue/requests/file-store-check.js';
import { createLightObserver, createObserver } from '../log/observers.js';
import { observeAll, type Observe } from '../observe.js';
import { packageVersion } from '../config/package.js';
import { createMetrics, type Metrics } from '../metrics/metrics.js';
import type { Snapshot } from '../metrics/tallies.js';
import { checkTemporal, ok, type Part, type Parts } from '../processes/health.js';
import { urlsOf } from '../config/urls.js';
import { action } from './output.js';

/**
 * Creates `svc start`, which runs until it receives SIGINT or SIGTERM and then finishes requests in progress.
 */
export const startCommand = (): Command =>
  new Command('start')
    .description('serve the API of the connected database')
    .option(
      '--workers <number>',
      'number of request processes (default: cores - 1); 1 runs without a supervisor',
      parseWorkers,
    )
    .addHelpText('after', () => `\nEnvironment variables, also read from .env:\n${variablesToText()}`)
    .action(
      action(async ({ workers }: { workers?: number }) => {
        const config = loadConfig(loadEnvironment(process.cwd()));
        await (workers === 1 ? runAlone(config) : runSupervised(config, workers ?? defaultWorkers()));
        return 0;
      }),
    );

/** Leaves one core for the database and the rest of the machine. */
const defaultWorkers = (): number => Math.max(1, availableParallelism() - 1);

const parseWorkers = (text: string): number => {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number from 1 to 999');
};

const variablesToText = (): string =>
  shownVariables
    .map((entry) => `  ${entry.name.padEnd(27)} ${entry.meaning.replaceAll('`', '')} (${entry.default})`)
    .join('\n');

/** A running server or supervisor. */
interface Running extends Stoppable {
  readonly url: string;
  readonly collections: number;
  isReady(): boolean;
  isWell(): boolean;
  /** Returns the number of processes that accept requests. */
  readyProcesses(): number;
  /** Returns why the schema as it is now cannot be served; null where it can. */
  schemaFailure(): string | null;
}

/** The observers of a start: the log, and the metrics if `ADMIN_PORT` is set. */
interface Observers {
  readonly observe: Observe;
  readonly metrics: Metrics | null;
}

const createObservers = ({ adminPort }: Config, log: Observe): Observers => {
  if (adminPort === null) return { observe: log, metrics: null };
  const metrics = createMetrics({ version: packageVersion });
  return { observe: observeAll(log, metrics.observe), metrics };
};

const runAlone = async (config: Config): Promise<void> => {
  const { observe, metrics } = createObservers(config, await createObserver(config));
  const { startRequestProcess } = await import('../processes/request-process.js');
  const snapshots = async () => (metrics === null ? [] : [await metrics.snapshot()]);
  await run({ config, observe, processes: 1, snapshots }, async () => {
    const running = await startRequestProcess({ config, observe, ...(metrics !== null && { metrics }) });
    return {
      ...running,
      isWell: () => true,
      readyProcesses: () => Number(running.isReady()),
      stop: running.close,
      kill: () => {},
    };
  });
};

const runSupervised = async (config: Config, processes: number): Promise<void> => {
  // The supervisor computes nothing: without the optimizing compiler it is 5 MB smaller.
  setFlagsFromString('--no-opt');
  const { observe, metrics } = createObservers(config, createLightObserver(config));
  const [{ supervise, children }, { choosePort }, { createCollecting }] = await Promise.all([
    import('../processes/supervisor.js'),
    import('../processes/ports.js'),
    import('../processes/metrics-collection.js'),
  ]);
  const port = await choosePort(config.host, config.port);
  const collecting = metrics === null ? null : createCollecting(metrics);
  const snapshots = async () => (await collecting?.snapshots(children())) ?? [];
  const { host, watchdog } = config;
  await run({ config, observe, processes, snapshots }, () =>
    supervise({ processes, host, port, watchdog, observe, ...(collecting !== null && { collecting }) }),
  );
};

interface RunOptions {
  readonly config: Config;
  readonly observe: Observe;
  /** Number of request processes. */
  readonly processes: number;
  /** Returns the metrics of all processes, also before the first is ready. */
  snapshots(): Promise<readonly Snapshot[]>;
}

const run = async (options: RunOptions, start: () => Promise<Running>): Promise<void> => {
  const { config, observe } = options;
  let running: Running | null = null;
  const manager = connectServiceManager();
  const admin = await serveAdminOf(options, () => running);
  try {
    const fault = await checkFileStore(config.queue);
    if (fault !== null) observe({ kind: 'warning', message: fault });
    running = await start();
    const { url, collections, isWell } = running;
    // before the log says that it can be stopped
    const stopped = untilStopped(running, { observe, onStop: manager.stopping });
    observe({ kind: 'started', collections, urls: urlsOf(config, url), ms: performance.now() });
    manager.ready(isWell);
    await stopped;
  } finally {
    admin?.close();
  }
};

/** Serves ADMIN_PORT, where it is set. */
const serveAdminOf = async (
  { config, processes, snapshots }: RunOptions,
  current: () => Running | null,
): Promise<AdminServer | null> => {
  if (config.adminPort === null) return null;
  const { serveAdmin } = await import('../processes/admin-server.js');
  return serveAdmin({
    host: config.adminHost,
    port: config.adminPort,
    role: 'api',
    version: packageVersion,
    isReady: () => current()?.isReady() ?? false,
    schemaFailure: () => current()?.schemaFailure() ?? null,
    parts: () => partsOf(config, processes, current()),
    async metrics() {
      const { printSnapshots } = await import('../metrics/print.js');
      return printSnapshots(await snapshots());
    },
  });
};

const partsOf = async ({ temporal }: Config, expected: number, running: Running | null): Promise<Parts> => {
  const failure = running?.schemaFailure() ?? null;
  return {
    requests: toRequestsPart(running?.readyProcesses() ?? 0, expected),
    schema: failure === null ? ok : { status: 'degraded', reason: failure },
    ...(temporal.address !== null && { queue: await checkTemporal(temporal.address, 'degraded') }),
  };
};

const toRequestsPart = (ready: number, expected: number): Part => {
  if (ready >= expected) return ok;
  if (ready > 0) return { status: 'degraded', reason: `${ready} of ${expected} processes accept requests` };
  return {
    status: 'failed',
    reason: 'no process accepts requests: it starts or stops, or the database is away',
  };
};
