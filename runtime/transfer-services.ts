/** Assembles what runs imports and exports: in a process of the API, and in a worker. */
import { createIdentity } from './identity.js';
import { createBackground } from './concurrency/background.js';
import type { Access } from './access/access.js';
import type { Config } from './config/config.js';
import type { CollectionDeclaration } from '../contract/collection.js';
import type { Database } from './databases/contract.js';
import { createItemServices } from './item-services.js';
import type { ItemServices } from './items/context.js';
import type { Observe } from './observe.js';
import type { Queue } from './queue/queue.js';
import type { RunTransfer } from './transfers/run.js';
import type { Transfers } from './transfers/routes.js';

interface TransferLoaderOptions {
  readonly config: Config;
  readonly database: Database;
  readonly items: ItemServices;
  readonly access: Access;
  readonly observe: Observe;
  readonly loadQueue: () => Promise<Queue>;
}

type LoadTransfers = (() => Promise<Transfers>) & { close(): Promise<void> };

/** Milliseconds between looks for transfers of a process that has ended. */
const lookInterval = 30_000;

/**
 * Loads imports and exports on first use. Without Temporal, also where a transfer waits for a process, which somebody has
 * to look for.
 */
export const createTransferLoader = (options: TransferLoaderOptions): LoadTransfers => {
  const { config, database, items, access, observe, loadQueue } = options;
  let transfers: Promise<Transfers> | null = null;
  const load = async (): Promise<Transfers> => {
    const [{ createTransfers }, queue] = await Promise.all([import('./transfers/routes.js'), loadQueue()]);
    return createTransfers({
      items,
      access,
      queue,
      maxSize: config.importMax,
      observe,
      onError: (error) =>
        observe({
          kind: 'warning',
          message: `transfers: ${error instanceof Error ? error.message : String(error)}`,
        }),
    });
  };
  const start = (): Promise<Transfers> => {
    clearInterval(timer);
    return (transfers ??= load());
  };
  const look = async (): Promise<void> => {
    const { hasTransfers } = await import('./queue/store/transfers.js');
    if (await hasTransfers(database)) await start();
  };
  const timer = setInterval(() => void look().catch(() => undefined), lookInterval).unref();
  if (config.temporal.address !== null) clearInterval(timer);
  return Object.assign(start, {
    async close(): Promise<void> {
      clearInterval(timer);
      await (await transfers)?.close();
    },
  });
};

interface WorkerTransferOptions {
  readonly config: Config;
  readonly database: Database;
  readonly declarations: readonly CollectionDeclaration[];
  readonly observe: Observe;
}

/** Returns what runs transfers in a worker, whose rate nothing limits. */
export const createWorkerTransfers = async (options: WorkerTransferOptions): Promise<RunTransfer> => {
  const config = { ...options.config, rateLimit: null };
  const [{ createRunTransfer }, { createFileStore }] = await Promise.all([
    import('./transfers/run.js'),
    import('./queue/requests/file-store.js'),
  ]);
  const identity = createIdentity({ ...options, config }, createBackground(options.observe));
  const items = createItemServices({ ...options, config }, identity);
  return createRunTransfer({
    items,
    access: identity.access,
    files: createFileStore(config.queue),
  });
};
