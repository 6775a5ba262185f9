/** Activity of user records that are changed otherwise than as items. */
import type { RecordChange } from '../auth/accounts.js';
import { recordActivity } from '../items/activity.js';
import { clientOf, type OperationContext } from './context.js';
import type { OperationServices } from './services.js';

/** @param by who changes it; left out: the user whose record it is, as a mail or a provider has shown */
export const recordChanges =
  (
    { registry, dialect }: Pick<OperationServices, 'registry' | 'dialect'>,
    context: OperationContext,
    by?: { readonly id: string } | null,
  ): RecordChange =>
  async ({ action, user, fields }, executor) => {
    const collection = registry.collections.get('svc_users');
    if (collection === undefined) return;
    await recordActivity([{ collection, action, keys: [[user]], fields }], executor, {
      registry,
      dialect,
      principal: { user: by === undefined ? { id: user } : by },
      client: clientOf(context),
      now: new Date(),
    });
  };
