/** Finds `promtool`, the checker of Prometheus's rules, or downloads it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const folder = join(process.cwd(), '.cache', 'services', 'prometheus');

/**
 * Returns `promtool` on the PATH, or the one of Debian's package `prometheus`, which is unpacked and not installed.
 * @throws Error with the command that installs it
 */
export const findPromtool = (): string => {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');
  const unpacked = join(folder, 'usr', 'bin', 'promtool');
  const found = [...folders.map((each) => join(each, 'promtool')), unpacked].find((path) => existsSync(path));
  if (found !== undefined) return found;
  mkdirSync(folder, { recursive: true });
  spawnSync('sh', ['-c', 'apt-get download prometheus && dpkg -x prometheus_*.deb .'], { cwd: folder });
  if (existsSync(unpacked)) return unpacked;
  throw new Error('promtool is missing; run: apt-get update && apt-get install prometheus');
};
