/** Handlers of `spec/operations/tfa.yaml`. */
import type { Operations } from '../../generated/server/operations.js';
import type { AuthContext } from '../auth/context.js';
import {
  disableCodes,
  enableCodes,
  generateSecret,
  resetCodes,
  type Caller,
} from '../auth/one-time-codes.js';
import { apiError } from '../../contract/errors.js';
import { recordChanges } from './activity.js';
import type { OperationContext } from './context.js';
import { preventCaching } from './token-response.js';
import type { OperationServices } from './services.js';

/** Creates the handlers for one-time passwords of the caller, and for administrators those of others. */
export const createTfaOperations = (services: OperationServices, auth: AuthContext) => {
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
      const { secret, url } = await generateSecret(await callerOf(context), body.password, auth);
      return { data: { secret, otpauth_url: url } };
    },

    async tfaEnable({ body }, context) {
      await enableCodes(await callerOf(context), body, auth);
    },

    async tfaDisable({ body }, context) {
      await disableCodes(await callerOf(context), body.otp, auth);
    },

    async tfaReset({ id }, context) {
      const { user } = await context.principal();
      await resetCodes(id, recordChanges(services, context, user), auth.database);
    },
  } satisfies Partial<Operations>;
};
