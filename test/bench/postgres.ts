/** A private PostgreSQL server for the bench: its data stay, its durability is PostgreSQL's own default. */
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { commandOf, createCluster, changeOwner, requirePrograms } from '../services/postgres.js';
import { reservePort } from '../services/ports.js';
import { startServer } from '../services/server.js';
import type { BenchServer } from './databases.js';
import { cacheFolder } from './paths.js';

const home = join(cacheFolder, 'postgres');

export const startPostgres = async (): Promise<BenchServer> => {
  const programs = await requirePrograms();
  await createOnce(programs.install);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  await changeOwner(folder);
  const port = await reservePort();
  const base = `postgres://postgres@127.0.0.1:${port}`;
  const [program = '', ...args] = await commandOf(programs.server, serverArgs(folder, port));
  const isReady = (): Promise<boolean> =>
    query(`${base}/postgres`, ['SELECT 1']).then(
      () => true,
      () => false,
    );
  const server = await startServer({ program, args, folder, isReady, signal: 'QUIT' });
  const [pid = ''] = (await readFile(join(home, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  return {
    dialect: 'postgres',
    pid: Number(pid),
    settings: await readSettings(`${base}/postgres`),
    ...operations(base),
    stop: async () => {
      // what is committed is on disk, and found again by the next start
      await query(`${base}/postgres`, ['CHECKPOINT']).catch(() => {});
      await server.stop();
    },
  };
};

const createOnce = async (install: string): Promise<void> => {
  const complete = await access(join(home, 'data', 'postgresql.conf')).then(
    () => true,
    () => false,
  );
  if (complete) return;
  await rm(home, { recursive: true, force: true });
  await createCluster(install, home);
};

const operations = (base: string): Pick<BenchServer, 'url' | 'execute' | 'column' | 'recreate'> => ({
  url: (name) => `${base}/${name}`,
  execute: async (name, statements) => {
    await query(`${base}/${name}`, statements);
  },
  column: async (name, text) =>
    (await query(`${base}/${name}`, [text])).map((row) => String(Object.values(row)[0])),
  recreate: async (name) => {
    await query(`${base}/postgres`, [`DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`]);
  },
});

/** Every page fits into memory. */
const serverArgs = (folder: string, port: number): string[] => [
  `-D${join(home, 'data')}`,
  `-p${port}`,
  `-k${folder}`,
  '-clisten_addresses=127.0.0.1',
  '-cshared_buffers=512MB',
];

const settingNames = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'shared_buffers',
] as const;

const readSettings = async (url: string): Promise<Record<string, string>> => {
  const columns = settingNames.map((name) => `current_setting('${name}') AS ${name}`);
  const [row] = await query(url, [`SELECT ${columns.join(', ')}`]);
  return Object.fromEntries(settingNames.map((name) => [name, String(row?.[name])]));
};

/** Foreign keys unchecked. @returns the rows of the last statement */
const query = async (url: string, statements: Iterable<string>): Promise<Record<string, unknown>[]> => {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query("SET session_replication_role = 'replica'");
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
};
