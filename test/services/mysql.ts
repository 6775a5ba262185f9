/** Starts a private MySQL server with its own data directory and port, which stops when the tests end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Service } from '../services.js';
import { requireMysql, type MysqlProgram } from './mysql-program.js';
import { reservePort } from './ports.js';
import { runGuarded, startServer } from './server.js';

/** Starts a server, and installs a missing program first. */
export const startMysql = async (): Promise<Service> => startPrivate(await requireMysql(), 3);

/** Retries if another process takes the port first. */
const startPrivate = async (mysql: MysqlProgram, attempts: number): Promise<Service> => {
  // the process id in the name tells `removeLeftovers` whose directory it is
  const folder = await mkdtemp(join(mysql.root, mysql.temporary, `svc-mysql-${process.pid}-`));
  const port = await reservePort();
  try {
    const common = commonArgs(join(mysql.temporary, basename(folder)));
    await runGuarded(mysql.program, [...mysql.args, ...common, '--initialize-insecure']);
    const args = [...mysql.args, ...common, ...serverArgs(port)];
    const isReady = (): Promise<boolean> => acceptsConnections(port, basename(folder));
    const server = await startServer({ program: mysql.program, args, folder, isReady });
    return { url: `mysql://root@127.0.0.1:${port}`, stop: server.stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (attempts > 1 && String(error).includes('Address already in use')) {
      return startPrivate(mysql, attempts - 1);
    }
    throw error;
  }
};

/** Ignores the configuration of the machine; `--user=root` is required to run as root. */
const commonArgs = (folder: string): string[] => [
  '--no-defaults',
  `--datadir=${folder}/data`,
  `--socket=${folder}/socket`,
  `--tmpdir=${folder}`,
  `--pid-file=${folder}/pid`,
  '--mysqlx=OFF',
  '--secure-file-priv=',
  ...(process.getuid?.() === 0 ? ['--user=root'] : []),
];

/** Disables durability, because no data outlives the tests. */
const serverArgs = (port: number): string[] => [
  `--port=${port}`,
  '--bind-address=127.0.0.1',
  '--skip-log-bin',
  '--max-connections=1000',
  '--performance-schema=OFF',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-flush-method=nosync',
  '--skip-innodb-doublewrite',
  // tables are created and dropped all the time
  '--skip-innodb-file-per-table',
];

/** Returns whether the server on the port is ours, which its data directory shows. */
const acceptsConnections = async (port: number, folder: string): Promise<boolean> => {
  try {
    const connection = await createConnection({ host: '127.0.0.1', port, user: 'root' });
    const [[row]] = await connection.query<RowDataPacket[]>('SELECT @@datadir AS folder');
    await connection.end();
    return String(row?.folder).includes(folder);
  } catch {
    return false;
  }
};
