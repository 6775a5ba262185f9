/** `svc requests …`: finds requests of any account, and acts on those that match. */
import { Command, Option } from 'commander';
import { Refusal } from '../config/refusal.js';
import { applicableSearch } from '../queue/operator/action-search.js';
import { recordAct } from '../queue/operator/immediate-actions.js';
import { listRequestAttempts } from '../queue/store/attempts.js';
import { findDeliveriesOf, listAttempts } from '../queue/store/deliveries.js';
import { createId, isId } from '../queue/store/ids.js';
import { bulkActions, insertAction, type BulkAction } from '../queue/store/operator-actions.js';
import { countRequests, searchRequests, type RequestSearch } from '../queue/store/operator-search.js';
import { findRequest } from '../queue/store/requests.js';
import type { RequestHead } from '../queue/store/request-head.js';
import { action, printJson, printLine } from './output.js';
import { withDatabase } from './with-database.js';

const states = ['waiting', 'admitted', 'running', 'ended'] as const;

interface Flags {
  readonly account?: string;
  readonly model?: string;
  readonly state?: (typeof states)[number];
  readonly error?: string;
  readonly endpoint?: string;
  readonly trace?: string;
  readonly limit?: string;
  readonly json?: true;
  readonly dryRun?: true;
  readonly reason?: string;
}

/** Creates `svc requests`. Its actions take the filters of `list`; `--dry-run` only counts. */
export const requestsCommand = (): Command => {
  const command = new Command('requests')
    .description('find requests of any account, and act on those that match')
    .addCommand(listCommand())
    .addCommand(showCommand());
  for (const name of bulkActions) command.addCommand(bulkCommand(name));
  return command;
};

/** Adds the options of a search to a command. */
const searching = (command: Command): Command =>
  command
    .option('--account <id>', 'only requests of this account')
    .option('--model <id>', 'only requests to this model')
    .addOption(new Option('--state <state>', 'only requests in this state').choices(states))
    .option('--error <type>', 'only requests that ended with this error type')
    .option('--endpoint <origin>', 'only requests whose webhook goes to this scheme, host and port')
    .option('--trace <id>', 'only requests of this trace');

const toSearch = ({ account, model, state, error, endpoint, trace }: Flags): RequestSearch => ({
  ...(account !== undefined && { account }),
  ...(model !== undefined && { model }),
  ...(state !== undefined && { states: [state] }),
  ...(error !== undefined && { errorType: error }),
  ...(endpoint !== undefined && { endpoint }),
  ...(trace !== undefined && { traceId: trace }),
});

const listCommand = (): Command =>
  searching(new Command('list'))
    .description('list requests, newest first')
    .option('--limit <number>', 'maximum number of requests', '50')
    .option('--json', 'print the requests as JSON')
    .action(
      action(async (flags: Flags) => {
        const limit = Number(flags.limit);
        if (!Number.isInteger(limit) || limit < 1)
          throw new Refusal('--limit has to be a whole number above 0');
        const found = await withDatabase((database) => searchRequests(database, toSearch(flags), { limit }));
        if (flags.json === true) printJson(found);
        else for (const request of found) printLine(requestToLine(request));
        return 0;
      }),
    );

const requestToLine = ({ id, state, model, account, errorType, attempts, created }: RequestHead): string =>
  [id, new Date(created).toISOString(), state, model, account, `${attempts} attempts`, errorType ?? '']
    .join('  ')
    .trimEnd();

const showCommand = (): Command =>
  new Command('show')
    .description('show a request with its attempts and deliveries, as JSON')
    .argument('<id>')
    .action(
      action(async (id: string) => {
        const shown = await withDatabase(async (database) => {
          const request = isId(id) ? await findRequest(database, id) : null;
          if (request === null) throw new Refusal(`there is no request ${id}`);
          const deliveries = await findDeliveriesOf(database, id);
          return {
            request,
            attempts: await listRequestAttempts(database, id),
            deliveries: await Promise.all(
              deliveries.map(async (delivery) =>
                Object.assign({ tried: await listAttempts(database, delivery.id) }, delivery),
              ),
            ),
          };
        });
        printJson(shown);
        return 0;
      }),
    );

const descriptions: Readonly<Record<BulkAction, string>> = {
  cancel: 'cancel matching requests of the last seven days',
  retry: 'run matching requests that have ended again, from the start',
  redeliver: 'send the failed webhooks of matching requests again',
  release: 'run matching requests that wait, although no slot is free',
};

/** Stores the action; a worker with the role housekeeping takes it within ten seconds. */
const bulkCommand = (name: BulkAction): Command =>
  searching(new Command(name))
    .description(descriptions[name])
    .option('--dry-run', 'only print how many requests match')
    .option('--reason <text>', 'reason, shown to other operators')
    .action(
      action(async (flags: Flags) => {
        const { dryRun = false, reason = null } = flags;
        const search = applicableSearch(name, toSearch(flags));
        const [total, id] = await withDatabase(async (database) => {
          const count = await countRequests(database, search);
          if (dryRun || count === 0) return [count, null] as const;
          const stored = { id: createId(), action: name, search, reason, user: null, total: count };
          await insertAction(database, { ...stored, created: Date.now() }, 0);
          await recordAct(database, { action: name, item: stored.id }, { reason });
          return [count, stored.id] as const;
        });
        printLine(id === null ? `${total} requests match` : `${total} requests match; action ${id} begins`);
        return 0;
      }),
    );
