/**
 * Finds MySQL's server program: on the machine, otherwise in a minimal Debian system in the project's cache directory,
 * because Debian releases contain only MariaDB. It is downloaded once.
 */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { removeLeftovers, requireFile } from './prepared.js';
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

const mysqlRoot = fileURLToPath(new URL('../../.cache/services/mysql', import.meta.url));
const serverPath = '/usr/sbin/mysqld';

/** Finds MySQL, or downloads it as root on Debian. @throws Error with instructions elsewhere */
export const requireMysql = async (): Promise<MysqlProgram> => {
  const own = await findProgram('mysqld');
  if (own !== null && (await isMysql(own))) return { program: own, args: [], root: '/', temporary: tmpdir() };
  await requireFile(mysqlRoot, serverPath, fetchMysql);
  const temporary = '/tmp';
  await removeLeftovers(join(mysqlRoot, temporary), 'svc-mysql-');
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

const requireProgram = async (name: string): Promise<string> => {
  const found = await findProgram(name);
  if (found === null) throw new Error(`The tests need "${name}" to run MySQL, and it is not on the PATH`);
  return found;
};

const fetchMysql = async (folder: string): Promise<void> => {
  const { debootstrap, isRoot } = await findTools();
  if (!isRoot || debootstrap === null) throw new Error(missing);
  process.stdout.write(`Fetching MySQL for the tests into ${mysqlRoot}\n`);
  await bootstrap(debootstrap, folder);
  await rm(join(folder, 'var/cache/apt/archives'), { recursive: true, force: true });
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
