/** Starts a private MariaDB server with its own directory and port, which stops when the tests end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { Service } from '../services.js';
import { dataFolder } from './data-folder.js';
import { findProgram, installPackages } from './programs.js';
import { reservePort } from './ports.js';
import { runGuarded, startServer } from './server.js';

/** Packages with only the programs; `mariadb-server` would also start a system service. */
const packages = {
  title: 'MariaDB',
  debian: ['mariadb-server-core', 'mariadb-client-core'],
  homebrew: 'mariadb',
};

/**
 * Starts a server, and installs missing programs first.
 * @param options additional command-line options of the server
 */
export const startMariadb = async (options: readonly string[] = []): Promise<Service> => {
  const programs = (await findPrograms()) ?? (await installPackages(packages).then(findPrograms));
  if (programs === null) {
    throw new Error('MariaDB was installed, but mariadbd and mariadb-install-db are not on the PATH');
  }
  return startPrivate(programs, { options, attempts: 3 });
};

interface StartOptions {
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

/** Retries if another process takes the port first. */
const startPrivate = async (programs: Programs, { options, attempts }: StartOptions): Promise<Service> => {
  const folder = await mkdtemp(join(dataFolder(), 'svc-mariadb-'));
  const port = await reservePort();
  try {
    await runGuarded(programs.install, [...commonArgs(folder), ...installArgs]);
    const args = [...commonArgs(folder), ...serverArgs(folder, port), ...options];
    const isReady = (): Promise<boolean> => acceptsConnections(join(folder, 'socket'));
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

/** Ignores the configuration of the machine; `--user=root` is required to run as root. */
const commonArgs = (folder: string): string[] => [
  '--no-defaults',
  `--datadir=${join(folder, 'data')}`,
  ...(process.getuid?.() === 0 ? ['--user=root'] : []),
];

const installArgs = ['--auth-root-authentication-method=normal', '--skip-test-db'];

/** Disables durability, because no data outlives the tests. */
const serverArgs = (folder: string, port: number): string[] => [
  `--port=${port}`,
  '--bind-address=127.0.0.1',
  `--socket=${join(folder, 'socket')}`,
  // a server that starts removes the temporary tables that it finds, also those of others
  `--tmpdir=${folder}`,
  `--pid-file=${join(folder, 'pid')}`,
  '--skip-name-resolve',
  '--max-connections=1000',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_unicode_ci',
  '--innodb-flush-log-at-trx-commit=0',
  '--skip-innodb-doublewrite',
  // tables are created and dropped all the time
  '--skip-innodb-file-per-table',
  '--skip-sync-frm',
  // Debian's build has it too: creating and dropping tables waits for the disk otherwise
  '--debug-no-sync',
];

/** Connects to the private socket, because another server might listen on the port. */
const acceptsConnections = async (socketPath: string): Promise<boolean> => {
  try {
    const connection = await createConnection({ socketPath, user: 'root' });
    await connection.end();
    return true;
  } catch {
    return false;
  }
};
