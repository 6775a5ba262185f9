/**
 * Mails links with which users set a password: a new one after a reset, the first one of an invitation. A link works
 * once, and only until the password or the e-mail address of the user changes.
 */
import { createHash } from 'node:crypto';
import { forbidden, invalidPayload } from '../../contract/errors.js';
import { isUuid } from '../../contract/uuid.js';
import { networkOf } from '../network/ip.js';
import { findById, updateAccount, type Account, type AccountUpdate, type RecordChange } from './accounts.js';
import { createAllowList } from './allow-list.js';
import type { AuthContext } from './context.js';
import type { SendMail } from './mail.js';
import { hashPassword } from './passwords/hash.js';

export interface PasswordLinks {
  /**
   * Returns the page that a link leads to: that of this server, or one that the request names.
   * @throws INVALID_PAYLOAD when it is not allowed
   */
  pageOf(url: string | undefined): URL;
  /**
   * Mails a link to the page, unless the account may not have one or has had too many.
   * @throws Error without a mail server
   */
  send(account: Account | null, page: URL): Promise<void>;
  /**
   * Sets the password and ends all sessions of the user.
   * @throws INVALID_PAYLOAD for a password that is too short or fails the validation of its field; INVALID_TOKEN,
   * TOKEN_EXPIRED; FORBIDDEN when the token was used or the account changed since
   */
  setPassword(input: LinkInput, record: RecordChange): Promise<void>;
}

export interface LinkInput {
  readonly token: string;
  readonly password: string;
  readonly address: string;
}

/** The services that links of every kind need. */
export interface PasswordLinkServices extends Pick<AuthContext, 'database' | 'tokens' | 'attempts'> {
  /** `null`: no SMTP server is configured. */
  readonly send: SendMail | null;
  /** Checks a new password. @throws INVALID_PAYLOAD with what is required */
  readonly requirePassword: (password: string) => void;
}

/** A kind of links. */
export interface PasswordLinkKind {
  /** Purpose of the tokens, and kind of the attempts that limit mails. */
  readonly purpose: 'reset' | 'invite';
  /** Name of the templates of the mail. */
  readonly template: string;
  /** Status of the accounts that may have a link. */
  readonly status: string;
  /** Status that they get with the password; absent: the same. */
  readonly statusAfter?: string;
  /** Returns the URL of the page of this server. */
  readonly page: () => string;
  /** URLs of other pages that a request may name. */
  readonly pages: readonly string[];
  /** Why a page is refused. */
  readonly refusedPage: string;
  /** Lifetime of a link in milliseconds. */
  readonly ttl: number;
}

/** Creates the links of one kind. */
export const createPasswordLinks = (
  kind: PasswordLinkKind,
  { database, tokens, attempts, send, requirePassword }: PasswordLinkServices,
): PasswordLinks => {
  const { purpose, template, status, statusAfter, page: ownPage, ttl } = kind;
  const allowed = createAllowList(kind.pages);
  const isEligible = (account: Account): boolean =>
    account.status === status && account.provider === 'default';

  return {
    pageOf(url = ownPage()) {
      if (url !== ownPage() && !allowed.has(url)) throw invalidPayload(kind.refusedPage);
      return new URL(url);
    },
    async send(account, page) {
      if (send === null) throw new Error('no mail is sent without EMAIL_SMTP_HOST');
      if (account === null || account.email === null || !isEligible(account)) return;
      if (!(await attempts.count({ kind: purpose, account: account.id, address: '' }))) return;
      const link = new URL(page);
      const token = await tokens.sign(purpose, { id: account.id, state: stateOf(account) }, ttl);
      link.searchParams.set('token', token);
      const expires = printTime(Date.now() + ttl);
      const values = { site: new URL(ownPage()).host, link: link.href, expires };
      await send({ to: account.email, template, values });
    },
    async setPassword({ token, password, address }, record) {
      requirePassword(password);
      const { id, state } = await tokens.read(purpose, token);
      const account = isUuid(id) ? await findById(database, id) : null;
      if (account === null || state !== stateOf(account) || !isEligible(account)) throw tokenUsed();
      const hash = await hashPassword(password, networkOf(address));
      const update: AccountUpdate = {
        changes: { password: hash, ...(statusAfter !== undefined && { status: statusAfter }) },
        expected: { password: account.password, status },
        endsSessions: true,
        record,
      };
      if (!(await updateAccount(database, account.id, update))) throw tokenUsed();
    },
  };
};

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
