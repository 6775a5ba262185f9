/** `svc demo`: what `npm start` runs. */
import { Command } from 'commander';
import { loadConfig, loadEnvironment, type Config, type Environment } from '../config.js';
import { connect } from '../connect.js';
import { untilStopped } from '../processes/lifetime.js';
import { createObserver, timed, type Observe } from '../observe.js';
import { isFree } from '../processes/ports.js';
import { urlsOf } from '../urls.js';
import { runBootstrap } from './bootstrap.js';
import { action, say } from './output.js';

export const demoCommand = (): Command =>
  new Command('demo').description('serve a demo database: nothing to set up, everything under .svc/').action(
    action(async () => {
      await runDemo(await demoConfig(loadEnvironment(process.cwd())));
      return 0;
    }),
  );

const runDemo = async (config: Config): Promise<void> => {
  const observe = showSteps(await createObserver(config));
  const [{ loadChinook }, { greet }, { startRequestProcess }, { tokenOf }] = await Promise.all([
    import('../demo/chinook.js'),
    import('../demo/greeting.js'),
    import('../processes/request-process.js'),
    import('../schema/users.js'),
  ]);
  const database = await connect(config, observe);
  await timed('data', observe, () => loadChinook(database));
  const { admin } = await timed('bootstrap', observe, () => runBootstrap(database, config, () => {}));
  const { email } = config.admin;
  const token = await tokenOf(database, email);
  const running = await startRequestProcess({ config, database, observe });
  const urls = urlsOf(config, running.url);
  const file = config.database.url.slice('sqlite:'.length);
  say(`\n${running.collections} collections, ready after ${(performance.now() / 1000).toFixed(1)} s`);
  say(greet({ urls, email, token, password: admin.password, file }));
  await untilStopped({ stop: running.close, kill: () => {} }, observe);
};

/** The demo fills what it serves, so it keeps to an embedded database of its own. */
const demoConfig = async (environment: Environment): Promise<Config> => {
  const { DATABASE_URL: url, DATABASE_URL_FILE: file, ...others } = environment;
  const own = url?.startsWith('sqlite:') === true;
  if (file || (url && !own)) say('DATABASE_URL is not used by the demo; "svc start" serves that database');
  const config = loadConfig({ EXPLORER: 'true', ...others, ...(own ? { DATABASE_URL: url } : {}) });
  if (environment.PORT || (await isFree(config.host, config.port))) return config;
  say(`port ${config.port} is taken, a free one serves as well; PORT chooses another`);
  return { ...config, port: 0 };
};

/** Steps as plain lines: this start is watched by a person. */
const showSteps =
  (observe: Observe): Observe =>
  (observation) => {
    if (observation.kind !== 'step') return observe(observation);
    const { name, ms } = observation;
    say(`  ${name.padEnd(10)} ${Math.round(ms).toString().padStart(5)} ms`);
  };
