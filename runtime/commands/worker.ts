/** `svc worker`: runs workers of the queue. */
import { Command, InvalidArgumentError } from 'commander';
import { loadConfig, type Config } from '../config/config.js';
import { loadEnvironment } from '../config/environment.js';
import { packageVersion } from '../config/package.js';
import { createMetrics, type Metrics } from '../metrics/metrics.js';
import { createObserver } from '../log/observers.js';
import { observeAll } from '../observe.js';
import type { AdminServer } from '../processes/admin-server.js';
import type { Parts } from '../processes/health.js';
import type { RunningWorkers, WorkerPool } from '../processes/worker-process.js';
import { connectServiceManager } from '../processes/service-manager.js';
import { untilStopped } from '../processes/lifetime.js';
import { checkFileStore } from '../queue/requests/file-store-check.js';
import { Refusal } from '../config/refusal.js';
import { action } from './output.js';

const roles = ['workflows', 'models', 'webhooks', 'housekeeping'] as const;
type Role = (typeof roles)[number];

/** Roles that write or remove files of models. */
const fileRoles: ReadonlySet<Role> = new Set(['models', 'housekeeping']);

interface Flags {
  readonly role: readonly Role[];
  readonly class?: readonly string[];
  readonly slots?: number;
}

/** Creates `svc worker`, which drains when it receives SIGINT or SIGTERM. */
export const workerCommand = (): Command =>
  new Command('worker')
    .description('run workers of the queue; requires TEMPORAL_ADDRESS')
    .option('--role <names>', `comma-separated roles out of ${roles.join(', ')}`, parseRoles, roles)
    .option('--class <names>', 'comma-separated classes whose models it runs (default: all)', parseNames)
    .option('--slots <number>', 'models of a class that it runs at the same time', parseSlots)
    .action(
      action(async ({ role, class: classes, slots }: Flags) => {
        const config = loadConfig(loadEnvironment(process.cwd()));
        if (config.temporal.address === null) {
          throw new Refusal('TEMPORAL_ADDRESS is not set; expected host:port of a Temporal server');
        }
        if (!role.includes('models') && (classes ?? slots) !== undefined) {
          throw new Refusal(
            '--class and --slots belong to the role "models", which this worker does not have',
          );
        }
        if (role.some((each) => fileRoles.has(each))) await requireFileStore(config.queue);
        await runWorkers(config, {
          roles: role,
          ...(classes !== undefined && { classes }),
          ...(slots !== undefined && { slots }),
        });
        return 0;
      }),
    );

const runWorkers = async (config: Config, pool: WorkerPool): Promise<void> => {
  const manager = connectServiceManager();
  const log = await createObserver(config);
  const metrics = config.adminPort === null ? null : createMetrics({ version: packageVersion });
  const observe = metrics === null ? log : observeAll(log, metrics.observe);
  const { startWorkerProcess } = await import('../processes/worker-process.js');
  let running: RunningWorkers | null = null;
  const admin = metrics === null ? null : await serveAdminOf(config, metrics, () => running);
  try {
    running = await startWorkerProcess({ config, ...pool, observe, ...(metrics !== null && { metrics }) });
    // before the log says that it can be stopped
    const stopped = untilStopped(running, { observe, onStop: manager.stopping });
    observe({ kind: 'workersStarted', roles: pool.roles });
    manager.ready(() => true);
    await Promise.race([stopped, running.ended]);
  } finally {
    admin?.close();
  }
};

const starting: Parts = { workers: { status: 'failed', reason: 'the workers have not started yet' } };

/** Serves ADMIN_PORT. */
const serveAdminOf = async (
  { adminHost: host, adminPort }: Config,
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

const requireFileStore = async (queue: Config['queue']): Promise<void> => {
  const fault = await checkFileStore(queue);
  if (fault !== null) throw new Refusal(fault);
};

const parseNames = (text: string): readonly string[] => [
  ...new Set(text.split(',').map((name) => name.trim())),
];

const parseRoles = (text: string): readonly Role[] => {
  const names = parseNames(text);
  const known = names.filter((name): name is Role => roles.some((role) => role === name));
  if (known.length < names.length)
    throw new InvalidArgumentError(`expected one or more of ${roles.join(', ')}`);
  return known;
};

const parseSlots = (text: string): number => {
  const slots = Number(text);
  if (!Number.isInteger(slots) || slots < 1)
    throw new InvalidArgumentError('expected a number of at least 1');
  return slots;
};
