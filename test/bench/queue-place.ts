/** Environment of the queue bench: an API process, a worker process, MariaDB and a Temporal server. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createWorkplace, type Running } from '../runtime/commands.js';
import { reservePort } from '../services/ports.js';
import { startTemporal } from '../services/temporal.js';
import { createTemporalCluster } from '../queue/temporal-cluster.js';
import type { BenchServer } from './databases.js';
import { startMariadb } from './mariadb.js';

const database = 'bench_queue';

const model = `title: Echo
description: Answers what it was asked.
runner: { function: './echo.js' }
concurrency: { model: 100000, account: 100000 }
input: { type: object, properties: { n: { type: integer } } }
output: { type: object }
`;

const fields = Array.from({ length: 9 }, (_, at) => `f${at} VARCHAR(40)`).join(', ');

type Headers = Readonly<Record<string, string>>;

export interface QueuePlace {
  readonly url: string;
  /** `DATABASE_URL`. */
  readonly databaseUrl: string;
  readonly api: Running;
  /** `Authorization` of a key, and of the administrator. */
  readonly key: Headers;
  readonly bearer: Headers;
  readonly temporal: Client;
  /** First column of every row. */
  column(query: string): Promise<string[]>;
  execute(statement: string): Promise<void>;
  startWorker(): Promise<Running>;
  /** A worker of the bare workflow, in this process: one, however often it is asked for. */
  startBareWorker(): Promise<void>;
  stop(): Promise<void>;
}

export const startQueuePlace = async (): Promise<QueuePlace> => {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.toReversed())
      await end().catch((error: unknown) => process.stderr.write(`${error}\n`));
  };
  try {
    const mariadb = await startMariadb();
    ends.push(() => mariadb.stop());
    const address = await startTemporalOf(ends);
    return { ...(await startSvc({ mariadb, address, ends })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Starts the development server, or with `BENCH_CLUSTER` a server as in production. @returns its address */
const startTemporalOf = async (ends: Parts['ends']): Promise<string> => {
  if (process.env.BENCH_CLUSTER !== '1') {
    const temporal = await startTemporal();
    ends.push(() => temporal.stop());
    return temporal.url;
  }
  const cluster = await createTemporalCluster();
  ends.push(() => cluster.remove());
  await cluster.start();
  return `127.0.0.1:${cluster.port}`;
};

interface Parts {
  readonly mariadb: BenchServer;
  /** Address of Temporal. */
  readonly address: string;
  /** Resources to close, in the order of creation. */
  readonly ends: (() => Promise<unknown>)[];
}

const startSvc = async ({ mariadb, address, ends }: Parts): Promise<Omit<QueuePlace, 'stop'>> => {
  await prepareDatabase(mariadb);
  const place = createPlace();
  ends.push(async () => place.remove());
  const environment = environmentOf(mariadb.url(database), address, await reservePort());
  await place.run(['bootstrap'], environment);
  const { stdout } = await place.run(['keys', 'create', '--user', 'admin@example.com'], environment);
  const start = async (args: readonly string[], ready: RegExp): Promise<Running> => {
    const running = place.start(args, environment);
    ends.push(() => running.stop('SIGTERM'));
    await running.until(ready);
    return running;
  };
  const api = await start(['start', '--workers', '1'], /serving/);
  const connection = await Connection.connect({ address });
  ends.push(() => connection.close());
  let bareWorker: Promise<void> | null = null;
  return {
    url: environment.PUBLIC_URL,
    databaseUrl: environment.DATABASE_URL,
    api,
    key: { authorization: `Key ${stdout.trim()}`, 'content-type': 'application/json' },
    bearer: { authorization: `Bearer ${environment.ADMIN_TOKEN}`, 'content-type': 'application/json' },
    temporal: new Client({ connection }),
    column: (query) => mariadb.column(database, query),
    execute: (statement) => mariadb.execute(database, [statement]),
    startWorker: () => start(['worker'], /workers started: /),
    startBareWorker: () => (bareWorker ??= startBareWorker(address, ends)),
  };
};

const prepareDatabase = async (mariadb: BenchServer): Promise<void> => {
  await mariadb.recreate(database);
  const table = `CREATE TABLE thing (id INT PRIMARY KEY, ${fields})`;
  await mariadb.execute(database, [table, `INSERT INTO thing VALUES (1${", 'something'".repeat(9)})`]);
};

const createPlace = () => {
  // as in production, where code is optimized
  const place = createWorkplace({ sharesBuilds: false, nodeOptions: [] });
  mkdirSync(join(place.directory, 'spec', 'models'), { recursive: true });
  writeFileSync(join(place.directory, 'spec', 'models', 'bench.echo.yaml'), model);
  writeFileSync(join(place.directory, 'echo.js'), 'export const run = async (input) => input;\n');
  return place;
};

const environmentOf = (databaseUrl: string, address: string, port: number) => ({
  DATABASE_URL: databaseUrl,
  TEMPORAL_ADDRESS: address,
  ADMIN_TOKEN: 'bench-administrator-token',
  RATE_LIMITER_ENABLED: 'false',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_ALLOW_HTTP: 'true',
});

const startBareWorker = async (address: string, ends: Parts['ends']): Promise<void> => {
  Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} } });
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    taskQueue: 'bare',
    workflowsPath: new URL('bare-workflow.ts', import.meta.url).pathname,
    activities: { echo: async (input: object) => input },
  });
  const ended = worker.run();
  ends.push(async () => {
    worker.shutdown();
    await ended;
    await connection.close();
  });
};
