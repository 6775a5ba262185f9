/** `svc demo`: the command behind `npm start`. */
import { Command } from 'commander';
import { loadConfig, type Config } from '../config/config.js';
import { loadEnvironment, type Environment } from '../config/environment.js';
import { connect } from '../databases/connect.js';
import { untilStopped } from '../processes/lifetime.js';
import { createObserver } from '../log/observers.js';
import { timed, type Observe } from '../observe.js';
import { isFree } from '../processes/ports.js';
import { urlsOf } from '../config/urls.js';
import { runBootstrap } from './bootstrap.js';
import { action, printLine } from './output.js';

/** Creates `svc demo`, which runs until it receives SIGINT or SIGTERM. */
export const demoCommand = (): Command =>
  new Command('demo')
    .description('serve a demo database, without any setup; stores its data in .svc/')
    .action(
      action(async () => {
        await runDemo(await prepareDemo(loadEnvironment(process.cwd())));
        return 0;
      }),
    );

interface DemoSetup {
  /** The given environment with the demo's defaults. */
  readonly environment: Environment;
  readonly config: Config;
}

const runDemo = async ({ environment, config: given }: DemoSetup): Promise<void> => {
  const observe = showSteps(await createObserver(given));
  const [
    { loadChinook },
    { formatGreeting },
    { startRequestProcess },
    { tokenOf },
    { openDemoQueue },
    { createDemoKey },
  ] = await Promise.all([
    import('../demo/chinook.js'),
    import('../demo/greeting.js'),
    import('../processes/request-process.js'),
    import('../schema/users.js'),
    import('../demo/queue.js'),
    import('../demo/key.js'),
  ]);
  const queue = await openDemoQueue(given, printLine);
  const config = { ...given, temporal: { ...given.temporal, address: queue.address } };
  const database = await connect(config, observe, { createsFile: true });
  await timed('data', observe, () => loadChinook(database));
  const { admin } = await timed('bootstrap', observe, () => runBootstrap(database, config, () => {}));
  const { email } = config.admin;
  const token = await tokenOf(database, email);
  const key = await createDemoKey(database, config);
  const running = await startRequestProcess({ config, database, observe });
  const urls = urlsOf(config, running.url);
  const file = config.database.url.slice('sqlite:'.length);
  printLine(`\n${running.collections} collections, ready after ${(performance.now() / 1000).toFixed(1)} s`);
  printLine(
    formatGreeting({
      urls,
      url: running.url,
      ui: queue.ui,
      email,
      token,
      password: admin.password,
      key,
      file,
    }),
  );
  const starting = queue.startWorkers({
    ...environment,
    DATABASE_URL: config.database.url,
    TEMPORAL_ADDRESS: queue.address,
    PUBLIC_URL: running.url,
  });
  const stop = async (): Promise<void> => {
    await Promise.all([queue.stop(), starting]);
    await running.close();
  };
  await untilStopped({ stop, kill: () => {} }, { observe });
};

/**
 * Returns environment and configuration of the demo. Because it fills its database, it uses only an embedded one; webhooks may target this machine.
 * @param isPortFree whether a port of a host is free
 */
export const prepareDemo = async (given: Environment, isPortFree = isFree): Promise<DemoSetup> => {
  const { DATABASE_URL: url, DATABASE_URL_FILE: file, ...others } = given;
  const own = url?.startsWith('sqlite:') === true;
  if (file || (url && !own))
    printLine('the demo ignores DATABASE_URL; run "svc start" to serve that database');
  const environment = { ...defaults, ...others, ...(own ? { DATABASE_URL: url } : {}) };
  const config = loadConfig(environment);
  if (given.PORT || (await isPortFree(config.host, config.port))) return { environment, config };
  printLine(`port ${config.port} is in use, choosing a free one; set PORT to choose it yourself`);
  return { environment, config: { ...config, port: 0 } };
};

const defaults: Environment = {
  EXPLORER: 'true',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
  WEBHOOK_ALLOW_HTTP: 'true',
  // who stops a demo does not wait for its models
  WORKER_DRAIN: '10s',
};

/** Prints steps as plain text, for a person at a terminal; the last line of the greeting names the database. */
const showSteps =
  (observe: Observe): Observe =>
  (observation) => {
    if (observation.kind === 'databaseDefault') return;
    if (observation.kind !== 'step') return observe(observation);
    const { name, ms } = observation;
    printLine(`  ${name.padEnd(10)} ${Math.round(ms).toString().padStart(5)} ms`);
  };
