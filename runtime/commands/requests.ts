/** `svc requests …`: finds requests of any account, and acts on those that match. */
import { Command } from 'commander';
import { plural } from '../../contract/plural.js';
import { Refusal } from '../config/refusal.js';
import type { Database } from '../databases/contract.js';
import { applicableSearch } from '../queue/operator/action-search.js';
import { recordAct } from '../queue/operator/immediate-actions.js';
import { listRequestAttempts } from '../queue/store/attempts.js';
import { findDeliveriesOf, listAttempts } from '../queue/store/deliveries.js';
import { createId, isId } from '../queue/store/ids.js';
import {
  bulkActions,
  endAction,
  findAction,
  insertAction,
  type BulkAction,
} from '../queue/store/operator-actions.js';
import { countRequests, searchRequests, type RequestSearch } from '../queue/store/operator-search.js';
import { findRequest } from '../queue/store/requests.js';
import type { RequestHead } from '../queue/store/request-head.js';
import { action, printJson, printLine } from './output.js';
import { pauseCommand } from './pauses.js';
import { addSearchOptions, readSearch, type SearchFlags } from './request-search.js';
import { withDatabase } from './with-database.js';

interface ListFlags extends SearchFlags {
  readonly limit: string;
  readonly json?: true;
}

interface BulkFlags extends SearchFlags {
  readonly dryRun?: true;
  readonly reason?: string;
}

/** Creates `svc requests`. Its actions take ids, or the filters of `list`; `--dry-run` only counts. */
export const requestsCommand = (): Command => {
  const command = new Command('requests')
    .description('find requests of any account, act on them, and pause what they need')
    .addCommand(listCommand())
    .addCommand(showCommand());
  for (const name of bulkActions) command.addCommand(bulkCommand(name));
  return command
    .addCommand(actionCommand())
    .addCommand(pauseCommand('pause'))
    .addCommand(pauseCommand('resume'));
};

const listCommand = (): Command =>
  addSearchOptions(new Command('list'))
    .description('list requests, newest first')
    .option('--limit <number>', 'maximum number of requests', '50')
    .option('--json', 'print the requests as JSON')
    .action(
      action(async (flags: ListFlags) => {
        const limit = Number(flags.limit);
        if (!Number.isInteger(limit) || limit < 1)
          throw new Refusal('--limit has to be a whole number above 0');
        const found = await withDatabase(async (database) =>
          searchRequests(database, await readSearch(flags, database), { limit }),
        );
        if (flags.json === true) printJson(found);
        else for (const request of found) printLine(requestToLine(request));
        return 0;
      }),
    );

const requestToLine = ({ id, state, model, account, errorType, attempts, created }: RequestHead): string =>
  [id, new Date(created).toISOString(), state, model, account, plural(attempts, 'attempt'), errorType ?? '']
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

/** @throws Refusal for ids beside a filter, for neither, and for what is no id */
const toBulkSearch = async (
  ids: readonly string[],
  flags: SearchFlags,
  database: Database,
): Promise<RequestSearch> => {
  if (ids.length === 0) {
    // a variable of a script that holds no id must not act on every account
    if (Object.keys(flags).length === 0)
      throw new Refusal(
        'pass ids, or options that search, such as --model; --before with the present time matches all',
      );
    return readSearch(flags, database);
  }
  if (Object.keys(flags).length > 0) throw new Refusal('pass either ids or options that search');
  const others = ids.filter((id) => !isId(id));
  if (others.length > 0) throw new Refusal(`not ids of requests: ${others.join(', ')}`);
  return { ids };
};

const descriptions: Readonly<Record<BulkAction, string>> = {
  cancel: 'cancel matching requests of the last seven days',
  retry: 'run matching requests that have ended again, from the start',
  redeliver: 'send the failed webhooks of matching requests again',
  release: 'run matching requests that wait, although no slot is free',
};

/** Stores the action; a worker with the role housekeeping takes it within ten seconds. */
const bulkCommand = (name: BulkAction): Command =>
  addSearchOptions(new Command(name))
    .description(descriptions[name])
    .argument('[ids...]', 'requests to act on, instead of those that match')
    .option('--dry-run', 'only print how many requests match')
    .option('--reason <text>', 'reason, shown to other operators')
    .action(
      action(async (ids: readonly string[], { dryRun, reason: given, ...flags }: BulkFlags) => {
        const reason = given ?? null;
        const [total, id] = await withDatabase(async (database) => {
          const search = applicableSearch(name, await toBulkSearch(ids, flags, database));
          const count = await countRequests(database, search);
          if (dryRun === true || count === 0) return [count, null] as const;
          const stored = { id: createId(), action: name, search, reason, user: null, total: count };
          await insertAction(database, { ...stored, created: Date.now() }, 0);
          await recordAct(database, { action: name, item: stored.id }, { reason });
          return [count, stored.id] as const;
        });
        const matched = `${plural(total, 'request')} ${total === 1 ? 'matches' : 'match'}`;
        printLine(id === null ? matched : `${matched}; action ${id} begins`);
        return 0;
      }),
    );

const actionCommand = (): Command =>
  new Command('action')
    .description('show how far an action has come, or abort it; what it has done stays')
    .argument('<id>')
    .option('--abort', 'abort it')
    .option('--json', 'print it as JSON')
    .action(
      action(async (id: string, { abort, json }: { readonly abort?: true; readonly json?: true }) => {
        const found = await withDatabase(async (database) => {
          const stored = isId(id) ? await findAction(database, id) : null;
          if (stored === null) throw new Refusal(`there is no action ${id}`);
          if (abort !== true) return stored;
          if (!(await endAction(database, id, 'aborted'))) throw new Refusal('the action has already ended');
          await recordAct(database, { action: 'abort', item: id }, { reason: null });
          return (await findAction(database, id)) ?? stored;
        });
        const { action: name, state, done, failed, total, errors } = found;
        if (json === true) printJson(found);
        else printLine(`${name} ${state}: ${done} done and ${failed} not of ${total}`);
        for (const { request, message } of json === true ? [] : errors) printLine(`${request}  ${message}`);
        return 0;
      }),
    );
