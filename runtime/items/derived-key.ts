/** Keys for one purpose each, derived from the secret that all processes share. */
import { createHmac } from 'node:crypto';
import { lazy } from '../concurrency/lazy.js';

/** Milliseconds until a secret that could not be read is read again. */
const retryAfter = 60_000;

/** Returns a reader of the key for a purpose, which is derived on first use. */
export const createDerivedKey = (
  readSecret: () => Promise<Buffer>,
  purpose: string,
): (() => Promise<Buffer>) =>
  lazy(async () => {
    const secret = await readSecret();
    return createHmac('sha256', secret).update(purpose).digest();
  }, retryAfter);
