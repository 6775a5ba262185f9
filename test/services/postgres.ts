/** Starts a private PostgreSQL server with its own directory and port, which stops when the tests end. */
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Service } from '../services.js';
import { dataFolder } from './data-folder.js';
import { findProgram, installPackages } from './programs.js';
import { reservePort } from './ports.js';
import { runGuarded, startServer } from './server.js';

const packages = { title: 'PostgreSQL', debian: ['postgresql'], homebrew: 'postgresql@17' };

/** Starts a server. @param settings additional settings of the server */
export const startPostgres = async (settings: Settings = {}): Promise<Service> =>
  startPrivate(await requirePrograms(), { settings, attempts: 3 });

type Settings = Readonly<Record<string, string>>;

interface StartOptions {
  readonly settings: Settings;
  readonly attempts: number;
}

/** Finds the programs, and installs them first if they are missing. */
export const requirePrograms = async (): Promise<Programs> => {
  const programs = (await findPrograms()) ?? (await install().then(findPrograms));
  if (programs !== null) return programs;
  throw new Error(`PostgreSQL was installed, but its programs are neither on the PATH nor in ${versions}`);
};

/** Installs the package without the cluster that Debian creates and starts by default. */
const install = async (): Promise<void> => {
  if (process.getuid?.() === 0 && (await findProgram('apt-get')) !== null) {
    await mkdir(debianSettings, { recursive: true });
    await writeFile(join(debianSettings, 'svc-tests.conf'), 'create_main_cluster = false\n');
  }
  await installPackages(packages);
};

const debianSettings = '/etc/postgresql-common/createcluster.d';

interface Programs {
  readonly server: string;
  readonly install: string;
}

/** Debian's directory of versions, none of which is on the PATH. */
const versions = '/usr/lib/postgresql';

const findPrograms = async (): Promise<Programs | null> => {
  const found = await readdir(versions).catch(() => []);
  const newest = found.toSorted((left, right) => Number(right) - Number(left));
  const folders = newest.map((version) => join(versions, version, 'bin'));
  const [server, install] = await Promise.all([
    findProgram('postgres', folders),
    findProgram('initdb', folders),
  ]);
  return server === null || install === null ? null : { server, install };
};

/** Retries if another process takes the port first. */
const startPrivate = async (programs: Programs, { settings, attempts }: StartOptions): Promise<Service> => {
  const folder = await mkdtemp(join(dataFolder(), 'svc-postgres-'));
  const port = await reservePort();
  try {
    await createCluster(programs.install, folder);
    const [program = '', ...args] = await commandOf(programs.server, serverArgs(folder, port, settings));
    const isReady = (): Promise<boolean> => acceptsConnections(folder, port);
    // a killed server leaves its shared memory behind
    const server = await startServer({ program, args, folder, isReady, signal: 'QUIT' });
    return { url: `postgres://postgres@127.0.0.1:${port}`, stop: server.stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (attempts > 1 && String(error).includes('Address already in use')) {
      return startPrivate(programs, { settings, attempts: attempts - 1 });
    }
    throw error;
  }
};

/** Creates an empty cluster in `data` of a directory, which is then owned by the user of the server. */
export const createCluster = async (program: string, folder: string): Promise<void> => {
  const data = join(folder, 'data');
  await mkdir(data, { recursive: true, mode: 0o700 });
  for (const path of [folder, data]) await changeOwner(path);
  const [command = '', ...args] = await commandOf(program, ['-D', data, ...installArgs]);
  await runGuarded(command, args);
};

/** Changes the owner of a path to the user of the server. */
export const changeOwner = async (path: string): Promise<void> => {
  const user = await findUser();
  if (user !== null) await chown(path, user.uid, user.gid);
};

interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Finds a user for the server, which refuses to run as root: `postgres` or `nobody`; null if we are not root. */
const findUser = async (): Promise<SystemUser | null> => {
  if (process.getuid?.() !== 0) return null;
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].flatMap((name) => lines.filter(([user]) => user === name))[0];
  if (found === undefined) {
    throw new Error('PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody"');
  }
  return { uid: Number(found[2]), gid: Number(found[3]) };
};

/** Returns a command that runs as the user of the server. */
export const commandOf = async (program: string, args: readonly string[]): Promise<readonly string[]> => {
  const user = await findUser();
  if (user === null) return [program, ...args];
  return ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--', program, ...args];
};

const installArgs = [
  '--username=postgres',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--no-sync',
  '--no-instructions',
];

/** Disables durability, because no data outlives the tests. */
const serverArgs = (folder: string, port: number, settings: Settings): string[] => [
  '-D',
  join(folder, 'data'),
  '-p',
  String(port),
  '-k',
  folder,
  ...Object.entries({
    listen_addresses: '127.0.0.1',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '1000',
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

/** Connects to the private socket, because another server might listen on the port. */
const acceptsConnections = async (folder: string, port: number): Promise<boolean> => {
  const client = new Client({ host: folder, port, user: 'postgres', database: 'postgres' });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
};
