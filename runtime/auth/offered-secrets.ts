/**
 * Secrets for one-time passwords between their generation and their first code. A secret is derived from the signing
 * key, so any process recognizes it and nothing is stored; only the response to its generation shows it.
 */
import { createHmac } from 'node:crypto';
import { exportSecrets, type Keys } from './keys.js';
import { equalsInConstantTime } from '../execute/access-source.js';

export interface OfferedSecrets {
  /** Returns the secret of the current minute for a caller, in base32. */
  generate(holder: SecretHolder): Promise<string>;
  /** Returns whether a secret was generated for the same login within the last ten minutes. */
  isOffered(secret: string, holder: SecretHolder): Promise<boolean>;
}

/** To whom a secret is bound. Another login, or a changed password, invalidates it. */
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

export const createOfferedSecrets = (keys: Keys): OfferedSecrets => ({
  async generate(holder) {
    const [key = Buffer.alloc(0)] = await exportSecrets(keys);
    return deriveSecret(key, { holder, minute: currentMinute() });
  },
  async isOffered(secret, holder) {
    const derived = await Promise.all((await exportSecrets(keys)).map((key) => recentSecrets(key, holder)));
    return derived.flat().some((each) => equalsInConstantTime(each, secret));
  },
});

const currentMinute = (): number => Math.floor(Date.now() / minute);

const recentSecrets = (key: Buffer, holder: SecretHolder): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: minutesValid }, (_, age) =>
      deriveSecret(key, { holder, minute: currentMinute() - age }),
    ),
  );

const deriveSecret = async (
  key: Buffer,
  { holder, minute: at }: { readonly holder: SecretHolder; readonly minute: number },
): Promise<string> => {
  const { Secret } = await import('otpauth');
  const { user, session, credentialDigest } = holder;
  const digest = createHmac('sha256', key)
    .update(JSON.stringify(['one-time password', user, session, credentialDigest, at]))
    .digest();
  return new Secret({ buffer: new Uint8Array(digest.subarray(0, secretLength)).buffer }).base32;
};
