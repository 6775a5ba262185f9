/** What tokens are signed with: `SECRET`, or a secret of this machine in `.svc/secret`. */
import { createHash, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Key {
  /** Names the secret without saying it: `kid` of tokens. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The newest first: it signs; the others are still good for what they signed. Never empty. */
export type Keys = () => Promise<readonly [Key, ...Key[]]>;

/** @param secrets empty: the file is read, and made where it is missing */
export const createKeys = (secrets: readonly string[]): Keys => {
  let keys: ReturnType<Keys> | null = null;
  const load = async (): ReturnType<Keys> => {
    const [first = await readSecretFile(), ...others] = secrets;
    return [toKey(first), ...others.map(toKey)];
  };
  return () => (keys ??= load());
};

/** For what hashes by itself. The newest first. */
export const secretsOf = async (keys: Keys): Promise<readonly Buffer[]> =>
  (await keys()).map(({ key }) => key.export());

const toKey = (secret: string): Key => ({
  id: createHash('sha256').update(secret).digest('base64url').slice(0, 8),
  key: createSecretKey(Buffer.from(secret)),
});

const secretFile = join('.svc', 'secret');

/** Of two processes that make it at once, one wins and both read its secret. */
const readSecretFile = async (): Promise<string> => {
  await mkdir(dirname(secretFile), { recursive: true });
  const made = randomBytes(48).toString('base64url');
  await writeFile(secretFile, made, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return (await readFile(secretFile, 'utf8')).trim();
};
