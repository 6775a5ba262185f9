/** Options with which commands find requests of any account; they are the filters of `GET /operator/requests`. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { Refusal } from '../config/refusal.js';
import type { Database } from '../databases/contract.js';
import type { RequestSearch } from '../queue/store/operator-search.js';

const states = ['waiting', 'admitted', 'running', 'ended'] as const;
const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/** Values of the options. */
export interface SearchFlags {
  readonly account?: string;
  readonly model?: string;
  readonly state?: (typeof states)[number];
  readonly error?: string;
  readonly httpStatus?: number;
  readonly endpoint?: string;
  readonly delivery?: (typeof deliveryStates)[number];
  readonly tag?: string;
  readonly trace?: string;
  readonly after?: string;
  readonly before?: string;
}

/** Adds the options to a command. */
export const addSearchOptions = (command: Command): Command =>
  command
    .option('--account <id>', 'only requests of this account, by id or e-mail address')
    .option('--model <id>', 'only requests to this model')
    .addOption(new Option('--state <state>', 'only requests in this state').choices(states))
    .option('--error <type>', 'only requests that ended with this error type')
    .option('--http-status <number>', 'only requests whose result has this status', toStatus)
    .option('--endpoint <origin>', 'only requests whose webhook goes to this scheme, host and port')
    .addOption(
      new Option('--delivery <state>', 'only requests whose webhook is in this state').choices(
        deliveryStates,
      ),
    )
    .option('--tag <tag>', 'only requests with this tag, as key=value', toTag)
    .option('--trace <id>', 'only requests of this trace')
    .option('--after <time>', 'only requests created after this time, as ISO 8601')
    .option('--before <time>', 'only requests created before this time, as ISO 8601');

const toStatus = (text: string): number => {
  if (!/^[1-5]\d\d$/.test(text)) throw new InvalidArgumentError('expected a status of HTTP, such as 500');
  return Number(text);
};

const toTag = (text: string): string => {
  if (!/^[a-z0-9._-]{1,64}=/.test(text)) throw new InvalidArgumentError('expected key=value');
  return text;
};

/** Converts the options to a search. @throws Refusal for an account or a time that cannot be read */
export const readSearch = async (flags: SearchFlags, database: Database): Promise<RequestSearch> => {
  const { state, error, httpStatus, trace, account, model, endpoint, delivery, tag, after, before } = flags;
  const { toSearch } = await import('../operations/operator.js');
  const filter = {
    ...(error !== undefined && { error_type: error }),
    ...(httpStatus !== undefined && { http_status: httpStatus }),
    ...(trace !== undefined && { trace_id: trace }),
    ...(account !== undefined && { account }),
    ...(model !== undefined && { model }),
    ...(endpoint !== undefined && { endpoint }),
    ...(delivery !== undefined && { delivery }),
    ...(tag !== undefined && { tag }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  };
  const search = await toSearch(filter, database, (reason) => new Refusal(reason));
  return { ...search, ...(state !== undefined && { states: [state] }) };
};
