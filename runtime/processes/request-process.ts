/**
 * One process that answers requests: connects, sees to the build, serves. Alone in its process (`--workers 1`, the
 * demo) or as a child of the supervisor, where this module is the entry.
 */
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { CollectionDeclaration } from '../collection.js';
import { loadConfig, type Config } from '../config.js';
import { connect } from '../connect.js';
import type { Database } from '../execute/database.js';
import { createObserver, timed, type Observation, type Observe } from '../observe.js';
import { prepareBuild } from './prepare.js';
import type { QueueModelDeclaration } from '../queue-model.js';
import { computeHashesApart } from '../passwords.js';
import { isRefusal } from '../refusal.js';
import { loadFunctions } from './functions.js';

export interface RequestProcess {
  readonly url: string;
  readonly collections: number;
  /** The build that is served. */
  readonly directory: string;
  isReady(): boolean;
  /** Finishes what was begun, within ten seconds. */
  close(): Promise<void>;
}

export interface RequestProcessOptions {
  readonly config: Config;
  readonly observe: Observe;
  /** A build that is known to be current; absent: it is looked for, and made where missing. */
  readonly directory?: string;
  /** Opened already. Closed with the process. */
  readonly database?: Database;
  /** Told when requests become welcome or unwelcome. */
  readonly onReadiness?: (ready: boolean) => void;
}

const drainLimit = 10_000;

export const startRequestProcess = async (options: RequestProcessOptions): Promise<RequestProcess> => {
  const { config } = options;
  computeHashesApart();
  let ready = false;
  const setReady = (value: boolean): void => {
    ready = value;
    options.onReadiness?.(value);
  };
  const observe = watchDatabase(options.observe, setReady);
  const database = options.database ?? (await connect(config, observe));
  try {
    const known = options.directory !== undefined && existsSync(options.directory) ? options.directory : null;
    const directory = known ?? (await prepareBuild({ config, database, observe }));
    const { serve, declarations, queueModels } = await timed('load', observe, () => load(directory));
    const openapi = join(directory, 'openapi.json');
    const graphql = join(directory, 'graphql');
    const server = await timed('listen', observe, () =>
      serve({
        config,
        declarations,
        queueModels,
        loadFunctions: () => loadFunctions(directory),
        openapi,
        graphql,
        database,
        observe,
      }),
    );
    setReady(true);
    const close = async (): Promise<void> => {
      setReady(false);
      await Promise.race([server.close(), sleep(drainLimit, undefined, { ref: false })]);
      await database.close();
    };
    return { url: server.url, collections: declarations.length, directory, isReady: () => ready, close };
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** What a build exports. */
interface Bundle {
  readonly collections: readonly CollectionDeclaration[];
  readonly queueModels: readonly QueueModelDeclaration[];
}

const load = async (directory: string) => {
  const file = pathToFileURL(join(directory, 'server.mjs')).href;
  const [{ serve }, bundle] = await Promise.all([import('../server.js'), import(file) as Promise<Bundle>]);
  return { serve, declarations: bundle.collections, queueModels: bundle.queueModels };
};

const watchDatabase =
  (observe: Observe, setReady: (ready: boolean) => void): Observe =>
  (observation: Observation) => {
    if (observation.kind === 'databaseLost') setReady(false);
    if (observation.kind === 'databaseBack') setReady(true);
    observe(observation);
  };

/** Child → supervisor. */
export type Report =
  | { kind: 'ready'; url: string; collections: number; directory: string }
  | { kind: 'readiness'; ready: boolean }
  | { kind: 'failed'; message: string; refusal: boolean };

/** `directory` is the build to serve, once the first process has seen to it. */
const runChild = async (directory: string | undefined): Promise<void> => {
  let running: RequestProcess | null = null;
  const stop = async (): Promise<void> => {
    await running?.close();
    process.exit(0);
  };
  // From a terminal SIGINT reaches the whole group; the supervisor says when to stop, with SIGTERM.
  process.on('SIGINT', () => {});
  process.once('SIGTERM', () => void stop());
  try {
    const config = loadConfig(process.env);
    running = await startRequestProcess({
      config,
      observe: await createObserver(config),
      ...(directory === undefined ? {} : { directory }),
      onReadiness: (ready) => report({ kind: 'readiness', ready }),
    });
    const { url, collections } = running;
    report({ kind: 'ready', url, collections, directory: running.directory });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    report({ kind: 'failed', message, refusal: isRefusal(error) }, () => process.exit(1));
  }
};

const report = (message: Report, sent: () => void = () => {}): void => {
  process.send?.(message, sent);
};

if (cluster.isWorker) await runChild(process.argv[2]);
