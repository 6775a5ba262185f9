/** What keys are hashed and file URLs are signed with: a secret of this machine, in `.svc/secret`. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const file = join('.svc', 'secret');

/** Newest first. Of two processes that make it at once, one wins and both read its secret. */
export const readSecrets = async (): Promise<readonly Buffer[]> => {
  await mkdir(dirname(file), { recursive: true });
  const made = randomBytes(48).toString('base64url');
  await writeFile(file, made, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return [Buffer.from((await readFile(file, 'utf8')).trim())];
};
