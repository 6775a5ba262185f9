/** What is made once a run and used by every test file: texts in a folder of the run. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { until } from './until.js';

/** Returns the text of this name; `make` makes it where it is not there, once a run: others wait for it. */
export const sharedText = async (name: string, make: () => Promise<string>): Promise<string> => {
  const path = join(sharedRoot(), name);
  const read = () => readFile(path, 'utf8').catch(() => null);
  const isMaker = await mkdir(`${path}.lock`).then(
    () => true,
    () => false,
  );
  if (!isMaker) return (await read()) ?? until(read, { what: `another file to make ${name}` });
  const draft = draftOf(path);
  await writeFile(draft, await make());
  await rename(draft, path);
  return readFile(path, 'utf8');
};

/** Returns the folder of this name; `fill` fills it where it is not there. */
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
  // somebody else was quicker: theirs has the same bytes
  await rename(draft, path).catch(() => undefined);
  return path;
};

const complete = '.complete';

const draftOf = (path: string): string => `${path}.${randomBytes(6).toString('hex')}`;

let ownRoot: string | null = null;

/** The folder of the run; one of this process where files are run without services. */
export const sharedRoot = (): string => inject('folder') ?? (ownRoot ??= createOwnRoot());

const createOwnRoot = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'svc-tests-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
};
