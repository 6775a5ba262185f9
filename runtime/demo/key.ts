import { createKeys, exportSecrets } from '../auth/keys.js';
import type { Config } from '../config/config.js';
import type { Database } from '../databases/contract.js';
import { findRow } from '../execute/system-rows.js';
import { createKey } from '../queue/requests/keys.js';
import { listKeys } from '../queue/store/keys.js';

const name = 'demo';

/** Creates the administrator's key of the queue, once. @returns null if it was created before */
export const createDemoKey = async (database: Database, config: Config): Promise<string | null> => {
  const where = { email: config.admin.email };
  const user = await findRow(database, 'svc_users', { where, columns: ['id'] });
  if (user === undefined) return null;
  const account = user.id;
  const known = await listKeys(database, account);
  if (known.some((key) => key.name === name)) return null;
  const secrets = await exportSecrets(createKeys(config.secret));
  return (await createKey(database, { account, name, models: null, expires: null }, secrets)).key;
};
