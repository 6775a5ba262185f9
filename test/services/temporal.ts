/** A private Temporal server: the dev server of Temporal's own tool, on free ports, gone when the tests end. */
import { connect } from 'node:net';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '../services.js';
import { findProgram, run } from './programs.js';
import { findFreePort, startServer } from './server.js';

const version = 'v1.5.1';
const cache = join('.svc', 'cache', `temporal-${version}`);

/** Starts a server; builds the program first where it is missing, which takes minutes once. */
export const startTemporal = async (): Promise<Service> => {
  const program = (await findTemporal()) ?? (await buildTemporal());
  return startPrivate(program, 3);
};

const findTemporal = async (): Promise<string | null> =>
  (await findProgram('temporal')) ??
  (await findProgram('temporal', [join(homedir(), 'go', 'bin'), join(process.cwd(), cache)]));

const buildTemporal = async (): Promise<string> => {
  const go = await findProgram('go', [...goFolders]);
  if (go === null) {
    throw new Error(
      'The tests need a Temporal server. Put its tool "temporal" on the PATH ' +
        '(https://docs.temporal.io/cli), or a Go toolchain, which builds it',
    );
  }
  process.stdout.write(`Building temporal ${version} for the tests: some minutes, once\n`);
  const folder = join(process.cwd(), cache);
  await mkdir(folder, { recursive: true });
  const env = { GOBIN: folder, GOFLAGS: '-trimpath' };
  await run(go, ['install', `github.com/temporalio/cli/cmd/temporal@${version}`], env);
  return join(folder, 'temporal');
};

const goFolders = ['/usr/local/go/bin', '/usr/lib/go/bin'];

/** Tries again where somebody was quicker to take a port. */
const startPrivate = async (program: string, attempts: number): Promise<Service> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-temporal-'));
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const args = [
    'server start-dev --headless --ip 127.0.0.1 --log-level error',
    '--sqlite-pragma journal_mode=WAL --sqlite-pragma synchronous=NORMAL',
    `--port ${port} --metrics-port ${metricsPort}`,
  ].flatMap((part) => part.split(' '));
  args.push('--db-filename', join(folder, 'temporal.db'));
  try {
    const server = await startServer({ program, args, folder, isReady: () => answers(port) });
    return { url: `127.0.0.1:${port}`, stop: server.stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (attempts > 1 && String(error).includes('already in use')) return startPrivate(program, attempts - 1);
    throw error;
  }
};

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
