/** The least that Temporal can do: what the queue is measured against. */
import { proxyActivities } from '@temporalio/workflow';

const { echo } = proxyActivities<{ echo(input: object): Promise<object> }>({ startToCloseTimeout: '1m' });

export async function bare(input: object): Promise<object> {
  return echo(input);
}
