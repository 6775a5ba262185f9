/** Applies a difference to the schema: one activity, which goes on in another worker where one ends. */
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createSchemaActivities } from '../activities/schema.js';
import type { SchemaApplyInput } from '../../contract.js';

const { applySchema } = proxyActivities<ReturnType<typeof createSchemaActivities>>({
  // an index of a large table takes hours
  startToCloseTimeout: '30 days',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '30s' },
  // it stops between two steps, and records where
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  summary: 'change the tables',
});

/** Runs an apply of the schema. How it ended is in its row. */
export async function schemaApply(input: SchemaApplyInput): Promise<void> {
  await applySchema(input);
}
