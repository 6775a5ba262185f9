/** The version of the access rows: whoever changes them, or what they rest on, raises it in the same transaction. */
import type { Executor } from '../databases/contract.js';

/** Every process reads its access rules anew before its next answer. */
export const bumpAccessVersion = async (executor: Pick<Executor, 'write'>): Promise<void> => {
  await executor.write({
    text: 'update svc_access_version set version = version + 1 where id = 1',
    values: [],
  });
};
