/** What webhooks are signed with: a secret for each account, and the key pairs of the platform. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createId } from '../ids.js';
import { insertRow, text, type Statements } from './rows.js';

/** `whsec_` and 32 random bytes in Base64, as Standard Webhooks writes it. */
export const createWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Secrets of an account that hold now, newest first; makes the first one. */
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

/** How long the old secret signs beside the new one. */
export const secretOverlap = 24 * 3_600_000;

export const rotateWebhookSecret = async (
  statements: Statements,
  account: string,
  now: number,
): Promise<void> => {
  await statements.write({
    text: 'update svc_webhook_secrets set date_expires = ? where account = ? and date_expires is null',
    values: [now + secretOverlap, account],
  });
  await insertSecret(statements, account, now);
};

export interface SigningKey {
  /** `kid` of the public half. */
  readonly id: string;
  /** PEM. */
  readonly privateKey: string;
  /** PEM. */
  readonly publicKey: string;
  /** A retired key signs no more; its public half is served while signatures may still be checked. */
  readonly retired: number | null;
}

/** Newest first; makes the first one. */
export const signingKeys = async (statements: Statements, now: number): Promise<readonly SigningKey[]> => {
  const found = await readSigningKeys(statements);
  if (found.some(({ retired }) => retired === null)) return found;
  await insertSigningKey(statements, now);
  return readSigningKeys(statements);
};

const readSigningKeys = async (statements: Statements): Promise<readonly SigningKey[]> => {
  const rows = await statements.query(
    'select id, private_key, public_key, date_retired from svc_signing_keys order by date_created desc, id desc',
  );
  return rows.map((row) => ({
    id: String(row.id),
    privateKey: String(row.private_key),
    publicKey: String(row.public_key),
    retired: text(row.date_retired) === null ? null : Number(row.date_retired),
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
