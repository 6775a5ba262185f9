/** API keys of the queue: `Authorization: Key <id>:<secret>`. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createId } from '../store/ids.js';
import { insertKey, type StoredKey } from '../store/keys.js';
import type { Statements } from '../../execute/system-rows.js';

/** HMAC keys, newest first; older ones stay valid during rotation. */
export type HashSecrets = readonly Buffer[];

/** Hashes a secret. A fast hash is enough, as 256 random bits cannot be guessed. */
const hashOf = (secret: string, key: Buffer): Buffer => createHmac('sha256', key).update(secret).digest();

export interface NewKey {
  readonly account: string;
  readonly name: string | null;
  readonly models: readonly string[] | null;
  /** Unix time in milliseconds; `null` for no expiry. */
  readonly expires: number | null;
}

/** Creates and stores a key. @returns the plain key as well, which is not stored */
export const createKey = async (
  statements: Statements,
  key: NewKey,
  secrets: HashSecrets,
): Promise<{ readonly stored: StoredKey; readonly key: string }> => {
  const secret = randomBytes(32).toString('base64url');
  const [current] = secrets;
  if (current === undefined) throw new Error('there is no secret to hash keys with');
  const stored: StoredKey = {
    ...key,
    id: createId(),
    hash: hashOf(secret, current).toString('hex'),
    created: Date.now(),
    used: null,
  };
  await insertKey(statements, stored);
  return { stored, key: `${stored.id}:${secret}` };
};

/** Compares a secret in constant time with the stored hash, under each secret of the server. */
export const isSecretOf = ({ hash }: StoredKey, secret: string, secrets: HashSecrets): boolean => {
  const expected = Buffer.from(hash, 'hex');
  return secrets.some((key) => {
    const found = hashOf(secret, key);
    return found.length === expected.length && timingSafeEqual(found, expected);
  });
};

/** Returns whether a key has expired at `now`, a Unix time in milliseconds. */
export const isExpired = ({ expires }: StoredKey, now: number): boolean => expires !== null && expires <= now;

/** Returns whether the patterns of a key include a model: `demo/*` matches every model of `demo`, null every model. */
export const allows = (models: readonly string[] | null, model: string): boolean =>
  models === null || models.some((pattern) => matches(pattern, model));

const matches = (pattern: string, model: string): boolean =>
  pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model;
