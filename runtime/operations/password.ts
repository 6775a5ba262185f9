/** Handlers of `spec/operations/auth.yaml` for password resets. */
import type { Operations } from '../../generated/server/operations.js';
import { findByEmail } from '../auth/accounts.js';
import type { AuthContext } from '../auth/context.js';
import { createMailer } from '../auth/mail.js';
import { createPasswordLinks, type PasswordLinkServices } from '../auth/password-links.js';
import { apiError } from '../../contract/errors.js';
import type { Config } from '../config/config.js';
import { requireFieldValue } from '../items/field-value.js';
import { recordChanges } from './activity.js';
import { usersOf, type OperationServices } from './services.js';

/** Creates what the mails of resets and invitations share. */
export const createLinkServices = (services: OperationServices, auth: AuthContext): PasswordLinkServices => {
  const users = usersOf(services);
  return {
    ...auth,
    send: createMailer(services.config.mail),
    requirePassword: (password) => requireFieldValue(users, 'password', password),
  };
};

/** @throws ROUTE_NOT_FOUND when login with a password is disabled */
export const requirePasswords = ({ auth }: Pick<Config, 'auth'>, path: string): void => {
  if (auth.disableDefault) throw apiError('ROUTE_NOT_FOUND', { path });
};

/** Creates the handlers, which answer alike whether or not an address belongs to a user. */
export const createPasswordOperations = (services: OperationServices, shared: PasswordLinkServices) => {
  const { config, url, background, database } = services;
  const links = createPasswordLinks(
    {
      purpose: 'reset',
      template: 'password-reset',
      status: 'active',
      page: () => `${url()}/reset-password`,
      pages: config.auth.resetUrls,
      refusedPage: '"reset_url" is not in PASSWORD_RESET_URL_ALLOW_LIST',
      ttl: config.auth.resetTtl,
    },
    shared,
  );

  return {
    async authPasswordRequest({ body: { email, reset_url: target } }) {
      requirePasswords(config, '/auth/password/request');
      const page = links.pageOf(target);
      // after the response: neither it nor its duration shows whether an account has the address
      background.run('password reset', async () => links.send(await findByEmail(database, email), page));
    },

    async authPasswordReset({ body: { token, password } }, context) {
      requirePasswords(config, '/auth/password/reset');
      const { address } = context.client;
      await links.setPassword({ token, password, address }, recordChanges(services, context));
    },
  } satisfies Partial<Operations>;
};
