/** Handlers of `spec/operations/tfa.yaml`. */
import type { Operations } from '../../generated/server/operations.js';
import { createAttempts } from '../auth/attempts.js';
import { createOfferedSecrets } from '../auth/offered-secrets.js';
import { createOneTimePasswords, type Caller } from '../auth/one-time.js';
import { apiError } from '../../contract/errors.js';
import { recordChanges } from './activity.js';
import type { OperationContext } from './context.js';
import { preventCaching } from './token-response.js';
import type { OperationServices } from './services.js';

export const createTfaOperations = (services: OperationServices) => {
  const { database, keys } = services;
  const oneTime = createOneTimePasswords({
    database,
    attempts: createAttempts(database),
    secrets: createOfferedSecrets(keys),
  });

  /** @throws INVALID_CREDENTIALS without a user */
  const callerOf = async (context: OperationContext): Promise<Caller> => {
    const { user, session, credentialDigest } = await context.principal();
    if (user === null) throw apiError('INVALID_CREDENTIALS', {});
    const { address } = context.client;
    const record = recordChanges(services, context, user);
    return { user: user.id, session, credentialDigest, address, record };
  };

  return {
    async tfaGenerate({ body }, context) {
      preventCaching(context);
      const { secret, url } = await oneTime.generate(await callerOf(context), body.password);
      return { data: { secret, otpauth_url: url } };
    },

    async tfaEnable({ body }, context) {
      await oneTime.enable(await callerOf(context), body);
    },

    async tfaDisable({ body }, context) {
      await oneTime.disable(await callerOf(context), body.otp);
    },

    async tfaReset({ id }, context) {
      const { user } = await context.principal();
      await oneTime.reset(id, recordChanges(services, context, user));
    },
  } satisfies Partial<Operations>;
};
