/**
 * Password hashes (argon2id). One is computed at a time, so that logins cannot take the processor from everybody
 * else; whoever finds too long a queue is told to come back.
 */
import { createTurns } from './turns.js';

const maxWaiting = 50;

const loadLibrary = async () => import('@node-rs/argon2');

const turns = createTurns(maxWaiting);

export const hashPassword = (password: string): Promise<string> =>
  turns.take(async () => (await loadLibrary()).hash(password));

let decoy: Promise<string> | null = null;

/** Takes as long where there is no hash to compare with. */
export const verifyPassword = (hash: string | null, password: string): Promise<boolean> =>
  turns.take(async () => {
    const library = await loadLibrary();
    const isMatch = await library
      .verify(hash ?? (await (decoy ??= library.hash('nobody has this password'))), password)
      .catch(() => false);
    return hash !== null && isMatch;
  });
