/** `svc deliveries …`: finds webhook deliveries of any account. */
import { Command, Option } from 'commander';
import { plural } from '../../contract/plural.js';
import { findDeliveries } from '../queue/store/deliveries.js';
import { searchDeliveries } from '../queue/store/operator-search.js';
import { action, printJson, printLine } from './output.js';
import { withDatabase } from './with-database.js';

interface Flags {
  readonly account?: string;
  readonly state?: string;
  readonly endpoint?: string;
  readonly json?: true;
}

const limit = 50;

/** Creates `svc deliveries`, which reads the database and needs no server. */
export const deliveriesCommand = (): Command =>
  new Command('deliveries').description('find webhook deliveries of any account').addCommand(listCommand());

const listCommand = (): Command =>
  new Command('list')
    .description(`list the ${limit} newest deliveries that match`)
    .option('--account <id>', 'only deliveries of this account')
    .addOption(
      new Option('--state <state>', 'only in this state').choices(['pending', 'delivered', 'failed']),
    )
    .option('--endpoint <origin>', 'only to this scheme, host and port')
    .option('--json', 'print them as JSON')
    .action(
      action(async ({ json, ...search }: Flags) => {
        const found = await withDatabase(async (database) =>
          findDeliveries(database, await searchDeliveries(database, search, { limit })),
        );
        const newestFirst = found.toSorted((a, b) => (a.id < b.id ? 1 : -1));
        if (json === true) printJson(newestFirst);
        for (const { id, state, attempts, account, url } of json === true ? [] : newestFirst)
          printLine(`${id}  ${state}  ${plural(attempts, 'attempt')}  ${account}  ${new URL(url).origin}`);
        return 0;
      }),
    );
