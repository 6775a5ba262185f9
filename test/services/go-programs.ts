/** Programs that are built with Go, once, in the project's cache directory. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireFile } from './prepared.js';
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

const flags = { GOFLAGS: '-trimpath -p=1' };

/** Returns the path of a program; builds it first if it is missing, which takes some minutes. */
export const requireGoProgram = ({ name, package: path, version }: GoProgram): Promise<string> =>
  requireBuilt({ name, version }, (go, folder) =>
    run(go, ['install', `${path}@${version}`], { ...flags, GOBIN: folder }),
  );

interface GoModule extends Pick<GoProgram, 'name' | 'version'> {
  /** Folder of its `go.mod` and `main.go`. */
  readonly source: string;
}

/** Returns the path of the program of a module of the tests, as `requireGoProgram` does. */
export const requireGoModule = ({ source, ...module }: GoModule): Promise<string> =>
  requireBuilt(module, (go, folder) =>
    run(go, ['build', '-C', source, '-o', join(folder, module.name), '.'], flags),
  );

const requireBuilt = async (
  { name, version }: Pick<GoProgram, 'name' | 'version'>,
  build: (go: string, folder: string) => Promise<unknown>,
): Promise<string> => {
  const folder = join(cache, `${name}-${version}`);
  const program = join(folder, name);
  if (existsSync(program)) return program;
  const go = await findProgram('go', goFolders);
  if (go === null) throw new Error(`The tests need Go, to build ${name} ${version}: https://go.dev/dl`);
  process.stdout.write(`Building ${name} ${version}, which takes some minutes and happens once\n`);
  return requireFile(folder, name, (temporary) => build(go, temporary));
};
