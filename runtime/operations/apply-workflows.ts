/** The workflows that run applies of the schema, for operations that change it. */
import type { Config } from '../config/config.js';
import type { ApplyWorkflows } from '../schema/apply/options.js';

/** Returns the workflows of the configured Temporal; undefined without one. */
export const loadWorkflows = async ({
  temporal,
}: Pick<Config, 'temporal'>): Promise<ApplyWorkflows | undefined> => {
  if (temporal.address === null) return undefined;
  const { createApplyWorkflows } = await import('../queue/temporal/schema-applies.js');
  return createApplyWorkflows(temporal);
};
