/** `svc workers …`: lists the worker processes of the queue, and drains them. */
import { Command } from 'commander';
import { plural } from '../../contract/plural.js';
import { Refusal } from '../config/refusal.js';
import { actAtOnce } from '../queue/operator/immediate-actions.js';
import { listWorkers } from '../queue/store/operator-counts.js';
import { action, printJson, printLine } from './output.js';
import { withDatabase } from './with-database.js';

/**
 * Creates `svc workers`, which reads and writes the database; a worker sees that it is to drain within
 * seconds.
 */
export const workersCommand = (): Command =>
  new Command('workers')
    .description('list the worker processes of the queue, and drain them')
    .addCommand(listCommand())
    .addCommand(drainCommand());

const listCommand = (): Command =>
  new Command('list')
    .description('list worker processes, and those that were lost within the last hour')
    .option('--json', 'print them as JSON')
    .action(
      action(async ({ json }: { readonly json?: true }) => {
        const workers = await withDatabase((database) => listWorkers(database, Date.now()));
        if (json === true) printJson(workers);
        else
          for (const { id, state, tasks, roles, classes } of workers)
            printLine([id, state, plural(tasks, 'task'), roles.join(), classes.join()].join('  ').trimEnd());
        return 0;
      }),
    );

const drainCommand = (): Command =>
  new Command('drain')
    .description('let workers finish what they run, take nothing new and end')
    .argument('<ids...>')
    .option('--reason <text>', 'reason, shown to other operators')
    .action(
      action(async (ids: readonly string[], { reason }: { readonly reason?: string }) => {
        const workers = [...new Set(ids)];
        const { done } = await withDatabase((database) =>
          actAtOnce(database, { action: 'drain', workers }, { reason: reason ?? null }),
        );
        if (done < workers.length)
          throw new Refusal(`${done} of ${workers.length} workers exist and drain; see "svc workers list"`);
        printLine(`${done} draining`);
        return 0;
      }),
    );
