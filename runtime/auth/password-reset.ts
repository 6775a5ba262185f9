/** A new password by mail: a link for whoever has the address, good once and as long as nothing else changes. */
import { createHash } from 'node:crypto';
import { networkOf } from '../network/ip.js';
import { forbidden, invalidPayload } from '../../contract/errors.js';
import type { Database } from '../databases/contract.js';
import { hashPassword } from './passwords/hash.js';
import { findByEmail, findById, updateAccount, type RecordChange } from './accounts.js';
import { createAllowList } from './allow-list.js';
import type { Attempts } from './attempts.js';
import type { SendMail } from './mail.js';
import type { Account, Sessions } from './sessions.js';
import { isKey, type Tokens } from './tokens.js';

export interface PasswordReset {
  /**
   * What remains to be done, for later: whether somebody has the address shows neither in the answer nor in its time.
   * @throws INVALID_PAYLOAD for a page that is not allowed
   */
  request(asked: ResetRequest): () => Promise<void>;
  /** @throws INVALID_TOKEN, TOKEN_EXPIRED; FORBIDDEN for a token that was used or that something came before */
  reset(given: ResetProof, record: RecordChange): Promise<void>;
}

interface ResetRequest {
  readonly email: string;
  /** Page that the link leads to. */
  readonly page?: string;
}

interface ResetProof {
  readonly token: string;
  readonly password: string;
  readonly address: string;
}

export interface PasswordResetOptions {
  readonly database: Database;
  readonly tokens: Tokens;
  readonly sessions: Pick<Sessions, 'endAll'>;
  readonly attempts: Pick<Attempts, 'take'>;
  /** `null`: there is no server to send by. */
  readonly send: SendMail | null;
  /** Our own page. */
  readonly page: () => string;
  /** Pages that may be asked for instead. */
  readonly pages: readonly string[];
  /** Milliseconds. */
  readonly ttl: number;
}

export const createPasswordReset = (options: PasswordResetOptions): PasswordReset => {
  const { database, tokens, sessions, attempts, send, ttl } = options;
  const allowed = createAllowList(options.pages);

  const sendLink = async (email: string, page: URL): Promise<void> => {
    if (send === null) throw new Error('no mail is sent without EMAIL_SMTP_HOST');
    const account = await findByEmail(database, email);
    if (account === null || account.email === null || !mayReset(account)) return;
    if (!(await attempts.take({ kind: 'reset', account: account.id, address: '' }))) return;
    page.searchParams.set(
      'token',
      await tokens.sign('reset', { id: account.id, state: stateOf(account) }, ttl),
    );
    await send({
      to: account.email,
      template: 'password-reset',
      values: { site: new URL(options.page()).host, link: page.href, expires: sayTime(Date.now() + ttl) },
    });
  };

  return {
    request({ email, page = options.page() }) {
      const isOwn = page === options.page();
      if (!isOwn && !allowed.has(page))
        throw invalidPayload('"reset_url" is not among PASSWORD_RESET_URL_ALLOW_LIST');
      return () => sendLink(email, new URL(page));
    },
    async reset({ token, password, address }, record) {
      const { id, state } = await tokens.read('reset', token);
      const account = isKey(id) ? await findById(database, id) : null;
      if (account === null || state !== stateOf(account) || !mayReset(account)) throw spent();
      const changes = { password: await hashPassword(password, networkOf(address)) };
      const held = { password: account.password };
      if (!(await updateAccount(database, account.id, { changes, held, record }))) throw spent();
      await sessions.endAll(account.id);
    },
  };
};

const mayReset = ({ status, provider }: Account): boolean => status === 'active' && provider === 'default';

/** A token ends with the password and with the address it was sent to. */
const stateOf = ({ email, password }: Account): string =>
  createHash('sha256')
    .update(JSON.stringify([email, password]))
    .digest('base64url');

const spent = () => forbidden('the token was used, or something changed since; ask for another mail');

/** `2026-01-31 14:05 UTC` */
const sayTime = (moment: number): string =>
  `${new Date(moment).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
