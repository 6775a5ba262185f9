/** Entity tags (RFC 9110 §8.8.3): a keyed hash of the bytes that a caller gets. */
import { createHash, createHmac } from 'node:crypto';
import { lazy } from '../concurrency/lazy.js';

/** Returns the tag of a body, with its quotes; null where there is no secret to make tags with. */
export type EntityTagOf = (body: Buffer | string) => Promise<string | null>;

/** @param readSecret the same in every process, so that a tag of one is known to the others */
export const createEntityTags = (readSecret: () => Promise<Buffer>): EntityTagOf => {
  const readKey = lazy(async () => toTagKey(await readSecret()), retryAfter);
  return async (body) => {
    const key = await readKey().catch(() => null);
    if (key === null) return null;
    return `"${createHash('sha256').update(key).update(body).digest('base64url').slice(0, tagLength)}"`;
  };
};

/** Milliseconds until a secret that could not be read is looked for again. */
const retryAfter = 60_000;

const toTagKey = (secret: Buffer): Buffer => createHmac('sha256', secret).update('entity tags').digest();

/** 132 bits: cut off, a hash of key and body is keyed as an HMAC is, at half its cost. */
const tagLength = 22;

/** Returns whether a list of tags, as `If-Match` and `If-None-Match` have it, names a tag in any encoding. */
export const namesTag = (list: string, tag: string): boolean =>
  list.split(',').some((entry) => {
    const named = entry.trim();
    return named === '*' || named.replace(/^W\//, '').replace(/-(?:br|gzip)"$/, '"') === tag;
  });
