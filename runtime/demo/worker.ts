/** The process of the demo's workers: like `svc worker`, ended by its parent. */
import { loadConfig } from '../config/config.js';
import { createObserver } from '../observe.js';
import { startWorkerProcess, type RunningWorkers } from '../processes/worker-process.js';
import { workerRoles } from '../queue/temporal/worker.js';

let running: RunningWorkers | null = null;

// From a terminal SIGINT reaches the whole group; the parent says when to stop, by its channel or by its end.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => void stop());
if (!process.connected) process.exit(0);

/** What has not started yet has nothing to finish. */
const stop = async (): Promise<void> => {
  await running?.stop();
  process.exit(0);
};

const config = loadConfig(process.env);
const observe = await createObserver({ log: { ...config.log, level: 'warn' } });
running = await startWorkerProcess({ config, roles: workerRoles, observe });
running.ended.catch((error: Error) => {
  observe({ kind: 'workerFailed', error });
  process.exit(1);
});
