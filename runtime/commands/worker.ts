/** `svc worker`: runs workers of the queue. */
import { Command, InvalidArgumentError } from 'commander';
import { loadConfig, type Config } from '../config/config.js';
import { loadEnvironment } from '../config/environment.js';
import { packageVersion } from '../config/package.js';
import { createMetrics, type Metrics } from '../metrics/metrics.js';
import { createObserver, observeAll } from '../observe.js';
import type { AdminServer } from '../processes/admin-server.js';
import type { Parts } from '../processes/health.js';
import type { RunningWorkers } from '../processes/worker-process.js';
import { connectServiceManager } from '../processes/service-manager.js';
import { untilStopped } from '../processes/lifetime.js';
import { checkFilesDir } from '../queue/requests/files-dir.js';
import { Refusal } from '../config/refusal.js';
import { action } from './output.js';

const roles = ['workflows', 'models', 'webhooks', 'housekeeping'] as const;
type Role = (typeof roles)[number];

/** Roles that write or remove files of models. */
const fileRoles: ReadonlySet<Role> = new Set(['models', 'housekeeping']);

export const workerCommand = (): Command =>
  new Command('worker')
    .description('run workers of the queue; requires TEMPORAL_ADDRESS')
    .option('--role <names>', `comma-separated roles out of ${roles.join(', ')}`, parseRoles, roles)
    .action(
      action(async ({ role }: { role: readonly Role[] }) => {
        const config = loadConfig(loadEnvironment(process.cwd()));
        if (config.temporal.address === null) {
          throw new Refusal('TEMPORAL_ADDRESS is not set; expected host:port of a Temporal server');
        }
        if (role.some((each) => fileRoles.has(each))) await requireFilesDir(config.queue.filesDir);
        await runWorkers(config, role);
        return 0;
      }),
    );

const runWorkers = async (config: Config, roles: readonly Role[]): Promise<void> => {
  const manager = connectServiceManager();
  const log = await createObserver(config);
  const metrics = config.adminPort === null ? null : createMetrics({ version: packageVersion });
  const observe = metrics === null ? log : observeAll(log, metrics.observe);
  const { startWorkerProcess } = await import('../processes/worker-process.js');
  let running: RunningWorkers | null = null;
  const admin = metrics === null ? null : await serveAdminOf(config, metrics, () => running);
  try {
    running = await startWorkerProcess({ config, roles, observe, ...(metrics !== null && { metrics }) });
    observe({ kind: 'workersStarted', roles });
    manager.ready(() => true);
    const stopped = untilStopped(running, { observe, onStop: manager.stopping });
    await Promise.race([stopped, running.ended]);
  } finally {
    admin?.close();
  }
};

const starting: Parts = { workers: { status: 'failed', reason: 'the workers have not started yet' } };

/** Serves ADMIN_PORT. */
const serveAdminOf = async (
  { host, adminPort }: Config,
  metrics: Metrics,
  current: () => RunningWorkers | null,
): Promise<AdminServer> => {
  const { serveAdmin } = await import('../processes/admin-server.js');
  const parts = async (): Promise<Parts> => (await current()?.parts()) ?? starting;
  return serveAdmin({
    host,
    port: adminPort ?? 0,
    role: 'worker',
    version: packageVersion,
    isReady: async () => Object.values(await parts()).every(({ status }) => status === 'ok'),
    parts,
    async metrics() {
      const { printSnapshots } = await import('../metrics/print.js');
      const own = await printSnapshots([await metrics.snapshot()]);
      return own + ((await current()?.sdkMetrics()) ?? '');
    },
  });
};

const requireFilesDir = async (directory: string): Promise<void> => {
  const fault = await checkFilesDir(directory);
  if (fault !== null) throw new Refusal(fault);
};

const parseRoles = (text: string): readonly Role[] => {
  const names = text.split(',').map((name) => name.trim());
  const known = names.filter((name): name is Role => roles.some((role) => role === name));
  if (known.length < names.length)
    throw new InvalidArgumentError(`expected one or more of ${roles.join(', ')}`);
  return known;
};
