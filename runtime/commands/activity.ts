/** `svc activity …`: manages the activity log. */
import { Command, InvalidArgumentError } from 'commander';
import { plural } from '../../contract/plural.js';
import { Refusal } from '../config/refusal.js';
import { pruneActivity, retentionDays } from '../schema/activity.js';
import { action, printLine, printJson } from './output.js';
import { withDatabase } from './with-database.js';

/** Creates `svc activity`. `prune` exits with 1 where no retention is set. */
export const activityCommand = (): Command =>
  new Command('activity').description('manage the activity log').addCommand(pruneCommand());

const pruneCommand = (): Command =>
  new Command('prune')
    .description('delete activity older than the setting "activity_days"')
    .option('--days <number>', 'delete activity older than this number of days instead', parseDays)
    .option('--json', 'print the result as JSON')
    .action(
      action(async ({ days, json }: { days?: number; json?: true }) => {
        const report = await withDatabase(async (database) => {
          const retention = days ?? (await retentionDays(database));
          if (retention === null)
            throw new Refusal('activity is kept indefinitely; set "activity_days" or pass --days');
          return { days: retention, deleted: await pruneActivity(database, retention) };
        });
        if (json === true) printJson(report);
        else printLine(`deleted ${plural(report.deleted, 'row')} older than ${report.days} days`);
        return 0;
      }),
    );

const parseDays = (text: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new InvalidArgumentError('expected a whole number of days, from 1 to 99999');
  return Number(text);
};
