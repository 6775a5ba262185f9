/** One-time passwords (RFC 6238): six digits, a step of 30 s, the step before and after count too, each code once. */
import type { TOTP } from 'otpauth';
import { networkOf } from '../network/ip.js';
import { apiError, forbidden, invalidPayload } from '../../contract/errors.js';
import type { Database } from '../databases/contract.js';
import { verifyPassword } from './passwords/hash.js';
import { findById, updateAccount, type RecordChange } from './accounts.js';
import type { Attempts } from './attempts.js';
import type { Account } from './sessions.js';

export interface OneTime {
  /** A secret to be shown once; nothing is stored yet. @throws INVALID_CREDENTIALS for a wrong password */
  generate(caller: Caller, password: string): Promise<{ readonly secret: string; readonly url: string }>;
  /** From now on a login takes a code. @throws INVALID_PAYLOAD for a wrong one, and where they are on already */
  enable(caller: Caller, proof: { readonly secret: string; readonly otp: string }): Promise<void>;
  /** @throws INVALID_PAYLOAD for a wrong code */
  disable(caller: Caller, otp: string): Promise<void>;
  /** For administrators, whose right to do so has been checked. @throws FORBIDDEN where there is no such user */
  reset(user: string, record: RecordChange): Promise<void>;
}

export interface Caller {
  readonly user: string;
  readonly address: string;
  readonly record: RecordChange;
}

const issuer = 'svc';

const off = { tfa_secret: null, tfa_step: null };

const isOn = () => invalidPayload('one-time passwords are on already');

const createTotp = async (secret: string, label = 'user'): Promise<TOTP> => {
  const { Secret, TOTP: Totp } = await import('otpauth');
  return new Totp({ issuer, label, secret: Secret.fromBase32(secret) });
};

/** The step that a code belongs to; `null`: it is of none, or the secret is none. */
const stepOf = async (secret: string, code: string): Promise<number | null> => {
  if (!/^\d{6}$/.test(code) || !/^[A-Z2-7]{16,64}$/.test(secret)) return null;
  const totp = await createTotp(secret);
  const delta = totp.validate({ token: code, window: 1 });
  return delta === null ? null : totp.counter() + delta;
};

/** Whether the code is good for this account; then it never is again, in any process. */
export const acceptCode = async (
  database: Database,
  { id, tfaSecret }: Account,
  code: string,
): Promise<boolean> => {
  const step = tfaSecret === null ? null : await stepOf(tfaSecret, code);
  if (step === null) return false;
  const { affected } = await database.write({
    text: 'update svc_users set tfa_step = ? where id = ? and (tfa_step is null or tfa_step < ?)',
    values: [step, id, step],
  });
  return affected === 1;
};

export const createOneTime = (database: Database, attempts: Attempts): OneTime => {
  const accountOf = async ({ user }: Caller): Promise<Account> => {
    const account = await findById(database, user);
    if (account === null) throw apiError('INVALID_CREDENTIALS', {});
    return account;
  };

  /** Passwords and codes are counted apart: who has the one may still be guessing the other. */
  const guard = <Result>(
    kind: 'password' | 'otp',
    { user, address }: Caller,
    work: () => Promise<Result>,
  ): Promise<Result> => attempts.guard({ kind, account: user, address }, work);

  return {
    async generate(caller, password) {
      const account = await guard('password', caller, async () => {
        const asked = await accountOf(caller);
        const isRight = await verifyPassword(asked.password, password, networkOf(caller.address));
        if (!isRight) throw apiError('INVALID_CREDENTIALS', {});
        return asked;
      });
      if (account.tfaSecret !== null) throw isOn();
      const { Secret } = await import('otpauth');
      const secret = new Secret({ size: 20 }).base32;
      return { secret, url: (await createTotp(secret, account.email ?? account.id)).toString() };
    },

    // the secret comes with the code: there is nothing to guess, and nothing that a success proves
    async enable(caller, { secret, otp }) {
      const account = await accountOf(caller);
      if (account.tfaSecret !== null) throw isOn();
      const step = await stepOf(secret, otp);
      if (step === null) throw invalidPayload('"otp" is not a code of this secret');
      const isFirst = await updateAccount(database, account.id, {
        changes: { tfa_secret: secret, tfa_step: step },
        held: { tfa_secret: null },
        record: caller.record,
      });
      if (!isFirst) throw isOn();
    },

    async disable(caller, otp) {
      await guard('otp', caller, async () => {
        const isRight = await acceptCode(database, await accountOf(caller), otp);
        if (!isRight) throw invalidPayload('"otp" is not a code that counts');
      });
      await updateAccount(database, caller.user, { changes: off, record: caller.record });
    },

    async reset(user, record) {
      const account = await findById(database, user);
      if (account === null || !(await updateAccount(database, account.id, { changes: off, record })))
        throw forbidden('there is no such user');
    },
  };
};
