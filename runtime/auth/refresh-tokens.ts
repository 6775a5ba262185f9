/** Creates and verifies opaque refresh tokens: `<session id>.<seed and proof, base64url>`. */
import { createHash, createHmac, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { equalsInConstantTime } from '../execute/access-source.js';
import type { Keys } from './keys.js';

export interface RefreshTokens {
  /** Creates the first refresh token of a session. */
  firstRefresh(session: string): Promise<string>;
  /** Derives the successor of a refresh token: renewing one token twice gives the same successor. */
  nextRefresh(token: string): Promise<string>;
  /** Returns true if the token carries a valid proof that this server issued it, however long ago. */
  isRefresh(token: string): Promise<boolean>;
}

/**
 * Creates the functions for refresh tokens: the newest key signs, and each key that is configured verifies.
 */
export const createRefreshTokens = (keys: Keys): RefreshTokens => ({
  async firstRefresh(session) {
    const [{ key }] = await keys();
    return printRefresh(session, randomBytes(seedBytes), key);
  },
  async nextRefresh(token) {
    const [{ key }] = await keys();
    const [session = ''] = token.split('.');
    const seed = createHmac('sha256', key).update(token).digest().subarray(0, seedBytes);
    return printRefresh(session, seed, key);
  },
  async isRefresh(token) {
    const [session = '', secret = ''] = token.split('.');
    const seed = Buffer.from(secret, 'base64url').subarray(0, seedBytes);
    return (await keys()).some(({ key }) => equalsInConstantTime(printRefresh(session, seed, key), token));
  },
});

/** Bytes of a refresh token's secret: the random seed, and the HMAC that proves this server issued it. */
const [seedBytes, proofBytes] = [16, 16];

const printRefresh = (session: string, seed: Buffer, key: KeyObject): string => {
  const proofKey = Buffer.from(hkdfSync('sha256', key, '', 'refresh token', 32));
  const proof = createHmac('sha256', proofKey).update(session).update(seed).digest();
  return `${session}.${Buffer.concat([seed, proof.subarray(0, proofBytes)]).toString('base64url')}`;
};

/** Returns the session id of a refresh token, or null if the text is not a refresh token. */
export const sessionOf = (refresh: string): string | null =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(refresh)?.[1] ?? null;

/** Returns the SHA-256 hash under which a refresh token is stored; its entropy makes a slow hash unnecessary. */
export const hashRefresh = (token: string): string => createHash('sha256').update(token).digest('base64url');
