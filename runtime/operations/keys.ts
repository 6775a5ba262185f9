/** Bodies of `spec/operations/keys.yaml`: keys of the queue, each user their own. */
import type { Operations } from '../../generated/server/operations.js';
import { createKey } from '../queue/keys.js';
import { isId } from '../queue/ids.js';
import { deleteKey, listKeys } from '../queue/store/keys.js';
import { absent, accountOf, toTime, toTimeOrNull } from './own.js';
import type { OperationServices } from './services.js';

type Names = 'keysCreate' | 'keysList' | 'keysRevoke';

export const createKeyOperations = ({ database, loadQueue }: OperationServices): Pick<Operations, Names> => ({
  async keysCreate({ body }, context) {
    const { settings } = await loadQueue();
    const { name = null, models = null, expires_at: expires = null } = body;
    const account = await accountOf(context);
    const key = { account, name, models, expires: expires === null ? null : Date.parse(expires) };
    const made = await createKey(database, key, settings.secrets);
    return { data: { id: made.stored.id, key: made.key } };
  },

  async keysList(_input, context) {
    const keys = await listKeys(database, await accountOf(context));
    return {
      data: keys.map(({ id, name, models, created, expires, used }) => ({
        id,
        name,
        models: models === null ? null : [...models],
        created_at: toTime(created),
        expires_at: toTimeOrNull(expires),
        used_at: toTimeOrNull(used),
      })),
    };
  },

  async keysRevoke({ id }, context) {
    if (!isId(id) || !(await deleteKey(database, id, await accountOf(context)))) throw absent('key', id);
  },
});
