/** A private MySQL server: its own data, a free port of the loopback address, gone when the tests end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Service } from '../services.js';
import { requireMysql, type MysqlProgram } from './mysql-program.js';
import { run } from './programs.js';
import { reservePort } from './ports.js';
import { startServer } from './server.js';

/** Starts a server; installs the program first where it is missing. */
export const startMysql = async (): Promise<Service> => startPrivate(await requireMysql(), 3);

/** Tries again where somebody was quicker to take the port. */
const startPrivate = async (mysql: MysqlProgram, attempts: number): Promise<Service> => {
  // the process says whose folder it is: see `removeLeftovers`
  const folder = await mkdtemp(join(mysql.root, mysql.temporary, `svc-mysql-${process.pid}-`));
  const port = await reservePort();
  try {
    const common = commonArgs(join(mysql.temporary, basename(folder)));
    await run(mysql.program, [...mysql.args, ...common, '--initialize-insecure']);
    const args = [...mysql.args, ...common, ...serverArgs(port)];
    const isReady = (): Promise<boolean> => answers(port, basename(folder));
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

/** Untouched by the machine's configuration; root has to say that it means it. */
const commonArgs = (folder: string): string[] => [
  '--no-defaults',
  `--datadir=${folder}/data`,
  `--socket=${folder}/socket`,
  `--pid-file=${folder}/pid`,
  '--mysqlx=OFF',
  '--secure-file-priv=',
  ...(process.getuid?.() === 0 ? ['--user=root'] : []),
];

/** Nothing survives the tests, so nothing is flushed with care. */
const serverArgs = (port: number): string[] => [
  `--port=${port}`,
  '--bind-address=127.0.0.1',
  '--skip-log-bin',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-flush-method=nosync',
  '--skip-innodb-doublewrite',
  // tables are made and dropped all the time
  '--skip-innodb-file-per-table',
];

/** Whether it is our server that answers at the port: its data lie in a folder that nobody else has. */
const answers = async (port: number, folder: string): Promise<boolean> => {
  try {
    const connection = await createConnection({ host: '127.0.0.1', port, user: 'root' });
    const [[row]] = await connection.query<RowDataPacket[]>('SELECT @@datadir AS folder');
    await connection.end();
    return String(row?.folder).includes(folder);
  } catch {
    return false;
  }
};
