/**
 * Time-based one-time passwords (RFC 6238): six digits, steps of 30 s. The previous and the next step are accepted too;
 * each code is accepted once.
 */
import type { TOTP } from 'otpauth';
import { networkOf } from '../network/ip.js';
import { apiError, forbidden, invalidPayload } from '../../contract/errors.js';
import type { Database } from '../databases/contract.js';
import { verifyPassword } from './passwords/hash.js';
import { findById, updateAccount, type RecordChange } from './accounts.js';
import type { Attempt } from './attempts.js';
import type { AuthContext } from './context.js';
import type { Account } from './sessions.js';

export interface Caller {
  readonly user: string;
  readonly address: string;
  readonly record: RecordChange;
}

const issuer = 'svc';

const noSecret = { tfa_secret: null, tfa_step: null };

const alreadyEnabled = () => invalidPayload('one-time passwords are already enabled');

const createTotp = async (secret: string, label = 'user'): Promise<TOTP> => {
  const { Secret, TOTP: Totp } = await import('otpauth');
  return new Totp({ issuer, label, secret: Secret.fromBase32(secret) });
};

/** Returns the time step that a code belongs to, or null if the code or the secret is invalid. */
const findStep = async (secret: string, code: string): Promise<number | null> => {
  if (!/^\d{6}$/.test(code) || !/^[A-Z2-7]{16,64}$/.test(secret)) return null;
  const totp = await createTotp(secret);
  const delta = totp.validate({ token: code, window: 1 });
  return delta === null ? null : totp.counter() + delta;
};

/** Returns true if the code is valid for the account, and marks it as used for all processes. */
export const acceptCode = async (
  database: Database,
  { id, tfaSecret }: Account,
  code: string,
): Promise<boolean> => {
  const step = tfaSecret === null ? null : await findStep(tfaSecret, code);
  if (step === null) return false;
  const { affected } = await database.write({
    text: 'update svc_users set tfa_step = ? where id = ? and (tfa_step is null or tfa_step < ?)',
    values: [step, id, step],
  });
  return affected === 1;
};

type OneTimeContext = Pick<AuthContext, 'database' | 'attempts'>;

/** A new secret, and the `otpauth:` URL that authenticators read it from. */
interface NewSecret {
  readonly secret: string;
  readonly url: string;
}

/**
 * Generates a secret to show to the user. Stores nothing.
 * @throws INVALID_CREDENTIALS when the password is wrong, INVALID_PAYLOAD when one-time passwords are already enabled
 */
export const generateSecret = async (
  caller: Caller,
  password: string,
  context: OneTimeContext,
): Promise<NewSecret> => {
  const account = await context.attempts.guard(attemptOf('password', caller), async () => {
    const found = await accountOf(context.database, caller);
    const isRight = await verifyPassword(found.password, password, networkOf(caller.address));
    if (!isRight) throw apiError('INVALID_CREDENTIALS', {});
    return found;
  });
  if (account.tfaSecret !== null) throw alreadyEnabled();
  const { Secret } = await import('otpauth');
  const secret = new Secret({ size: 20 }).base32;
  return { secret, url: (await createTotp(secret, account.email ?? account.id)).toString() };
};

/**
 * Stores the secret, so that every login requires a code. Not rate-limited: the caller sends the secret together with
 * the code, so there is nothing to guess.
 * @throws INVALID_PAYLOAD when the code is wrong or one-time passwords are already enabled
 */
export const enableCodes = async (
  caller: Caller,
  { secret, otp }: { readonly secret: string; readonly otp: string },
  database: Database,
): Promise<void> => {
  const account = await accountOf(database, caller);
  if (account.tfaSecret !== null) throw alreadyEnabled();
  const step = await findStep(secret, otp);
  if (step === null) throw invalidPayload('"otp" is not a valid code for this secret');
  const isFirst = await updateAccount(database, account.id, {
    changes: { tfa_secret: secret, tfa_step: step },
    expected: { tfa_secret: null },
    record: caller.record,
  });
  if (!isFirst) throw alreadyEnabled();
};

/** Deletes the secret. @throws INVALID_PAYLOAD when the code is wrong */
export const disableCodes = async (
  caller: Caller,
  otp: string,
  { database, attempts }: OneTimeContext,
): Promise<void> => {
  await attempts.guard(attemptOf('otp', caller), async () => {
    const isRight = await acceptCode(database, await accountOf(database, caller), otp);
    if (!isRight) throw invalidPayload('"otp" is not a valid code');
  });
  await updateAccount(database, caller.user, { changes: noSecret, record: caller.record });
};

/**
 * Deletes the secret of another user, for an administrator whose permission has been checked.
 * @throws FORBIDDEN when the user does not exist
 */
export const resetCodes = async (user: string, record: RecordChange, database: Database): Promise<void> => {
  const account = await findById(database, user);
  if (account === null || !(await updateAccount(database, account.id, { changes: noSecret, record })))
    throw forbidden('the user does not exist');
};

const accountOf = async (database: Database, { user }: Caller): Promise<Account> => {
  const account = await findById(database, user);
  if (account === null) throw apiError('INVALID_CREDENTIALS', {});
  return account;
};

/** Failed passwords and failed codes are counted separately: knowing one does not reset the count of the other. */
const attemptOf = (kind: 'password' | 'otp', { user, address }: Caller): Attempt => ({
  kind,
  account: user,
  address,
});
