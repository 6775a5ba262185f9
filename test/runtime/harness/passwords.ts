import { hash } from '@node-rs/argon2';

/** Returns the hash of a password at the least cost there is: tests log in hundreds of times. */
export const cheapHash = (password: string): Promise<string> =>
  hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
