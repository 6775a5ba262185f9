/**
 * Passwords and their hashes. One is computed at a time, so that logins cannot take the processor from everybody
 * else; whoever finds too long a queue is told to come back.
 */
import { randomBytes } from 'node:crypto';
import type { HashTask } from './passwords/argon2.js';
import { createHashProcess } from './passwords/apart.js';
import { createTurns } from './turns.js';

const maxWaiting = 50;

const turns = createTurns(maxWaiting);

/** The library is loaded by the first hash. */
let compute = async (task: HashTask): Promise<string | boolean> =>
  (await import('./passwords/argon2.js')).computeHash(task);

/** For a process that answers others meanwhile: from now on another one computes its hashes. */
export const computeHashesApart = (): void => {
  compute = createHashProcess();
};

/** @throws SERVICE_UNAVAILABLE when too many wait already */
export const hashPassword = async (password: string): Promise<string> =>
  String(await turns.take(() => compute({ kind: 'hash', password })));

/** Takes as long where there is no hash to compare with. @throws SERVICE_UNAVAILABLE when too many wait already */
export const verifyPassword = async (hash: string | null, password: string): Promise<boolean> => {
  const task = { kind: 'verify', password, hash: hash ?? nobodys } as const;
  return (await turns.take(() => compute(task))) === true && hash !== null;
};

const random = (bytes: number): string => randomBytes(bytes).toString('base64').replace(/=+$/, '');

/** Costs what every other one costs; no password has it. */
const nobodys = `$argon2id$v=19$m=19456,t=2,p=1$${random(16)}$${random(32)}`;
