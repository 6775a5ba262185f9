/** Programs of Debian packages that are unpacked, and not installed. */
import { basename, join } from 'node:path';
import { requireFile } from './prepared.js';
import { run } from './programs.js';

/** Folder in which the packages of a name are unpacked. */
export const unpackedFolder = (name: string): string => join(process.cwd(), '.cache', 'services', name);

/**
 * Returns the path of a file of packages, which are downloaded and unpacked if it is missing.
 * @param file path below the folder of the first package
 * @throws Error with the command that installs the first package
 */
export const requireUnpacked = async (
  [name = '', ...others]: readonly string[],
  file: string,
): Promise<string> => {
  const download = `apt-get download ${[name, ...others].join(' ')}`;
  const unpack = `cd "$0" && ${download} && for package in *.deb; do dpkg -x "$package" . || exit; done`;
  try {
    return await requireFile(unpackedFolder(name), file, (temporary) => run('sh', ['-c', unpack, temporary]));
  } catch (error) {
    const remedy = `apt-get update && apt-get install ${name}`;
    throw new Error(`${basename(file)} is missing; run: ${remedy}\n${String(error)}`, { cause: error });
  }
};
