/**
 * The version of the access rows: every change of them, or of rows they depend on, increments it in the same
 * transaction.
 */
import type { Executor } from '../databases/contract.js';

/** Increments the access version: every process reloads its access rows before its next response. */
export const bumpAccessVersion = async (executor: Pick<Executor, 'write'>): Promise<void> => {
  await executor.write({
    text: 'update svc_access_version set version = version + 1 where id = 1',
    values: [],
  });
};
