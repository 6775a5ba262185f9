/**
 * Resets passwords by mail. A link works once, and only until the user's password or e-mail address changes.
 */
import { createHash } from 'node:crypto';
import { networkOf } from '../network/ip.js';
import { forbidden, invalidPayload } from '../../contract/errors.js';
import { hashPassword } from './passwords/hash.js';
import { findByEmail, findById, updateAccount, type RecordChange } from './accounts.js';
import { createAllowList } from './allow-list.js';
import type { AuthContext } from './context.js';
import type { SendMail } from './mail.js';
import type { Account } from './sessions.js';
import { isUuid } from './tokens.js';

export interface PasswordReset {
  /**
   * Checks a request and returns a function that sends the mail. Call it after responding: neither the response nor
   * its duration then shows whether an account has the address.
   * @throws INVALID_PAYLOAD when the page is not allowed
   */
  request(request: ResetRequest): () => Promise<void>;
  /**
   * Sets a new password and ends all sessions of the user.
   * @throws INVALID_PAYLOAD for a password that is too short or fails the validation of its field; INVALID_TOKEN, TOKEN_EXPIRED; FORBIDDEN when the token was used or the account changed since
   */
  reset(input: ResetInput, record: RecordChange): Promise<void>;
}

interface ResetRequest {
  readonly email: string;
  /** URL of the page that the link opens; default: the page of this server. */
  readonly page?: string;
}

interface ResetInput {
  readonly token: string;
  readonly password: string;
  readonly address: string;
}

export interface PasswordResetOptions extends Pick<AuthContext, 'database' | 'tokens' | 'attempts'> {
  /** `null`: no SMTP server is configured. */
  readonly send: SendMail | null;
  /** Returns the URL of the default page. */
  readonly page: () => string;
  /** URLs of other pages that a request may name. */
  readonly pages: readonly string[];
  /** Checks a new password. @throws INVALID_PAYLOAD with what is required */
  readonly requirePassword: (password: string) => void;
  /** Lifetime of a link in milliseconds. */
  readonly ttl: number;
}

/**
 * Creates the two steps of a reset. Links live for `ttl` milliseconds and lead to one of `pages`, or to the
 * own page.
 */
export const createPasswordReset = (options: PasswordResetOptions): PasswordReset => {
  const { database, tokens, attempts, send, ttl } = options;
  const allowed = createAllowList(options.pages);

  const sendLink = async (email: string, page: URL): Promise<void> => {
    if (send === null) throw new Error('no mail is sent without EMAIL_SMTP_HOST');
    const account = await findByEmail(database, email);
    if (account === null || account.email === null || !canReset(account)) return;
    if (!(await attempts.count({ kind: 'reset', account: account.id, address: '' }))) return;
    page.searchParams.set(
      'token',
      await tokens.sign('reset', { id: account.id, state: stateOf(account) }, ttl),
    );
    await send({
      to: account.email,
      template: 'password-reset',
      values: { site: new URL(options.page()).host, link: page.href, expires: printTime(Date.now() + ttl) },
    });
  };

  return {
    request({ email, page = options.page() }) {
      const isOwn = page === options.page();
      if (!isOwn && !allowed.has(page))
        throw invalidPayload('"reset_url" is not in PASSWORD_RESET_URL_ALLOW_LIST');
      return () => sendLink(email, new URL(page));
    },
    async reset({ token, password, address }, record) {
      options.requirePassword(password);
      const { id, state } = await tokens.read('reset', token);
      const account = isUuid(id) ? await findById(database, id) : null;
      if (account === null || state !== stateOf(account) || !canReset(account)) throw tokenUsed();
      const changes = { password: await hashPassword(password, networkOf(address)) };
      const expected = { password: account.password };
      const update = { changes, expected, endsSessions: true, record };
      if (!(await updateAccount(database, account.id, update))) throw tokenUsed();
    },
  };
};

const canReset = ({ status, provider }: Account): boolean => status === 'active' && provider === 'default';

/** Hashes what makes a token invalid when it changes: the password and the e-mail address. */
const stateOf = ({ email, password }: Account): string =>
  createHash('sha256')
    .update(JSON.stringify([email, password]))
    .digest('base64url');

const tokenUsed = () =>
  forbidden('the token was used, or the account has changed since; request another mail');

/** Prints a time as `2026-01-31 14:05 UTC`. @param moment milliseconds since 1970 */
const printTime = (moment: number): string =>
  `${new Date(moment).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
