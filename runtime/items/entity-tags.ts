/** Entity tags (RFC 9110 §8.8.3): a keyed hash of the response body. */
import { createHash, createHmac } from 'node:crypto';
import { lazy } from '../concurrency/lazy.js';

/** Returns the tag of a body, with its quotes, or null where the secret cannot be read. */
export type EntityTagOf = (body: Buffer | string) => Promise<string | null>;

/** @param readSecret returns the secret that all processes share, so that their tags are equal */
export const createEntityTags = (readSecret: () => Promise<Buffer>): EntityTagOf => {
  const readKey = lazy(async () => toTagKey(await readSecret()), retryAfter);
  return async (body) => {
    const key = await readKey().catch(() => null);
    if (key === null) return null;
    return `"${createHash('sha256').update(key).update(body).digest('base64url').slice(0, tagLength)}"`;
  };
};

/** Milliseconds until a secret that could not be read is read again. */
const retryAfter = 60_000;

const toTagKey = (secret: Buffer): Buffer => createHmac('sha256', secret).update('entity tags').digest();

/** 132 bits. A truncated hash of key and body is as safe as an HMAC, at half its cost. */
const tagLength = 22;

/** Returns whether the value of `If-Match` or `If-None-Match` contains a tag, in any content encoding. */
export const matchesTag = (list: string, tag: string): boolean =>
  list.split(',').some((entry) => {
    const named = entry.trim();
    return named === '*' || named.replace(/^W\//, '').replace(/-(?:br|gzip)"$/, '"') === tag;
  });
