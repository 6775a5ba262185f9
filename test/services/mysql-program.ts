/**
 * Finds MySQL's server program: on the machine, otherwise in a minimal Debian system in the project's cache directory,
 * because Debian releases contain only MariaDB. It is downloaded once.
 */
import { execFile } from 'node:child_process';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram, installPackages, run } from './programs.js';

/** Command of the server: `program` with `args` before the arguments of the server. */
export interface MysqlProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** Root directory of the server's paths. */
  readonly root: string;
  /** Writable directory, as a path of the server. */
  readonly temporary: string;
}

const cache = fileURLToPath(new URL('../../.cache/services', import.meta.url));
const mysqlRoot = join(cache, 'mysql');
const serverPath = '/usr/sbin/mysqld';

/** Finds MySQL, or downloads it as root on Debian. @throws Error with instructions elsewhere */
export const requireMysql = async (): Promise<MysqlProgram> => {
  const own = await findProgram('mysqld');
  if (own !== null && (await isMysql(own))) return { program: own, args: [], root: '/', temporary: tmpdir() };
  if (!(await exists(join(mysqlRoot, serverPath)))) await fetchMysql();
  const temporary = '/tmp';
  await removeLeftovers(join(mysqlRoot, temporary));
  return {
    program: await requireProgram('chroot'),
    args: [mysqlRoot, serverPath],
    root: mysqlRoot,
    temporary,
  };
};

/** Returns whether a program is MySQL 9 and not MariaDB under the same name. */
const isMysql = async (program: string): Promise<boolean> => {
  const { stdout } = await promisify(execFile)(program, ['--version']).catch(() => ({ stdout: '' }));
  return /\bVer 9\./.test(stdout) && !/mariadb/i.test(stdout);
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const requireProgram = async (name: string): Promise<string> => {
  const found = await findProgram(name);
  if (found === null) throw new Error(`The tests need "${name}" to run MySQL, and it is not on the PATH`);
  return found;
};

/** Downloads to a temporary directory and renames it when complete, so that aborted and concurrent runs do no harm. */
const fetchMysql = async (): Promise<void> => {
  const { debootstrap, isRoot } = await findTools();
  if (!isRoot || debootstrap === null) throw new Error(missing);
  await mkdir(cache, { recursive: true });
  await removeLeftovers(cache);
  const folder = join(cache, `svc-mysql-${process.pid}-new`);
  process.stdout.write(`Fetching MySQL for the tests into ${mysqlRoot}\n`);
  try {
    await bootstrap(debootstrap, folder);
    await rm(join(folder, 'var/cache/apt/archives'), { recursive: true, force: true });
    await rename(folder, mysqlRoot);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!(await exists(join(mysqlRoot, serverPath)))) throw error;
  }
};

const missing =
  'The tests need a MySQL 9 server, and none is installed. ' +
  'Install it from https://dev.mysql.com/downloads/mysql/, or run the tests as root on Debian, where they fetch it.';

const findTools = async (): Promise<{ readonly debootstrap: string | null; readonly isRoot: boolean }> => {
  const isRoot = process.getuid?.() === 0;
  const present = await findProgram('debootstrap');
  if (present !== null || !isRoot || (await findProgram('apt-get')) === null) {
    return { debootstrap: present, isRoot };
  }
  await installPackages({ title: 'MySQL', debian: ['debootstrap', 'ca-certificates'], homebrew: 'mysql' });
  return { debootstrap: await findProgram('debootstrap'), isRoot };
};

const mirror = 'https://deb.debian.org/debian';
const bootstrapArgs = ['--variant=minbase', '--include=mysql-server-core,mysql-client-core'];

/** Relies on TLS alone where the machine lacks the newer key that signs the archive. */
const bootstrap = async (debootstrap: string, folder: string): Promise<void> => {
  try {
    await run(debootstrap, [...bootstrapArgs, 'sid', folder, mirror]);
  } catch (error) {
    if (!/signature|keyring|unknown key/i.test(String(error))) throw error;
    await rm(folder, { recursive: true, force: true });
    await run(debootstrap, [...bootstrapArgs, '--no-check-gpg', 'sid', folder, mirror]);
  }
};

/** Removes directories of runs that were killed; each contains its process id in its name. */
const removeLeftovers = async (place: string): Promise<void> => {
  const names = await readdir(place);
  const left = names.filter((name) => {
    const owner = /^svc-mysql-(\d+)-/.exec(name)?.[1];
    return owner !== undefined && !isRunning(Number(owner));
  });
  await Promise.all(
    left.map((name) => rm(join(place, name), { recursive: true, force: true }).catch(() => undefined)),
  );
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
};
