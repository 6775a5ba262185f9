/** Creates files once per run, in a directory of the run that all test files share. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { until } from './until.js';

/** Returns the text with a name; the first caller in a run creates it with `make`, and others wait. */
export const sharedText = async (name: string, make: () => Promise<string>): Promise<string> => {
  const path = join(sharedRoot(), name);
  const read = () => readFile(path, 'utf8').catch(() => null);
  const isMaker = await mkdir(`${path}.lock`).then(
    () => true,
    () => false,
  );
  if (!isMaker)
    return (await read()) ?? until(read, { what: `another file to make ${name}`, timeout: 240_000 });
  const draft = draftOf(path);
  await writeFile(draft, await make());
  await rename(draft, path);
  return readFile(path, 'utf8');
};

/** Returns the directory with a name; `fill` creates its content if it does not exist. */
export const sharedFolder = async (
  name: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> => {
  const path = join(sharedRoot(), name);
  const isThere = await readFile(join(path, complete)).catch(() => null);
  if (isThere !== null) return path;
  const draft = draftOf(path);
  await mkdir(draft, { recursive: true });
  await fill(draft);
  await writeFile(join(draft, complete), '');
  // another process was faster; its content is the same
  await rename(draft, path).catch(() => undefined);
  return path;
};

const complete = '.complete';

const draftOf = (path: string): string => `${path}.${randomBytes(6).toString('hex')}`;

let ownRoot: string | null = null;

/** Returns the directory of the run, or one of this process if the services are not set up. */
export const sharedRoot = (): string => inject('folder') ?? (ownRoot ??= createOwnRoot());

const createOwnRoot = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'svc-tests-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
};
