/** Signs and verifies JSON Web Tokens (RFC 7519, HS256). */
import { randomBytes } from 'node:crypto';
import type { JwtPayload } from 'jsonwebtoken';
import type { TokenClaims } from '../access/access.js';
import { apiError } from '../../contract/errors.js';
import { isUuid } from '../../contract/uuid.js';
import type { Key, Keys } from './keys.js';
import { createRefreshTokens, type RefreshTokens } from './refresh-tokens.js';

const issuer = 'svc';

/** The purpose of a signed token; a token is accepted only for its purpose. */
type Purpose = 'access' | 'reset' | 'invite' | 'state';

export interface Tokens extends RefreshTokens {
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
}

const loadLibrary = async () => (await import('jsonwebtoken')).default;

/** Creates the functions for all tokens: the newest key signs, and each key that is configured verifies. */
export const createTokens = (keys: Keys): Tokens => ({
  ...createRefreshTokens(keys),
  signAccess: ({ user, session, generation, expires }) =>
    signPayload(keys, {
      id: user,
      session,
      ...(generation !== null && { generation }),
      exp: Math.ceil(expires / 1000),
      // makes two tokens that are signed in the same second different
      jti: randomBytes(6).toString('base64url'),
    }),
  async readClaims(token) {
    return decodePayload(token)?.iss === issuer ? toClaims(await verify(keys, token)) : null;
  },
  sign: (purpose, payload, ttl) =>
    signPayload(keys, { ...payload, purpose, exp: Math.ceil((Date.now() + ttl) / 1000) }),
  async read(purpose, token) {
    const payload = await verify(keys, token);
    if (payload.purpose !== purpose)
      throw apiError('FORBIDDEN', { reason: 'the token was issued for another purpose' });
    return payload;
  },
});

const signPayload = async (keys: Keys, payload: Readonly<Record<string, unknown>>): Promise<string> => {
  const [jwt, [{ id, key }]] = await Promise.all([loadLibrary(), keys()]);
  return jwt.sign({ ...payload, iss: issuer }, key, { algorithm: 'HS256', keyid: id, noTimestamp: true });
};

/** Returns the payload of a token with a valid signature. @throws INVALID_TOKEN, TOKEN_EXPIRED */
const verify = async (keys: Keys, token: string): Promise<JwtPayload> => {
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

/** Converts the payload of an access token. @throws INVALID_TOKEN when it is none */
const toClaims = ({ id, session, generation, exp, purpose }: JwtPayload): TokenClaims => {
  if (purpose !== undefined || !isUuid(id) || !isUuid(session)) throw apiError('INVALID_TOKEN', {});
  const count = typeof generation === 'number' ? generation : null;
  return { user: id, session, generation: count, expires: (exp ?? 0) * 1000 };
};

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
