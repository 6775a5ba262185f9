/** Entity tags (RFC 9110 §8.8.3): a keyed hash of the response body. */
import { createHash } from 'node:crypto';
import { createDerivedKey } from './derived-key.js';

/** Returns the tag of a body, with its quotes, or null where the secret cannot be read. */
export type EntityTagOf = (body: Buffer | string) => Promise<string | null>;

/**
 * Creates the function that returns entity tags.
 * @param readSecret returns the secret that all processes share, so that their tags are equal
 */
export const createEntityTags = (readSecret: () => Promise<Buffer>): EntityTagOf => {
  const readKey = createDerivedKey(readSecret, 'entity tags');
  return async (body) => {
    const key = await readKey().catch(() => null);
    if (key === null) return null;
    return `"${createHash('sha256').update(key).update(body).digest('base64url').slice(0, tagLength)}"`;
  };
};

/** 132 bits. A truncated hash of key and body is as safe as an HMAC, at half its cost. */
const tagLength = 22;

/** Returns whether the value of `If-Match` or `If-None-Match` contains a tag, in any content encoding. */
export const matchesTag = (list: string, tag: string): boolean =>
  list.split(',').some((entry) => {
    const named = entry.trim();
    return named === '*' || named.replace(/^W\//, '').replace(/-(?:br|gzip)"$/, '"') === tag;
  });
