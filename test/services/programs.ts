/** Finds, runs and, where possible, installs programs of the machine. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Includes the `sbin` directories of servers, which may be missing in the PATH. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'].filter(
  Boolean,
);

/** Returns the path of a program, or null. @param further additional directories to search */
export const findProgram = async (name: string, further: readonly string[] = []): Promise<string | null> => {
  const paths = [...folders, ...further].map((folder) => join(folder, name));
  const found = await Promise.all(
    paths.map((path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return paths[found.indexOf(true)] ?? null;
};

/** Runs a program to its end. @throws Error with its output if it fails */
export const run = async (
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', ...more };
  try {
    await promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}${stderr}`.trim().split('\n').slice(-20).join('\n');
    throw new Error(`${program} ${args.join(' ')} failed:\n${output}`, { cause: error });
  }
};

interface Packages {
  /** Name of the software in messages. */
  readonly title: string;
  readonly debian: readonly string[];
  readonly homebrew: string;
}

/** Installs packages as root on Debian and its derivatives. @throws Error with the command to run elsewhere */
export const installPackages = async ({ title, debian, homebrew }: Packages): Promise<void> => {
  const apt = await findProgram('apt-get');
  if (apt !== null && process.getuid?.() === 0) {
    process.stdout.write(`Installing ${title}: ${debian.join(' ')}\n`);
    await aptInstall(apt, debian);
    return;
  }
  const brew = process.platform === 'darwin' ? `brew install ${homebrew}` : null;
  const command = apt === null ? brew : `sudo apt-get install -y --no-install-recommends ${debian.join(' ')}`;
  throw new Error(
    `${title} is needed, and it is not installed. ` +
      (command === null ? `Install it with this system's package manager.` : `Get it by: ${command}`),
  );
};

/** Installs packages, and updates the package lists if they are not found. */
const aptInstall = async (apt: string, packages: readonly string[]): Promise<void> => {
  const install = ['-o', 'DPkg::Lock::Timeout=300', 'install', '-y', '--no-install-recommends', ...packages];
  try {
    await run(apt, install);
  } catch {
    await run(apt, ['update']);
    await run(apt, install);
  }
};
