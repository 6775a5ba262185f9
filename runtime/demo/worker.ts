/** Process of the demo's workers: like `svc worker`, but stopped by its parent. */
import { loadConfig } from '../config/config.js';
import { createObserver } from '../log/observers.js';
import { startWorkerProcess, type RunningWorkers } from '../processes/worker-process.js';
import { workerRoles } from '../queue/temporal/worker-services.js';

let running: RunningWorkers | null = null;

// A terminal sends SIGINT to the whole group; the parent decides when to stop, by message or by exiting.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => void stop());
if (!process.connected) process.exit(0);

/** Stops the workers; before they have started there is nothing to finish. */
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
