/** Starts a private Temporal dev server on free ports, which stops when the tests end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fetchTemporal, findTemporal } from '../../runtime/demo/temporal-program.js';
import type { Service } from '../services.js';
import { dataFolder } from './data-folder.js';
import { isListening, reservePort } from './ports.js';
import { startServer } from './server.js';

/** Starts a server; downloads a missing program first, which may take minutes. */
export const startTemporal = async (): Promise<Service> => startPrivate(await requireTemporal(), 3);

/** Puts the program on the PATH too, so that demos started in other directories do not fetch it each. */
const requireTemporal = async (): Promise<string> => {
  const program =
    (await findTemporal()) ?? (await fetchFromSource((message) => process.stdout.write(`${message}\n`)));
  process.env.PATH = [process.env.PATH, dirname(program)].join(delimiter);
  return program;
};

/** Runs the download in its own process, from TypeScript source. */
const fetchFromSource: typeof fetchTemporal = async (...options) => {
  const { NODE_OPTIONS: before } = process.env;
  process.env.NODE_OPTIONS = `${before ?? ''} --import tsx`;
  try {
    return await fetchTemporal(...options);
  } finally {
    if (before === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = before;
  }
};

/** Retries if another process takes a port first. */
const startPrivate = async (program: string, attempts: number): Promise<Service> => {
  const folder = await mkdtemp(join(dataFolder(), 'svc-temporal-'));
  const [port, metricsPort] = [await reservePort(), await reservePort()];
  const args = [
    'server start-dev --headless --ip 127.0.0.1 --log-level error',
    '--sqlite-pragma journal_mode=WAL --sqlite-pragma synchronous=OFF',
    `--port ${port} --metrics-port ${metricsPort}`,
  ].flatMap((part) => part.split(' '));
  args.push('--db-filename', join(folder, 'temporal.db'));
  try {
    const server = await startServer({ program, args, folder, isReady: () => isListening(port) });
    return { url: `127.0.0.1:${port}`, stop: server.stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (attempts > 1 && String(error).includes('already in use')) return startPrivate(program, attempts - 1);
    throw error;
  }
};
