/** Each quota of accounts (`svc_quotas`) belongs to either a user or a role. */
import { invalidPayload } from '../../contract/errors.js';
import type { Executor } from '../databases/contract.js';
import { findRows } from '../execute/system-rows.js';
import type { CompletedWrite } from '../execute/write-transaction.js';

/** Quotas per statement. */
const batchSize = 1_000;

/** Checks the quotas that were written, in the transaction. @throws INVALID_PAYLOAD */
export const requireQuotaOwners = async (
  written: readonly CompletedWrite[],
  executor: Executor,
): Promise<void> => {
  const ids = written
    .filter(({ collection, action }) => collection.name === 'svc_quotas' && action !== 'delete')
    .flatMap(({ keys }) => keys.map(String));
  for (let from = 0; from < ids.length; from += batchSize) {
    const where = { id: ids.slice(from, from + batchSize) };
    const rows = await findRows(executor, 'svc_quotas', { where, columns: ['user', 'role'] });
    if (rows.some(({ user, role }) => (user === null) === (role === null)))
      throw invalidPayload(
        'a quota belongs to either a user or a role; set exactly one of "user" and "role"',
      );
  }
};
