/** Finds the browser for tests of pages, or installs it. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

let browser: Promise<Browser> | null = null;

/** Opens a page with cookies of its own. All pages of a process share one browser, which ends with the process. */
export const openPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
  browser ??= chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  return (await browser).newPage(options);
};

const install = 'apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell';

/** Chromium without windows takes less than half of the time of the whole one. */
const programs = ['chromium-headless-shell', 'chromium'];

/**
 * Returns `CHROMIUM_PATH`, or a program in `/usr/bin` or on the PATH; installs one as root on Debian.
 * @throws Error with the command that installs it
 */
const findChromium = (): string => {
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
  return programs
    .flatMap((program) => ['/usr/bin', ...folders].map((folder) => join(folder, program)))
    .find(isProgram);
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
