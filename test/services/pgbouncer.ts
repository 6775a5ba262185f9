/** Starts PgBouncer in front of PostgreSQL: the program on the PATH, or Debian's package, which is unpacked and not installed. */
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '../services.js';
import { changeOwner, commandOf } from './postgres.js';
import { reservePort } from './ports.js';
import { requireFile } from './prepared.js';
import { findProgram, run } from './programs.js';
import { startServer } from './server.js';

const folder = join(process.cwd(), '.cache', 'services', 'pgbouncer');

/** Returns the beginning of the command, with the folder of the libraries that the package needs. */
const findPgbouncer = async (): Promise<readonly string[]> => {
  const found = await findProgram('pgbouncer');
  if (found !== null) return [found];
  const packages = 'pgbouncer libc-ares2 libevent-2.1-7';
  const unpack = `cd "$0" && apt-get download ${packages} && for file in *.deb; do dpkg -x "$file" .; done`;
  try {
    const program = await requireFile(folder, 'usr/sbin/pgbouncer', (temporary) =>
      run('sh', ['-c', unpack, temporary]),
    );
    const [libraries = ''] = await readdir(join(folder, 'usr', 'lib'));
    return ['env', `LD_LIBRARY_PATH=${join(folder, 'usr', 'lib', libraries)}`, program];
  } catch (error) {
    const remedy = 'apt-get update && apt-get install pgbouncer';
    throw new Error(`pgbouncer is missing; run: ${remedy}\n${String(error)}`, { cause: error });
  }
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
  const isReady = () => accepts(port);
  const server = await startServer({ program: command, args: rest, folder: directory, isReady });
  return { url: `postgres://${username}@127.0.0.1:${port}${pathname}`, stop: server.stop };
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
