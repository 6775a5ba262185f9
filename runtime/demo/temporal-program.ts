/** Finds the program of Temporal's dev server on this machine, or downloads it once into the cache. */
import { execFile, fork } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { modulePath } from '../config/package.js';

export const temporalVersion = 'v1.5.1';

const cache = join(process.cwd(), '.svc', 'cache', `temporal-${temporalVersion}`);
const path = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
const goFolders = [...path, '/usr/local/go/bin', '/usr/lib/go/bin'];

/** Returns the program from the PATH, Go's folder or the cache, or null where there is none. */
export const findTemporal = async (): Promise<string | null> =>
  (await findProgram('temporal', [...path, join(homedir(), 'go', 'bin'), cache])) ?? findDownloaded();

/**
 * Downloads the program, or builds it with Go if that fails, which takes some minutes.
 * @throws Error that lists the ways to install it
 */
export const fetchTemporal = async (
  print: (message: string) => void,
  signal?: AbortSignal,
): Promise<string> => {
  await mkdir(cache, { recursive: true });
  print(`downloading temporal ${temporalVersion}`);
  const faults = [await faultOf(download(signal))];
  const downloaded = await findDownloaded();
  if (downloaded !== null) return downloaded;
  signal?.throwIfAborted();
  const go = await findProgram('go', goFolders);
  if (go !== null) {
    print(
      `temporal ${temporalVersion} cannot be downloaded; building it, which takes some minutes and happens once`,
    );
    faults.push(await faultOf(build(go, signal)));
    const built = await findProgram('temporal', [cache]);
    if (built !== null) return built;
  }
  throw new Error(
    `there is no Temporal server: ${faults.filter((fault) => fault !== null).join('; ')}. ` +
      'Put the program "temporal" on the PATH (https://docs.temporal.io/cli); or install Go, to build it, or ' +
      '@temporalio/testing, to download it; or use a running server: TEMPORAL_ADDRESS=host:port',
  );
};

const findProgram = async (name: string, folders: readonly string[]): Promise<string | null> => {
  for (const folder of folders) {
    const file = join(folder, name);
    if ((await faultOf(access(file, constants.X_OK))) === null) return file;
  }
  return null;
};

/** Returns the downloaded program, whose file name the SDK chooses. */
const findDownloaded = async (): Promise<string | null> => {
  const names = await readdir(cache).catch(() => []);
  const found = names.find((name) => /^temporal-cli-[\w.-]+$/.test(name) && !name.includes('downloading'));
  return found === undefined ? null : join(cache, found);
};

/** Downloads in a separate process, because it needs the native part of a worker. */
const download = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = fork(modulePath('demo/temporal-download'), [cache, temporalVersion], { signal });
    child.once('message', (message) => reject(new Error(String(message))));
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error('the download ended early'))));
  });

const build = (go: string, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = ['install', `github.com/temporalio/cli/cmd/temporal@${temporalVersion}`];
    const env = { ...process.env, GOBIN: cache, GOFLAGS: '-trimpath' };
    execFile(go, args, { env, signal }, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`go install failed: ${stderr.trim().split('\n').at(-1) ?? error.message}`));
    });
  });

/** Returns the message of a failure, or null after success. */
const faultOf = async (work: Promise<void>): Promise<string | null> => {
  try {
    await work;
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};
