/** The minimum version of Node, checked before any library is loaded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package.js';

const toNumbers = (version: string): readonly number[] => version.replace(/^\D+/, '').split('.').map(Number);

/** Returns whether a version is older than the minimum, such as `20.19`. */
const isOlder = (version: string, minimum: string): boolean => {
  const [major = 0, minor = 0] = toNumbers(version);
  const [minMajor = 0, minMinor = 0] = toNumbers(minimum);
  return major < minMajor || (major === minMajor && minor < minMinor);
};

/** Ends the process with one sentence where Node is older than the package requires. */
export const requireNodeVersion = (): void => {
  const manifest = readFileSync(join(packageRoot, 'package.json'), 'utf8');
  const { engines } = JSON.parse(manifest) as { engines: { node: string } };
  const { node } = process.versions;
  if (!isOlder(node, engines.node)) return;
  process.stderr.write(`svc: Node ${node} is too old; svc needs Node ${engines.node.slice(2)} or newer\n`);
  process.exit(2);
};
