/** Entity tags (RFC 9110 §8.8.3): a keyed hash of the response body. */
import { hash } from 'node:crypto';
import { createDerivedKey } from './derived-key.js';

/** Returns the tag of a body, with its quotes, or null where the secret cannot be read. */
export type EntityTagOf = (body: Buffer | string) => Promise<string | null>;

/** @param readSecret returns the secret that all processes share, so that their tags are equal */
export const createEntityTags = (readSecret: () => Promise<Buffer>): EntityTagOf => {
  const readKey = createDerivedKey(readSecret, 'entity tags');
  return async (body) => {
    const key = await readKey().catch(() => null);
    if (key === null) return null;
    // both at once: an object for the hash would take twice as long to make and collect as a small body to hash
    const inner = hash('sha256', body, 'buffer');
    return `"${hash('sha256', Buffer.concat([key, inner]), 'base64url').slice(0, tagLength)}"`;
  };
};

/** 132 bits. A truncated hash of the key and the hash of the body is as safe as an HMAC, at half its cost. */
const tagLength = 22;

/** Returns whether the value of `If-Match` or `If-None-Match` contains a tag, in any content encoding. */
export const matchesTag = (list: string, tag: string): boolean =>
  list.split(',').some((entry) => {
    const named = entry.trim();
    return named === '*' || named.replace(/^W\//, '').replace(/-(?:br|gzip)"$/, '"') === tag;
  });
