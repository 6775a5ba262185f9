/**
 * Computes password hashes with argon2id and the minimum parameters of the OWASP Password Storage Cheat Sheet
 * (m=19456, t=2, p=1), which are the library's defaults.
 */
import { hash, verify } from '@node-rs/argon2';

/** One hash to compute. */
export type HashTask =
  | { readonly kind: 'hash'; readonly password: string }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string };

/** Returns the new hash, or whether the hash matches the password; false for a text that is not a hash. */
export const computeHash = async (task: HashTask): Promise<string | boolean> =>
  task.kind === 'hash' ? hash(task.password) : verify(task.hash, task.password).catch(() => false);
