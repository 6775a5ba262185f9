/** Handlers of `spec/operations/keys.yaml`: users manage their own queue keys, administrators all. */
import type { Operations } from '../../generated/server/operations.js';
import { forbidden, invalidPayload } from '../../contract/errors.js';
import { quoted } from '../../contract/quoted.js';
import { allows, createKey } from '../queue/requests/keys.js';
import { isId } from '../queue/store/ids.js';
import { deleteKey, listKeys } from '../queue/store/keys.js';
import { preventCaching } from './token-response.js';
import { accountOf } from './caller.js';
import { notFound } from './not-found.js';
import { fromTime, toTime, toTimeOrNull } from './times.js';
import type { OperationServices } from './services.js';

type Names = 'keysCreate' | 'keysList' | 'keysRevoke';

/** Creates the handlers of keys. The secret of a key is in the answer that creates it, and nowhere else. */
export const createKeyOperations = ({ database, loadQueue }: OperationServices): Pick<Operations, Names> => ({
  async keysCreate({ body }, context) {
    preventCaching(context);
    const { settings, models: known } = await loadQueue();
    const { name = null, models = null, expires_at: end = null } = body;
    const expires = end === null ? null : fromTime('expires_at', end, invalidPayload);
    if (expires !== null && expires <= Date.now())
      throw invalidPayload('"expires_at" is in the past; expected a later time, or none');
    const ids = known.all.map((model) => model.id);
    const unknown = (models ?? []).filter((pattern) => !ids.some((id) => allows([pattern], id)));
    if (unknown.length > 0)
      throw invalidPayload(`no model matches ${quoted(unknown)}; expected ids such as ${ids[0]}, or a/*`);
    const account = await accountOf(context);
    const created = await createKey(database, { account, name, models, expires }, settings.secrets);
    return { data: { id: created.stored.id, key: created.key } };
  },

  async keysList({ user }, context) {
    const account = await accountOf(context);
    const { policies } = await context.principal();
    if (user !== undefined && user !== account && !policies.admin) {
      throw forbidden('only administrators may list the keys of other users');
    }
    const keys = await listKeys(database, user ?? account);
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
    const { policies } = await context.principal();
    const account = policies.admin ? null : await accountOf(context);
    if (!isId(id) || !(await deleteKey(database, id, account))) throw notFound('key', id);
  },
});
