/**
 * The counter of changes to users, roles, policies, access and permissions: one row, read inside every statement
 * of a request. Internal: no collection, and introspection does not show it.
 */
import type { Executor } from '../databases/contract.js';

/** Creates the table and its row where they are missing. Safe to repeat. */
export const ensureAccessVersion = async (executor: Pick<Executor, 'query' | 'write'>): Promise<void> => {
  await executor.write({
    text: 'create table if not exists svc_access_version (id integer not null primary key, version bigint not null)',
    values: [],
  });
  const found = await executor.query('select version from svc_access_version where id = 1');
  if (found.length === 0) {
    await executor.write({ text: 'insert into svc_access_version (id, version) values (1, 1)', values: [] });
  }
};
