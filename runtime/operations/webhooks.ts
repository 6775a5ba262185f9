/** Handlers of `spec/operations/webhooks.yaml`: webhook secrets and test deliveries. */
import type { Operations } from '../../generated/server/operations.js';
import { unprocessable } from '../../contract/errors.js';
import { createId } from '../queue/store/ids.js';
import { insertDelivery } from '../queue/store/deliveries.js';
import { rotateWebhookSecret, webhookSecrets } from '../queue/store/secrets.js';
import { findTargetError } from '../queue/webhooks/target.js';
import type { OperationContext } from './context.js';
import { preventCaching } from './token-response.js';
import { unlimitedAccountOf } from './caller.js';
import type { OperationServices } from './services.js';

type Names = 'webhooksSecret' | 'webhooksSecretRotate' | 'webhooksTest';

/** Creates the handlers. Secrets are shown to their account alone, and those answers are never cached. */
export const createWebhookOperations = (services: OperationServices): Pick<Operations, Names> => {
  const { database, loadQueue } = services;
  const showSecrets = async (account: string, context: OperationContext) => {
    preventCaching(context);
    return { data: { secrets: [...(await webhookSecrets(database, account, Date.now()))] } };
  };

  return {
    webhooksSecret: async (_input, context) => showSecrets(await unlimitedAccountOf(context), context),

    async webhooksSecretRotate(_input, context) {
      const account = await unlimitedAccountOf(context);
      await rotateWebhookSecret(database, account, Date.now());
      return showSecrets(account, context);
    },

    async webhooksTest({ body: { url } }, context) {
      const { lifecycle, settings } = await loadQueue();
      const refusal = findTargetError(url, settings.webhookPolicy);
      if (refusal !== null) throw unprocessable(refusal);
      const id = createId();
      const account = await unlimitedAccountOf(context);
      lifecycle.scheduleDelivery(
        await insertDelivery(database, { id, request: null, account, url, created: Date.now() }),
      );
      return { data: { id } };
    },
  };
};
