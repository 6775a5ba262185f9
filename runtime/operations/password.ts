/** Handlers of `spec/operations/auth.yaml` for password resets. */
import type { Operations } from '../../generated/server/operations.js';
import type { AuthContext } from '../auth/context.js';
import { createMailer } from '../auth/mail.js';
import { createPasswordReset } from '../auth/password-reset.js';
import type { Collection } from '../../contract/collection.js';
import { apiError } from '../../contract/errors.js';
import { requireFieldValue } from '../items/field-value.js';
import { recordChanges } from './activity.js';
import type { OperationServices } from './services.js';

/** Creates the handlers, which answer alike whether or not an address belongs to a user. */
export const createPasswordOperations = (services: OperationServices, auth: AuthContext) => {
  const { config, url, background, registry } = services;
  const users = registry.collections.get('svc_users') as Collection;
  const passwordReset = createPasswordReset({
    ...auth,
    send: createMailer(config.mail),
    page: () => `${url()}/reset-password`,
    pages: config.auth.resetUrls,
    requirePassword: (password) => requireFieldValue(users, 'password', password),
    ttl: config.auth.resetTtl,
  });

  /** @throws ROUTE_NOT_FOUND when password login is disabled */
  const requirePasswords = (path: string): void => {
    if (config.auth.disableDefault) throw apiError('ROUTE_NOT_FOUND', { path });
  };

  return {
    async authPasswordRequest({ body: { email, reset_url: page } }) {
      requirePasswords('/auth/password/request');
      const send = passwordReset.request({ email, ...(page !== undefined && { page }) });
      background.run('password reset', send);
    },

    async authPasswordReset({ body: { token, password } }, context) {
      requirePasswords('/auth/password/reset');
      const { address } = context.client;
      await passwordReset.reset({ token, password, address }, recordChanges(services, context));
    },
  } satisfies Partial<Operations>;
};
