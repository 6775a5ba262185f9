/** Combines the handlers of all operations; each area of the spec has its own file. */
import type { Operations } from '../../generated/server/operations.js';
import { createAuthContext } from '../auth/context.js';
import { createAuthOperations } from './auth.js';
import { createCollectionOperations } from './collections.js';
import { createInviteOperations } from './invite.js';
import { createKeyOperations } from './keys.js';
import { createMeOperations } from './me.js';
import { createOperatorActionOperations } from './operator-actions.js';
import { createOperatorOperations } from './operator.js';
import { createLinkServices, createPasswordOperations } from './password.js';
import { createRequestOperations } from './requests.js';
import { createSchemaOperations } from './schema.js';
import { createServerOperations } from './server.js';
import { createSignOnOperations } from './sign-on.js';
import type { OperationServices } from './services.js';
import { createTfaOperations } from './tfa.js';
import { createUtilsOperations } from './utils.js';
import { createWebhookOperations } from './webhooks.js';

/** Returns the handlers of all operations; a missing one is a compile error. */
export const createOperations = (services: OperationServices): Operations => {
  const auth = createAuthContext(services);
  const links = createLinkServices(services, auth);
  return {
    ...createMeOperations(services),
    ...createKeyOperations(services),
    ...createRequestOperations(services),
    ...createWebhookOperations(services),
    ...createOperatorOperations(services),
    ...createOperatorActionOperations(services),
    ...createSchemaOperations(services),
    ...createCollectionOperations(services),
    ...createServerOperations(services),
    ...createUtilsOperations(services),
    ...createTfaOperations(services, auth),
    ...createAuthOperations(auth, services.config.cookieSameSite),
    ...createPasswordOperations(services, links),
    ...createInviteOperations(services, links),
    ...createSignOnOperations(services, auth),
  };
};
