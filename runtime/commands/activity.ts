/** `svc activity …`: manages the activity log. */
import { Command, InvalidArgumentError } from 'commander';
import { Refusal } from '../config/refusal.js';
import { pruneActivity, retentionDays } from '../schema/activity.js';
import { action, printLine, printJson } from './output.js';
import { withDatabase } from './with-database.js';

export const activityCommand = (): Command =>
  new Command('activity').description('keep the record of changes short').addCommand(pruneCommand());

const pruneCommand = (): Command =>
  new Command('prune')
    .description('delete activity that is older than the setting "activity_days" says')
    .option('--days <number>', 'delete what is older than this instead', parseDays)
    .option('--json', 'print what was done as JSON')
    .action(
      action(async ({ days, json }: { days?: number; json?: true }) => {
        const report = await withDatabase(async (database) => {
          const kept = days ?? (await retentionDays(database));
          if (kept === null)
            throw new Refusal('activity is kept for ever; set "activity_days" or give --days');
          return { days: kept, deleted: await pruneActivity(database, kept) };
        });
        if (json === true) printJson(report);
        else printLine(`${report.deleted} rows older than ${report.days} days deleted`);
        return 0;
      }),
    );

const parseDays = (text: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('expected a number of days, 1 or more');
  return Number(text);
};
