/** Workflows started by schedules. */
import { proxyActivities } from '@temporalio/workflow';
import type { SweepReport, createHousekeepingActivities } from '../activities/housekeeping.js';

const activities = proxyActivities<ReturnType<typeof createHousekeepingActivities>>({
  startToCloseTimeout: '5m',
  // no other run begins before the one of a worker that died has ended
  heartbeatTimeout: '20s',
  // the next run of the schedule repeats a failed one
  retry: { maximumAttempts: 1 },
});

/** Runs the activity of the same name, by a schedule. */
export async function sweep(): Promise<SweepReport> {
  return activities.sweep();
}

/** Runs the activity of the same name, by a schedule. @returns the number of deleted rows */
export async function expire(): Promise<number> {
  return activities.expire();
}
