/** Programs that are built with Go, once, in the project's cache directory. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram, run } from './programs.js';

const cache = fileURLToPath(new URL('../../.cache/services/go', import.meta.url));

/** Directories where Go is usually installed. */
const goFolders = ['/usr/local/go/bin', '/usr/lib/go/bin'];

interface GoProgram {
  /** Name of the program, the last segment of its package. */
  readonly name: string;
  /** Path of its package. */
  readonly package: string;
  readonly version: string;
}

/** Returns the path of a program; builds it first if it is missing, which takes some minutes. */
export const requireGoProgram = async ({ name, package: path, version }: GoProgram): Promise<string> => {
  const folder = join(cache, `${name}-${version}`);
  const program = join(folder, name);
  if (existsSync(program)) return program;
  const go = await findProgram('go', goFolders);
  if (go === null) throw new Error(`The tests need Go, to build ${path}@${version}: https://go.dev/dl`);
  process.stdout.write(`Building ${path}@${version}, which takes some minutes and happens once\n`);
  await mkdir(folder, { recursive: true });
  await run(go, ['install', `${path}@${version}`], { GOBIN: folder, GOFLAGS: '-trimpath -p=1' });
  return program;
};
