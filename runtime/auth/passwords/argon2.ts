/** Password hashes: argon2id, as expensive as OWASP asks for at least (m=19456, t=2, p=1: defaults of the library). */
import { hash, verify } from '@node-rs/argon2';

/** Computes one hash. */
export type HashTask =
  | { readonly kind: 'hash'; readonly password: string }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string };

/** @returns the hash, or whether it is that of the password: never for a text that is no hash */
export const computeHash = async (task: HashTask): Promise<string | boolean> =>
  task.kind === 'hash' ? hash(task.password) : verify(task.hash, task.password).catch(() => false);
