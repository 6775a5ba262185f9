/** Stores the secrets with which webhooks are signed: one per account, and the key pairs of the platform. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createId } from './ids.js';
import { findRows, insertRow, updateRows, type Statements } from '../../execute/system-rows.js';

/** Creates a secret in the format of Standard Webhooks: `whsec_` and 32 random bytes in Base64. */
export const createWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Returns the valid secrets of an account, newest first; creates the first one. */
export const webhookSecrets = async (
  statements: Statements,
  account: string,
  now: number,
): Promise<readonly string[]> => {
  const found = await readSecrets(statements, account, now);
  if (found.length > 0) return found;
  await insertSecret(statements, account, now);
  return readSecrets(statements, account, now);
};

const readSecrets = async (
  statements: Statements,
  account: string,
  now: number,
): Promise<readonly string[]> => {
  const rows = await statements.query(
    'select secret from svc_webhook_secrets where account = ? and (date_expires is null or date_expires > ?) ' +
      'order by date_created desc, id desc',
    [account, now],
  );
  return rows.map((row) => String(row.secret));
};

const insertSecret = (statements: Statements, account: string, now: number): Promise<void> =>
  insertRow(statements, 'svc_webhook_secrets', {
    id: createId(),
    account,
    secret: createWebhookSecret(),
    date_created: now,
  });

/** Milliseconds for which the old secret signs together with the new one. */
export const secretOverlap = 24 * 3_600_000;

/**
 * Creates a new secret; the former one signs beside it for another day, so that receivers can change over.
 */
export const rotateWebhookSecret = async (
  statements: Statements,
  account: string,
  now: number,
): Promise<void> => {
  await updateRows(statements, 'svc_webhook_secrets', {
    set: { date_expires: now + secretOverlap },
    where: { account, date_expires: null },
  });
  await insertSecret(statements, account, now);
};

/** Milliseconds that a key is published before and after it signs, because receivers may cache an older key set. */
export const signingLead = 24 * 3_600_000;

export interface SigningKey {
  /** `kid` of the public key. */
  readonly id: string;
  /** PEM. */
  readonly privateKey: string;
  /** PEM. */
  readonly publicKey: string;
  readonly created: number;
}

export interface SigningKeys {
  /** The key that signs. */
  readonly signer: SigningKey;
  /** Keys in the published set: the signer, its successors, and its predecessor while receivers may still need it. */
  readonly published: readonly SigningKey[];
}

/** Returns the signing keys; creates the first one. */
export const signingKeys = async (statements: Statements, now: number): Promise<SigningKeys> => {
  const found = chooseKeys(await readSigningKeys(statements), now);
  if (found !== null) return found;
  await insertSigningKey(statements, now);
  return signingKeys(statements, now);
};

/**
 * Chooses the newest key that has been published for `signingLead`, or the oldest if there is none.
 * @param keys newest first
 */
export const chooseKeys = (keys: readonly SigningKey[], now: number): SigningKeys | null => {
  const signer = keys.find(({ created }) => created + signingLead <= now) ?? keys.at(-1);
  if (signer === undefined) return null;
  const isPredecessorObsolete = signer.created + 2 * signingLead <= now;
  return { signer, published: isPredecessorObsolete ? keys.slice(0, keys.indexOf(signer) + 1) : keys };
};

/**
 * Creates a new signing key.
 * @param atOnce retires all other keys, so that the new key signs immediately; for a compromised key
 */
export const rotateSigningKey = async (
  statements: Statements,
  { now, atOnce }: { readonly now: number; readonly atOnce: boolean },
): Promise<void> => {
  if (!atOnce) await signingKeys(statements, now);
  await insertSigningKey(statements, now);
  if (!atOnce) return;
  const [newest] = await readSigningKeys(statements);
  await updateRows(statements, 'svc_signing_keys', {
    set: { date_retired: now },
    where: { date_retired: null, id: { not: newest?.id ?? '' } },
  });
};

/** Returns the keys that are not retired, newest first. */
const readSigningKeys = async (statements: Statements): Promise<readonly SigningKey[]> => {
  const rows = await findRows(statements, 'svc_signing_keys', {
    where: { date_retired: null },
    order: ['-date_created', '-id'],
  });
  return rows.map((row) => ({
    id: row.id,
    privateKey: row.private_key,
    publicKey: row.public_key,
    created: row.date_created,
  }));
};

const insertSigningKey = (statements: Statements, now: number): Promise<void> => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return insertRow(statements, 'svc_signing_keys', {
    id: createId(),
    private_key: privateKey,
    public_key: publicKey,
    date_created: now,
  });
};
