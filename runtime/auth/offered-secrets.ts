/**
 * Secrets for one-time passwords between their generation and their first code. A secret is derived from the signing
 * key, so any process recognizes it and nothing is stored; only the response to its generation shows it.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import type { Keys } from './keys.js';
import { equalsInConstantTime } from '../execute/access-source.js';

/** The login that a secret is bound to. Another login, or a changed password, invalidates it. */
export interface SecretHolder {
  readonly user: string;
  /** Id of the login session; `null` for a static token. */
  readonly session: string | null;
  readonly credentialDigest: string;
}

const minute = 60_000;
const minutesValid = 10;

/** Bytes of a secret: the length that RFC 4226 §4 recommends. */
const secretLength = 20;

/** Returns the secret that a login is offered in this minute, in base32. */
export const offerSecret = async (holder: SecretHolder, keys: Keys): Promise<string> => {
  const [{ key }] = await keys();
  return deriveSecret(key, holder, currentMinute());
};

/** Returns whether a secret was offered to the same login within the last ten minutes. */
export const isOffered = async (secret: string, holder: SecretHolder, keys: Keys): Promise<boolean> => {
  const derived = await Promise.all((await keys()).map(({ key }) => recentSecrets(key, holder)));
  return derived.flat().some((each) => equalsInConstantTime(each, secret));
};

const currentMinute = (): number => Math.floor(Date.now() / minute);

const recentSecrets = (key: KeyObject, holder: SecretHolder): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: minutesValid }, (_, age) => deriveSecret(key, holder, currentMinute() - age)),
  );

const deriveSecret = async (
  key: KeyObject,
  { user, session, credentialDigest }: SecretHolder,
  at: number,
): Promise<string> => {
  const { Secret } = await import('otpauth');
  const digest = createHmac('sha256', key)
    .update(JSON.stringify(['one-time password', user, session, credentialDigest, at]))
    .digest();
  return new Secret({ buffer: new Uint8Array(digest.subarray(0, secretLength)).buffer }).base32;
};
