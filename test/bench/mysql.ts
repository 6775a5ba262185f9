/** A private MySQL server for the bench: its data stay, its durability is MySQL's own default. */
import { access, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { requireMysql, type MysqlProgram } from '../services/mysql-program.js';
import { run } from '../services/programs.js';
import { reservePort } from '../services/ports.js';
import { startServer } from '../services/server.js';
import type { BenchServer } from './databases.js';
import { operations, query, readSettings } from './mysql-server.js';
import { cacheFolder } from './paths.js';

const home = join(cacheFolder, 'mysql');

export const startMysql = async (): Promise<BenchServer> => {
  const mysql = await requireMysql();
  // as the server sees it, which may be kept to a root of its own
  const data = mysql.root === '/' ? join(home, 'data') : '/var/lib/svc-bench';
  const common = [
    ...mysql.args,
    '--no-defaults',
    `--datadir=${data}`,
    '--mysqlx=OFF',
    '--secure-file-priv=',
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ];
  await initializeOnce(mysql, common, join(mysql.root, data));
  const folder = await mkdtemp(join(mysql.root, mysql.temporary, `svc-mysql-${process.pid}-`));
  const port = await reservePort();
  const base = `mysql://root@127.0.0.1:${port}`;
  const server = await startServer({
    program: mysql.program,
    args: [...common, ...serverArgs(join(mysql.temporary, basename(folder)), port)],
    folder,
    isReady: () =>
      query(base, 'SELECT 1').then(
        () => true,
        () => false,
      ),
  });
  return {
    dialect: 'mysql',
    pid: Number(await readFile(join(folder, 'pid'), 'utf8')),
    settings: await readSettings(base),
    ...operations(base),
    stop: async () => {
      await query(base, 'SHUTDOWN').catch(() => {});
      await server.stop();
    },
  };
};

/** Data that were lost take with them the notes of what was in them. */
const initializeOnce = async (
  { program }: MysqlProgram,
  common: readonly string[],
  data: string,
): Promise<void> => {
  const complete = await access(join(data, 'mysql.ibd')).then(
    () => true,
    () => false,
  );
  if (complete) return;
  await rm(home, { recursive: true, force: true });
  await rm(data, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  await run(program, [...common, '--initialize-insecure']);
};

/** Every page fits into memory, every table into the caches. */
const serverArgs = (folder: string, port: number): string[] => [
  `--port=${port}`,
  '--bind-address=127.0.0.1',
  `--socket=${folder}/socket`,
  `--tmpdir=${folder}`,
  `--pid-file=${folder}/pid`,
  '--innodb-buffer-pool-size=1G',
  '--table-open-cache=4000',
  '--table-definition-cache=4000',
];
