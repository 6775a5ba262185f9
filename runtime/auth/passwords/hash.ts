/**
 * Hashes and verifies passwords, one at a time and with a pause between two under load, so that logins cannot starve
 * other requests. Client networks are served in rotation; above 50 waiting calls, calls are rejected.
 */
import { randomBytes } from 'node:crypto';
import type { Hasher } from './hash-process.js';
import { createFairQueue } from '../../concurrency/fair-queue.js';

const maxWaiting = 50;

/** Computes hashes in this process; the first one loads the library. */
let hasher: Hasher = {
  compute: async (task) => (await import('./argon2.js')).computeHash(task),
  pause: () => Promise.resolve(),
};

const queue = createFairQueue({
  maxTasks: maxWaiting,
  tasks: 'password checks',
  service: 'authentication',
  pause: () => hasher.pause(),
});

/** Replaces the hasher and returns the previous one. */
export const computeHashesBy = (next: Hasher): Hasher => {
  const before = hasher;
  hasher = next;
  return before;
};

/**
 * Hashes a password.
 * @param network of the client, for the rotation
 * @throws SERVICE_UNAVAILABLE when too many calls wait
 */
export const hashPassword = async (password: string, network = ''): Promise<string> =>
  String(
    await queue.run(
      () => hasher.compute({ kind: 'hash', password }),
      () => network,
    ),
  );

/**
 * Returns true if the password matches the hash. Takes the same time if there is no hash.
 * @param network of the client, for the rotation
 * @throws SERVICE_UNAVAILABLE when too many calls wait
 */
export const verifyPassword = async (
  hash: string | null,
  password: string,
  network = '',
): Promise<boolean> => {
  const task = { kind: 'verify', password, hash: hash ?? placeholderHash } as const;
  return (
    (await queue.run(
      () => hasher.compute(task),
      () => network,
    )) === true && hash !== null
  );
};

const randomBase64 = (bytes: number): string => randomBytes(bytes).toString('base64').replace(/=+$/, '');

/** A hash with the usual cost that matches no password. */
const placeholderHash = `$argon2id$v=19$m=19456,t=2,p=1$${randomBase64(16)}$${randomBase64(32)}`;
