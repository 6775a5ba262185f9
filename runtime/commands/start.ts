/** `svc start`: serves the API. */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Command, InvalidArgumentError } from 'commander';
import { loadConfig, type Config } from '../config/config.js';
import { loadEnvironment } from '../config/environment.js';
import { shownVariables } from '../config/variables.js';
import { connectServiceManager } from '../processes/service-manager.js';
import { untilStopped, type Stoppable } from '../processes/lifetime.js';
import { checkFileStore } from '../queue/requests/file-store.js';
import { createLightObserver, createObserver, type Observe } from '../observe.js';
import { urlsOf } from '../config/urls.js';
import { action } from './output.js';

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
  /** Returns why the schema as it is now cannot be served; null where it can. */
  schemaFailure(): string | null;
}

const runAlone = async (config: Config): Promise<void> => {
  const observe = await createObserver(config);
  const { startRequestProcess } = await import('../processes/request-process.js');
  await run(config, observe, async () => {
    const running = await startRequestProcess({ config, observe });
    return { ...running, isWell: () => true, stop: running.close, kill: () => {} };
  });
};

const runSupervised = async (config: Config, processes: number): Promise<void> => {
  // The supervisor computes nothing: without the optimizing compiler it is 5 MB smaller.
  setFlagsFromString('--no-opt');
  const observe = createLightObserver(config);
  const [{ supervise }, { choosePort }] = await Promise.all([
    import('../processes/supervisor.js'),
    import('../processes/ports.js'),
  ]);
  const port = await choosePort(config.host, config.port);
  await run(config, observe, () =>
    supervise({ processes, host: config.host, port, watchdog: config.watchdog, observe }),
  );
};

/**
 * Serves probes from the beginning, so that a start that waits for its database is not mistaken for a dead
 * one.
 */
const run = async (config: Config, observe: Observe, start: () => Promise<Running>): Promise<void> => {
  let running: Running | null = null;
  const manager = connectServiceManager();
  const probes =
    config.adminPort === null
      ? null
      : await (
          await import('../processes/probes.js')
        ).serveProbes({
          host: config.host,
          port: config.adminPort,
          isReady: () => running?.isReady() ?? false,
          schemaFailure: () => running?.schemaFailure() ?? null,
        });
  try {
    const fault = await checkFileStore(config.queue);
    if (fault !== null) observe({ kind: 'warning', message: fault });
    running = await start();
    const { url, collections, isWell } = running;
    observe({ kind: 'started', collections, urls: urlsOf(config, url), ms: performance.now() });
    manager.ready(isWell);
    await untilStopped(running, { observe, onStop: manager.stopping });
  } finally {
    probes?.close();
  }
};
