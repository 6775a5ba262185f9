/** A private MariaDB server for the bench: its data stay, its durability is MariaDB's own default. */
import { access, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, installPackages, run } from '../services/programs.js';
import { reservePort } from '../services/ports.js';
import { startServer } from '../services/server.js';
import type { BenchServer } from './databases.js';
import { operations, query, readSettings } from './mysql-server.js';
import { cacheFolder } from './paths.js';

const home = join(cacheFolder, 'mariadb');

export const startMariadb = async (): Promise<BenchServer> => {
  const programs = await requirePrograms();
  const common = [
    '--no-defaults',
    `--datadir=${join(home, 'data')}`,
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ];
  await installOnce(programs.install, common);
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const port = await reservePort();
  const base = `mysql://root@127.0.0.1:${port}`;
  const server = await startServer({
    program: programs.server,
    args: [...common, ...serverArgs(folder, port)],
    folder,
    isReady: () =>
      query(base, 'SELECT 1').then(
        () => true,
        () => false,
      ),
  });
  return {
    dialect: 'mariadb',
    pid: Number(await readFile(join(folder, 'pid'), 'utf8')),
    settings: await readSettings(base),
    ...operations(base),
    stop: async () => {
      await query(base, 'SHUTDOWN').catch(() => {});
      await server.stop();
    },
  };
};

interface Programs {
  readonly server: string;
  readonly install: string;
}

const requirePrograms = async (): Promise<Programs> => {
  const found = await findPrograms();
  if (found !== null) return found;
  const debian = ['mariadb-server-core', 'mariadb-client-core'];
  await installPackages({ title: 'MariaDB', debian, homebrew: 'mariadb' });
  const installed = await findPrograms();
  if (installed === null) throw new Error('mariadbd and mariadb-install-db are not on the PATH');
  return installed;
};

const findPrograms = async (): Promise<Programs | null> => {
  const [server, install] = await Promise.all([findProgram('mariadbd'), findProgram('mariadb-install-db')]);
  return server === null || install === null ? null : { server, install };
};

const installOnce = async (install: string, common: readonly string[]): Promise<void> => {
  const complete = await access(join(home, 'data', 'ibdata1')).then(
    () => true,
    () => false,
  );
  if (complete) return;
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  await run(install, [...common, '--auth-root-authentication-method=normal', '--skip-test-db']);
};

/** Every page fits into memory, every table into the caches. */
const serverArgs = (folder: string, port: number): string[] => [
  `--port=${port}`,
  '--bind-address=127.0.0.1',
  `--socket=${join(folder, 'socket')}`,
  // a server that starts removes the temporary tables that it finds, also those of others
  `--tmpdir=${folder}`,
  `--pid-file=${join(folder, 'pid')}`,
  '--skip-name-resolve',
  '--character-set-server=utf8mb4',
  '--innodb-buffer-pool-size=1G',
  '--table-open-cache=4000',
  '--table-definition-cache=4000',
];
