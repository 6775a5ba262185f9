/** A browser for tests of pages: given, found, or on a machine that is ours to fill, installed. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const install = 'apt-get update && apt-get install -y --no-install-recommends chromium';

/**
 * Path of the program: `CHROMIUM_PATH`, `/usr/bin/chromium`, `chromium` on PATH; as root on Debian it is installed.
 * @throws naming the command that would help
 */
export const findChromium = (): string => {
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined && given !== '') return requireProgram(given);
  const found = firstProgram();
  if (found !== undefined) return found;
  if (isDebianRoot())
    spawnSync('sh', ['-c', install], {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  const installed = firstProgram();
  if (installed !== undefined) return installed;
  throw new Error(`Chromium is missing. Set CHROMIUM_PATH, or run: sudo sh -c '${install}'`);
};

const requireProgram = (path: string): string => {
  if (isProgram(path)) return path;
  throw new Error(`CHROMIUM_PATH is "${path}", which is not a program`);
};

const firstProgram = (): string | undefined => {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return ['/usr/bin/chromium', ...folders.map((folder) => join(folder, 'chromium'))].find(isProgram);
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const isDebianRoot = (): boolean => process.getuid?.() === 0 && existsSync('/etc/debian_version');
