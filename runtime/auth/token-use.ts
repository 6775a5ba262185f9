/** Notes that static tokens are used, without a write for every time that their users are read again. */
import { LRUCache } from 'lru-cache';
import type { User } from '../access/policies.js';

const maxUsers = 10_000;
/** Milliseconds; shorter than the time after which the holder of a token is read again, so that none is missed. */
const interval = 4 * 60_000;

/** Returns a function that notes the use of a user's token at most once in four minutes. @param note receives the user's key */
export const createTokenUse = (note: (user: string) => void): ((user: Pick<User, 'id'>) => void) => {
  const noted = new LRUCache<string, true>({ max: maxUsers, ttl: interval });
  return ({ id }) => {
    if (noted.has(id)) return;
    noted.set(id, true);
    note(id);
  };
};
