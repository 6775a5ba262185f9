/** Loads the keys that sign tokens: from `SECRET`, or from the file `.svc/secret`, which is created if missing. */
import { createHash, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lazy } from '../concurrency/lazy.js';
import { minSecretBytes } from '../config/formats.js';

export interface Key {
  /** Identifies the secret without revealing it: the `kid` header of tokens. */
  readonly id: string;
  readonly key: KeyObject;
}

/** Returns the keys, newest first. The first one signs; the others still verify what they signed. */
export type Keys = () => Promise<readonly [Key, ...Key[]]>;

/**
 * Creates the loader of the keys, which throws an Error that says what to do where there is no usable secret.
 * @param secrets newest first; empty: the file's secret is used
 */
export const createKeys = (secrets: readonly string[]): Keys =>
  lazy(async () => {
    const [first = await readSecretFile(), ...others] = secrets;
    return [toKey(first), ...others.map(toKey)];
  });

/** Returns the bytes of the keys, newest first, for callers that compute their own HMAC. */
export const exportSecrets = async (keys: Keys): Promise<readonly Buffer[]> =>
  (await keys()).map(({ key }) => key.export());

const toKey = (secret: string): Key => ({
  id: createHash('sha256').update(secret).digest('base64url').slice(0, 8),
  key: createSecretKey(Buffer.from(secret)),
});

const secretFile = join('.svc', 'secret');

/** Reads or creates the file. @throws Error that asks for SECRET when neither is possible */
const readSecretFile = async (): Promise<string> => {
  const secret = await readFile(secretFile, 'utf8')
    .catch(createSecretFile)
    .catch((error: NodeJS.ErrnoException) => {
      const message = `${secretFile} cannot be read or created (${error.code}): set SECRET, at least ${minSecretBytes} bytes`;
      throw new Error(message, { cause: error });
    });
  const bytes = Buffer.byteLength(secret.trim());
  if (bytes >= minSecretBytes) return secret.trim();
  throw new Error(
    `${secretFile} has ${bytes} bytes, fewer than ${minSecretBytes}: restore it, set SECRET, or delete it, which ends all logins`,
  );
};

/**
 * Creates the file and returns its secret. A complete temporary file is linked to the name, so of processes that do
 * this at the same time one succeeds, and all read its secret. It is on the disk first, as a loss of power would leave an empty one.
 */
const createSecretFile = async (): Promise<string> => {
  const temporaryFile = `${secretFile}.${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(secretFile), { recursive: true });
  await writeFile(temporaryFile, randomBytes(48).toString('base64url'), { mode: 0o600, flush: true });
  await link(temporaryFile, secretFile).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(temporaryFile);
  return readFile(secretFile, 'utf8');
};

/** Returns the secret that all processes of an installation share. */
export const readSharedSecret = async (keys: Keys): Promise<Buffer> =>
  (await exportSecrets(keys))[0] ?? Buffer.alloc(0);
