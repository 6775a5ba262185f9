/** `svc dev`: serves a project that is being written, and follows its files. */
import { Command } from 'commander';
import { loadConfig } from '../config/config.js';
import { loadEnvironment } from '../config/environment.js';
import { createObserver } from '../log/observers.js';
import { untilStopped } from '../processes/lifetime.js';
import { action, printLine } from './output.js';

/** Folders whose files are followed. */
const folders = ['spec', 'models'] as const;

/**
 * Creates `svc dev`, which runs `svc start` and `svc worker` as child processes until it receives SIGINT or
 * SIGTERM.
 */
export const devCommand = (): Command =>
  new Command('dev')
    .description('serve a project with its queue, reload its models on save, and print webhooks')
    .action(
      action(async () => {
        const environment = { ...defaults, ...loadEnvironment(process.cwd()) };
        const config = loadConfig(environment);
        const [{ openDemoTemporal }, { startCommands }, { startReceiver }, { watchFolders }] =
          await Promise.all([
            import('../demo/queue.js'),
            import('../dev/restarts.js'),
            import('../dev/receiver.js'),
            import('../dev/watch.js'),
          ]);
        const receiver = await startReceiver(printLine);
        const temporal = await openDemoTemporal(config, printLine);
        await temporal.ready;
        const commands = [['start', '--workers', '1'], ['worker']];
        const running = startCommands(commands, { ...environment, TEMPORAL_ADDRESS: temporal.address });
        printLine(`webhooks: add ?svc_webhook=${receiver.url}/ to a submission, and they are printed here`);
        if (temporal.ui !== null) printLine(`Temporal: ${temporal.ui}`);
        const unwatch = watchFolders(folders, (files) => {
          printLine(`${files.join(', ')} changed: reloading`);
          void running.restart();
        });
        const stop = async (): Promise<void> => {
          unwatch();
          await running.stop();
          await temporal.stop();
          await receiver.close();
        };
        await untilStopped({ stop, kill: () => undefined }, { observe: await createObserver(config) });
        return 0;
      }),
    );

/** Webhooks may target this machine, and a reload does not wait for models. */
const defaults = {
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
  WEBHOOK_ALLOW_HTTP: 'true',
  WORKER_DRAIN: '0s',
} as const;
