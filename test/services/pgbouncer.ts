/** Starts PgBouncer in front of PostgreSQL: the program on the PATH, or Debian's package, which is unpacked and not installed. */
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '../services.js';
import { requireUnpacked, unpackedFolder } from './debian-packages.js';
import { changeOwner, commandOf } from './postgres.js';
import { isListening, reservePort } from './ports.js';
import { findProgram } from './programs.js';
import { startServer } from './server.js';

/** Returns the beginning of the command, with the folder of the libraries that the package needs. */
const findPgbouncer = async (): Promise<readonly string[]> => {
  const found = await findProgram('pgbouncer');
  if (found !== null) return [found];
  const program = await requireUnpacked(['pgbouncer', 'libc-ares2', 'libevent-2.1-7'], 'usr/sbin/pgbouncer');
  const folder = join(unpackedFolder('pgbouncer'), 'usr', 'lib');
  const [libraries = ''] = await readdir(folder);
  return ['env', `LD_LIBRARY_PATH=${join(folder, libraries)}`, program];
};

/**
 * Starts a pooler of one database. @param mode what a connection to the server is lent for
 * @returns its URL, with the name of the database
 */
export const startPgbouncer = async (database: string, mode: 'session' | 'transaction'): Promise<Service> => {
  const { hostname, port: serverPort, username, pathname } = new URL(database);
  const directory = await mkdtemp(join(tmpdir(), 'svc-pgbouncer-'));
  const port = await reservePort();
  const file = join(directory, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
pool_mode = ${mode}
unix_socket_dir =
`,
  );
  for (const path of [directory, file]) await changeOwner(path);
  const [program = '', ...args] = await findPgbouncer();
  const [command = '', ...rest] = await commandOf(program, [...args, file]);
  const isReady = () => isListening(port);
  const server = await startServer({ program: command, args: rest, folder: directory, isReady });
  return { url: `postgres://${username}@127.0.0.1:${port}${pathname}`, stop: server.stop };
};
