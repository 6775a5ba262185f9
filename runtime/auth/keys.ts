/** What tokens are signed with: `SECRET`, or a secret of this machine in `.svc/secret`. */
import { createHash, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lazy } from '../concurrency/lazy.js';

export interface Key {
  /** Names the secret without saying it: `kid` of tokens. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The newest first: it signs; the others are still good for what they signed. Never empty. */
export type Keys = () => Promise<readonly [Key, ...Key[]]>;

/** @param secrets empty: the file is read, and made where it is missing */
export const createKeys = (secrets: readonly string[]): Keys =>
  lazy(async () => {
    const [first = (await readSecretFile()).trim(), ...others] = secrets;
    return [toKey(first), ...others.map(toKey)];
  });

/** For what hashes by itself. The newest first. */
export const secretsOf = async (keys: Keys): Promise<readonly Buffer[]> =>
  (await keys()).map(({ key }) => key.export());

const toKey = (secret: string): Key => ({
  id: createHash('sha256').update(secret).digest('base64url').slice(0, 8),
  key: createSecretKey(Buffer.from(secret)),
});

const secretFile = join('.svc', 'secret');

/** @throws Error that names the way out where the file can neither be read nor made */
const readSecretFile = async (): Promise<string> => {
  try {
    return await readFile(secretFile, 'utf8').catch(makeSecretFile);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${secretFile} cannot be made (${code}): give SECRET, at least 32 bytes`, {
      cause: error,
    });
  }
};

/** Whole before it has its name: of processes that make it at once, one wins, and all read its secret. */
const makeSecretFile = async (): Promise<string> => {
  const made = `${secretFile}.${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(secretFile), { recursive: true });
  await writeFile(made, randomBytes(48).toString('base64url'), { mode: 0o600 });
  await link(made, secretFile).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(made);
  return readFile(secretFile, 'utf8');
};
