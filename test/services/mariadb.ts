/** A private MariaDB server: its own folder, a free port of the loopback address, gone when the tests end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { Service } from '../services.js';
import { findProgram, installPackages, run } from './programs.js';
import { reservePort } from './ports.js';
import { startServer } from './server.js';

/** These packages hold the programs alone: unlike `mariadb-server` they start no service of the machine. */
const packages = {
  title: 'MariaDB',
  debian: ['mariadb-server-core', 'mariadb-client-core'],
  homebrew: 'mariadb',
};

/**
 * Starts a server; installs the programs first where they are missing.
 * @param options of the server, beside those of every test
 */
export const startMariadb = async (options: readonly string[] = []): Promise<Service> => {
  const programs = (await findPrograms()) ?? (await installPackages(packages).then(findPrograms));
  if (programs === null) {
    throw new Error('MariaDB was installed, but mariadbd and mariadb-install-db are not on the PATH');
  }
  return startPrivate(programs, { options, attempts: 3 });
};

interface Start {
  readonly options: readonly string[];
  readonly attempts: number;
}

interface Programs {
  readonly server: string;
  readonly install: string;
}

const findPrograms = async (): Promise<Programs | null> => {
  const [server, install] = await Promise.all([findProgram('mariadbd'), findProgram('mariadb-install-db')]);
  return server === null || install === null ? null : { server, install };
};

/** Tries again where somebody was quicker to take the port. */
const startPrivate = async (programs: Programs, { options, attempts }: Start): Promise<Service> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mariadb-'));
  const port = await reservePort();
  try {
    await run(programs.install, [...commonArgs(folder), ...installArgs]);
    const args = [...commonArgs(folder), ...serverArgs(folder, port), ...options];
    const isReady = (): Promise<boolean> => answers(join(folder, 'socket'));
    const server = await startServer({ program: programs.server, args, folder, isReady });
    return { url: `mysql://root@127.0.0.1:${port}`, stop: server.stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (attempts > 1 && String(error).includes('Address already in use')) {
      return startPrivate(programs, { options, attempts: attempts - 1 });
    }
    throw error;
  }
};

/** Untouched by the machine's configuration; root has to say that it means it. */
const commonArgs = (folder: string): string[] => [
  '--no-defaults',
  `--datadir=${join(folder, 'data')}`,
  ...(process.getuid?.() === 0 ? ['--user=root'] : []),
];

const installArgs = ['--auth-root-authentication-method=normal', '--skip-test-db'];

/** Nothing survives the tests, so nothing is flushed with care. */
const serverArgs = (folder: string, port: number): string[] => [
  `--port=${port}`,
  '--bind-address=127.0.0.1',
  `--socket=${join(folder, 'socket')}`,
  `--pid-file=${join(folder, 'pid')}`,
  '--skip-name-resolve',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_unicode_ci',
  '--innodb-flush-log-at-trx-commit=0',
  '--skip-innodb-doublewrite',
  // tables are made and dropped all the time
  '--skip-innodb-file-per-table',
  '--skip-sync-frm',
];

/** Asked at the socket, which is nobody else's: at the port somebody else might answer. */
const answers = async (socketPath: string): Promise<boolean> => {
  try {
    const connection = await createConnection({ socketPath, user: 'root' });
    await connection.end();
    return true;
  } catch {
    return false;
  }
};
