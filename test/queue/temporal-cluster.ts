/** A Temporal server as in production: built from source, on PostgreSQL, with 512 shards; it can be killed and started again. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Connection } from '@temporalio/client';
import { requireGoProgram } from '../services/go-programs.js';
import { reservePort } from '../services/ports.js';
import { run } from '../services/programs.js';
import { until } from '../until.js';
import { accepts, createDatabase, launch, victim, type Server } from './victims.js';

const version = 'v1.29.1';
const databases = [
  ['temporal', 'postgresql/v12/temporal'],
  ['temporal_visibility', 'postgresql/v12/visibility'],
] as const;
const services = ['frontend', 'history', 'matching', 'worker'] as const;

/** Its own database is not among those that are killed: what is stored there survives kills of the server. */
export const createTemporalCluster = async (): Promise<Server> => {
  const program = await requireProgram('server', 'go.temporal.io/server/cmd/server');
  const tool = await requireProgram('sql', 'go.temporal.io/server/cmd/tools/sql');
  const database = await createDatabase();
  await database.start();
  await createSchemas(tool, database.port);
  const folder = await mkdtemp(join(tmpdir(), 'svc-cluster-'));
  const port = await reservePort();
  await mkdir(join(folder, 'config'));
  await writeFile(join(folder, 'config', 'test.yaml'), await printConfig(port, database.port));
  const args = ['--root', folder, '--config', 'config', '--env', 'test', '--allow-no-auth', 'start'];
  const made = victim({
    name: 'temporal',
    launch: async () => launch([program, ...args]),
    isReady: () => accepts(port),
  });
  return {
    ...made,
    port,
    async start() {
      await made.start();
      await ensureNamespace(`127.0.0.1:${port}`);
    },
    async remove() {
      await made.kill();
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const requireProgram = (name: string, path: string): Promise<string> =>
  requireGoProgram({ name, package: path, version });

const createSchemas = async (tool: string, port: number): Promise<void> => {
  const server = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(port), '-u', 'postgres'];
  for (const [name, schema] of databases) {
    const at = [...server, '--db', name];
    await run(tool, [...at, 'create']);
    await run(tool, [...at, 'setup-schema', '-v', '0.0']);
    await run(tool, [...at, 'update-schema', '--schema-name', schema]);
  }
};

/** A server that was just started answers before it knows its namespaces. */
const ensureNamespace = async (address: string): Promise<void> => {
  const isThere = async (): Promise<boolean> => {
    const connection = await Connection.connect({ address, connectTimeout: 2_000 });
    try {
      const retention = { workflowExecutionRetentionPeriod: { seconds: 86_400 as never } };
      await connection.workflowService
        .registerNamespace({ namespace: 'default', ...retention })
        .catch((error: Error) => error.message.includes('ALREADY_EXISTS') || Promise.reject(error));
      await connection.workflowService.listWorkflowExecutions({ namespace: 'default', pageSize: 1 });
      return true;
    } finally {
      await connection.close();
    }
  };
  await until(() => isThere().catch(() => false), { timeout: 120_000, interval: 500, what: 'the namespace' });
};

const printConfig = async (port: number, databasePort: number): Promise<string> => {
  const store = (name: string): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName: name,
      connectAddr: `127.0.0.1:${databasePort}`,
      connectProtocol: 'tcp',
      user: 'postgres',
      password: '',
      maxConns: 20,
    },
  });
  const rpcOf = async (name: string): Promise<readonly [string, object]> => {
    const grpcPort = name === 'frontend' ? port : await reservePort();
    return [name, { rpc: { grpcPort, membershipPort: await reservePort(), bindOnLocalHost: true } }];
  };
  // JSON is YAML
  return JSON.stringify({
    log: { stdout: true, level: 'error' },
    persistence: {
      defaultStore: 'main',
      visibilityStore: 'visibility',
      numHistoryShards: 512,
      datastores: { main: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(await Promise.all(services.map(rpcOf))),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${port}`,
        },
      },
    },
  });
};
