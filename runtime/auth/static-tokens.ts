/** Stored forms of static tokens: plain text, or a keyed hash where `STATIC_TOKENS` is `hashed`. */
import { createHmac, type KeyObject } from 'node:crypto';
import type { Config } from '../config/config.js';
import { findRows, updateRows, type Statements } from '../execute/system-rows.js';
import type { Keys } from './keys.js';

export interface StaticTokens {
  /** Returns the form in which a new token is stored. */
  toStored(token: string): Promise<string>;
  /**
   * Returns the forms in which a token may be stored, whatever `STATIC_TOKENS` says now: tokens stored under another
   * setting, or hashed with an older key, keep working.
   */
  storedForms(token: string): Promise<readonly string[]>;
}

/** Begins a hash. No token does: a stolen hash is not accepted as a token. */
const hashPrefix = 'hmac:';

/** Returns whether a stored token is a hash. A hash is no token: it is refused where it is sent as one. */
export const isHashedToken = (stored: string): boolean => stored.startsWith(hashPrefix);

/**
 * Creates the conversion of tokens. It finds tokens in either form, in whichever `mode` new ones are stored.
 */
export const createStaticTokens = (keys: Keys, mode: Config['auth']['staticTokens']): StaticTokens => ({
  async toStored(token) {
    if (mode === 'plain') return token;
    const [{ key }] = await keys();
    return hashToken(key, token);
  },
  async storedForms(token) {
    const known = await (mode === 'plain' ? keys().catch(() => []) : keys());
    const hashes = known.map(({ key }) => hashToken(key, token));
    return isHashedToken(token) ? hashes : [token, ...hashes];
  },
});

/**
 * Stores the tokens of all users in the configured form. A hash cannot be turned back: hashed tokens stay so.
 * @returns the number of tokens that changed
 */
export const convertTokens = async (database: Statements, { toStored }: StaticTokens): Promise<number> => {
  const rows = await findRows(database, 'svc_users', { columns: ['id', 'token'], order: ['id'] });
  let converted = 0;
  for (const { id, token } of rows) {
    if (token === null || isHashedToken(token)) continue;
    const stored = await toStored(token);
    if (stored === token) continue;
    converted += await updateRows(database, 'svc_users', { set: { token: stored }, where: { id, token } });
  }
  return converted;
};

const hashToken = (key: KeyObject, token: string): string =>
  `${hashPrefix}${createHmac('sha256', key).update(`static token ${token}`).digest('base64url')}`;
