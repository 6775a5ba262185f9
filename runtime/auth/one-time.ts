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
import type { Attempts } from './attempts.js';
import type { Account } from './sessions.js';

export interface OneTimePasswords {
  /**
   * Generates a secret to show to the user, and its `otpauth:` URL. Stores nothing.
   * @throws INVALID_CREDENTIALS when the password is wrong, INVALID_PAYLOAD when one-time passwords are already enabled
   */
  generate(caller: Caller, password: string): Promise<{ readonly secret: string; readonly url: string }>;
  /**
   * Stores the secret, so that every login requires a code.
   * @throws INVALID_PAYLOAD when the code is wrong or one-time passwords are already enabled
   */
  enable(caller: Caller, proof: { readonly secret: string; readonly otp: string }): Promise<void>;
  /** Deletes the secret. @throws INVALID_PAYLOAD when the code is wrong */
  disable(caller: Caller, otp: string): Promise<void>;
  /**
   * Deletes the secret of another user, for an administrator whose permission has been checked.
   * @throws FORBIDDEN when the user does not exist
   */
  reset(user: string, record: RecordChange): Promise<void>;
}

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

export const createOneTimePasswords = (database: Database, attempts: Attempts): OneTimePasswords => {
  const accountOf = async ({ user }: Caller): Promise<Account> => {
    const account = await findById(database, user);
    if (account === null) throw apiError('INVALID_CREDENTIALS', {});
    return account;
  };

  /** Counts failed passwords and failed codes separately: knowing one does not reset the count of the other. */
  const guard = <Result>(
    kind: 'password' | 'otp',
    { user, address }: Caller,
    work: () => Promise<Result>,
  ): Promise<Result> => attempts.guard({ kind, account: user, address }, work);

  return {
    async generate(caller, password) {
      const account = await guard('password', caller, async () => {
        const found = await accountOf(caller);
        const isRight = await verifyPassword(found.password, password, networkOf(caller.address));
        if (!isRight) throw apiError('INVALID_CREDENTIALS', {});
        return found;
      });
      if (account.tfaSecret !== null) throw alreadyEnabled();
      const { Secret } = await import('otpauth');
      const secret = new Secret({ size: 20 }).base32;
      return { secret, url: (await createTotp(secret, account.email ?? account.id)).toString() };
    },

    // not rate-limited: the caller sends the secret together with the code, so there is nothing to guess
    async enable(caller, { secret, otp }) {
      const account = await accountOf(caller);
      if (account.tfaSecret !== null) throw alreadyEnabled();
      const step = await findStep(secret, otp);
      if (step === null) throw invalidPayload('"otp" is not a valid code for this secret');
      const isFirst = await updateAccount(database, account.id, {
        changes: { tfa_secret: secret, tfa_step: step },
        expected: { tfa_secret: null },
        record: caller.record,
      });
      if (!isFirst) throw alreadyEnabled();
    },

    async disable(caller, otp) {
      await guard('otp', caller, async () => {
        const isRight = await acceptCode(database, await accountOf(caller), otp);
        if (!isRight) throw invalidPayload('"otp" is not a valid code');
      });
      await updateAccount(database, caller.user, { changes: noSecret, record: caller.record });
    },

    async reset(user, record) {
      const account = await findById(database, user);
      if (account === null || !(await updateAccount(database, account.id, { changes: noSecret, record })))
        throw forbidden('the user does not exist');
    },
  };
};
