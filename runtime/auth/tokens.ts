/** The tokens that a login gives: signed ones that say who somebody is, and refresh tokens that say nothing. */
import { createHash, createHmac, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import type { JwtPayload } from 'jsonwebtoken';
import type { TokenClaims } from '../access/access.js';
import { apiError } from '../../contract/errors.js';
import { isSame } from '../execute/access-source.js';
import type { Key, Keys } from './keys.js';

const issuer = 'svc';

/** What a signed token is for: none is good for anything else. */
type Purpose = 'access' | 'reset' | 'state';

export interface Tokens {
  /** @param claims `expires` in milliseconds since 1970 */
  signAccess(claims: TokenClaims): Promise<string>;
  /** `null`: not a token of ours. @throws INVALID_TOKEN, TOKEN_EXPIRED */
  readClaims(token: string): Promise<TokenClaims | null>;
  /** A token for another purpose, `ttl` in milliseconds. */
  sign(
    purpose: Exclude<Purpose, 'access'>,
    payload: Readonly<Record<string, unknown>>,
    ttl: number,
  ): Promise<string>;
  /** @throws INVALID_TOKEN, TOKEN_EXPIRED; FORBIDDEN for a token of another purpose */
  read(purpose: Exclude<Purpose, 'access'>, token: string): Promise<JwtPayload>;
  /** The first refresh token of a session. */
  firstRefresh(session: string): Promise<string>;
  /** What follows a refresh token: whoever renews the same one gets the same. */
  nextRefresh(token: string): Promise<string>;
  /** Whether a refresh token was made here, however long ago; those of before they showed it do not count. */
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
        // two tokens of the same second are two tokens
        jti: randomBytes(6).toString('base64url'),
      }),
    async readClaims(token) {
      if (peek(token)?.iss !== issuer) return null;
      const { id, session, generation, exp, purpose } = await verify(token);
      if (purpose !== undefined || !isKey(id) || !isKey(session)) {
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
        throw apiError('FORBIDDEN', { reason: 'the token is for something else' });
      return payload;
    },
    async firstRefresh(session) {
      const [{ key }] = await keys();
      return refreshOf(session, randomBytes(seedBytes), key);
    },
    async nextRefresh(token) {
      const [{ key }] = await keys();
      const [session = ''] = token.split('.');
      return refreshOf(session, createHmac('sha256', key).update(token).digest().subarray(0, seedBytes), key);
    },
    async isRefresh(token) {
      const [session = '', secret = ''] = token.split('.');
      const seed = Buffer.from(secret, 'base64url').subarray(0, seedBytes);
      return (await keys()).some(({ key }) => isSame(refreshOf(session, seed, key), token));
    },
  };
};

/** Databases with a type for keys refuse to compare anything else with them. */
export const isKey = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/** Of a refresh token: half is what nobody can guess, half shows that it was made here. */
const [seedBytes, proofBytes] = [16, 16];

/** It begins with the session's key. */
const refreshOf = (session: string, seed: Buffer, key: KeyObject): string => {
  const proofKey = Buffer.from(hkdfSync('sha256', key, '', 'refresh token', 32));
  const proof = createHmac('sha256', proofKey).update(session).update(seed).digest();
  return `${session}.${Buffer.concat([seed, proof.subarray(0, proofBytes)]).toString('base64url')}`;
};

/** `null`: no refresh token of this server. */
export const sessionOf = (refresh: string): string | null =>
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/.exec(refresh)?.[1] ?? null;

/** Refresh tokens are stored as this. They are random enough not to need more. */
export const hashRefresh = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** The key a token names; all of them where it names none that is known. */
const keysFor = (token: string, keys: readonly Key[]): readonly Key[] => {
  const kid = decodePart(token.split('.')[0])?.kid;
  const named = keys.filter(({ id }) => id === kid);
  return named.length > 0 ? named : keys;
};

const peek = (token: string): Readonly<Record<string, unknown>> | null => {
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
