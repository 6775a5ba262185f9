/** Records activity for changes of user records by operations. */
import type { RecordChange } from '../auth/accounts.js';
import { recordActivity } from '../items/activity.js';
import { clientOf, type OperationContext } from './context.js';
import { usersOf, type OperationServices } from './services.js';

/**
 * Creates the function that records changes of users.
 * @param by the user who makes the change; default: the changed user, whom a mail or an identity provider authenticated
 */
export const recordChanges =
  (
    { registry, dialect }: Pick<OperationServices, 'registry' | 'dialect'>,
    context: OperationContext,
    by?: { readonly id: string } | null,
  ): RecordChange =>
  async ({ action, user, fields }, executor) => {
    const collection = usersOf({ registry });
    await recordActivity([{ collection, action, keys: [[user]], fields }], executor, {
      registry,
      dialect,
      principal: { user: by === undefined ? { id: user } : by },
      client: clientOf(context),
      now: new Date(),
    });
  };
