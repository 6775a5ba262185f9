/**
 * Passwords and their hashes. One is computed at a time, with a rest after it where there is other work, so that logins
 * cannot take the processor from everybody else. Those who ask (`by`: the network they ask from) are served in rotation;
 * whoever asks for too much is told to come back.
 */
import { randomBytes } from 'node:crypto';
import { createHashProcess, type Hasher } from './hash-process.js';
import { createFairQueue } from '../../concurrency/fair-queue.js';

const maxWaiting = 50;

/** The library is loaded by the first hash. */
let hasher: Hasher = {
  compute: async (task) => (await import('./argon2.js')).computeHash(task),
  rest: () => Promise.resolve(),
};

const queue = createFairQueue(maxWaiting, () => hasher.rest());

/** For a process that answers others meanwhile: from now on another one computes its hashes. */
export const computeHashesInProcess = (): void => {
  hasher = createHashProcess();
};

/** @throws SERVICE_UNAVAILABLE when too many wait already */
export const hashPassword = async (password: string, by?: string): Promise<string> =>
  String(await queue.take(() => hasher.compute({ kind: 'hash', password }), by));

/** Takes as long where there is no hash to compare with. @throws SERVICE_UNAVAILABLE when too many wait already */
export const verifyPassword = async (
  hash: string | null,
  password: string,
  by?: string,
): Promise<boolean> => {
  const task = { kind: 'verify', password, hash: hash ?? nobodys } as const;
  return (await queue.take(() => hasher.compute(task), by)) === true && hash !== null;
};

const random = (bytes: number): string => randomBytes(bytes).toString('base64').replace(/=+$/, '');

/** Costs what every other one costs; no password has it. */
const nobodys = `$argon2id$v=19$m=19456,t=2,p=1$${random(16)}$${random(32)}`;
