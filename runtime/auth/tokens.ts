/** Signs and verifies JSON Web Tokens (RFC 7519, HS256), and creates opaque refresh tokens. */
import { createHash, createHmac, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import type { JwtPayload } from 'jsonwebtoken';
import type { TokenClaims } from '../access/access.js';
import { apiError } from '../../contract/errors.js';
import { equalsInConstantTime } from '../execute/access-source.js';
import type { Key, Keys } from './keys.js';

const issuer = 'svc';

/** The purpose of a signed token; a token is accepted only for its purpose. */
type Purpose = 'access' | 'reset' | 'state';

export interface Tokens {
  /** Signs an access token. @param claims `expires` in milliseconds since 1970 */
  signAccess(claims: TokenClaims): Promise<string>;
  /**
   * Returns the claims of an access token, or null if another issuer made it.
   * @throws INVALID_TOKEN, TOKEN_EXPIRED
   */
  readClaims(token: string): Promise<TokenClaims | null>;
  /** Signs a token for another purpose. @param ttl lifetime in milliseconds */
  sign(
    purpose: Exclude<Purpose, 'access'>,
    payload: Readonly<Record<string, unknown>>,
    ttl: number,
  ): Promise<string>;
  /**
   * Returns the payload of a token for this purpose.
   * @throws INVALID_TOKEN, TOKEN_EXPIRED; FORBIDDEN when the token has another purpose
   */
  read(purpose: Exclude<Purpose, 'access'>, token: string): Promise<JwtPayload>;
  /** Creates the first refresh token of a session. */
  firstRefresh(session: string): Promise<string>;
  /** Derives the successor of a refresh token: renewing one token twice gives the same successor. */
  nextRefresh(token: string): Promise<string>;
  /** Returns true if the token carries a valid proof that this server issued it, however long ago. */
  isRefresh(token: string): Promise<boolean>;
}

const loadLibrary = async () => (await import('jsonwebtoken')).default;

export const createTokens = (keys: Keys): Tokens => {
  const signWith = async (payload: Readonly<Record<string, unknown>>): Promise<string> => {
    const [jwt, [{ id, key }]] = await Promise.all([loadLibrary(), keys()]);
    return jwt.sign({ ...payload, iss: issuer }, key, { algorithm: 'HS256', keyid: id, noTimestamp: true });
  };

  const verify = async (token: string): Promise<JwtPayload> => {
    const [jwt, known] = await Promise.all([loadLibrary(), keys()]);
    let expired = false;
    for (const { key } of keysFor(token, known)) {
      try {
        return jwt.verify(token, key, { algorithms: ['HS256'], issuer }) as JwtPayload;
      } catch (error) {
        expired ||= error instanceof jwt.TokenExpiredError;
      }
    }
    throw apiError(expired ? 'TOKEN_EXPIRED' : 'INVALID_TOKEN', {});
  };

  return {
    signAccess: ({ user, session, generation, expires }) =>
      signWith({
        id: user,
        session,
        ...(generation !== null && { generation }),
        exp: Math.ceil(expires / 1000),
        // makes two tokens that are signed in the same second different
        jti: randomBytes(6).toString('base64url'),
      }),
    async readClaims(token) {
      if (decodePayload(token)?.iss !== issuer) return null;
      const { id, session, generation, exp, purpose } = await verify(token);
      if (purpose !== undefined || !isUuid(id) || !isUuid(session)) {
        throw apiError('INVALID_TOKEN', {});
      }
      const count = typeof generation === 'number' ? generation : null;
      return { user: id, session, generation: count, expires: (exp ?? 0) * 1000 };
    },
    sign: (purpose, payload, ttl) =>
      signWith({ ...payload, purpose, exp: Math.ceil((Date.now() + ttl) / 1000) }),
    async read(purpose, token) {
      const payload = await verify(token);
      if (payload.purpose !== purpose)
        throw apiError('FORBIDDEN', { reason: 'the token was issued for another purpose' });
      return payload;
    },
    async firstRefresh(session) {
      const [{ key }] = await keys();
      return printRefresh(session, randomBytes(seedBytes), key);
    },
    async nextRefresh(token) {
      const [{ key }] = await keys();
      const [session = ''] = token.split('.');
      return printRefresh(
        session,
        createHmac('sha256', key).update(token).digest().subarray(0, seedBytes),
        key,
      );
    },
    async isRefresh(token) {
      const [session = '', secret = ''] = token.split('.');
      const seed = Buffer.from(secret, 'base64url').subarray(0, seedBytes);
      return (await keys()).some(({ key }) => equalsInConstantTime(printRefresh(session, seed, key), token));
    },
  };
};

/** Returns true for a UUID. Databases with a type for UUIDs reject a comparison with any other text. */
export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/** Bytes of a refresh token's secret: the random seed, and the HMAC that proves this server issued it. */
const [seedBytes, proofBytes] = [16, 16];

/** Prints a refresh token: `<session id>.<seed and proof, base64url>`. */
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

/** Returns the key that the token's `kid` names, or all keys if it names none of them. */
const keysFor = (token: string, keys: readonly Key[]): readonly Key[] => {
  const kid = decodePart(token.split('.')[0])?.kid;
  const named = keys.filter(({ id }) => id === kid);
  return named.length > 0 ? named : keys;
};

/** Decodes the payload of a token without verifying its signature. */
const decodePayload = (token: string): Readonly<Record<string, unknown>> | null => {
  const [, payload, signature] = token.split('.');
  return signature === undefined ? null : decodePart(payload);
};

const decodePart = (part = ''): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
};
