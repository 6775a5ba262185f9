/** Lists requests: those of an account, and those that the sweep looks after. */
import { findRows, listPlaceholders, type Statements } from '../../execute/system-rows.js';
import { tagCondition } from './operator-search.js';
import { headColumns, toHead, type RequestHead, type RequestState } from './request-head.js';

export interface UnstartedOptions {
  readonly state: 'waiting' | 'admitted';
  /** Ids of the models; at least one. */
  readonly models: readonly string[];
  /** Unix time in milliseconds before which the request was created. */
  readonly before: number;
  readonly limit: number;
}

/** Returns requests whose workflow may not exist or may not know of the slot, oldest first. */
export const findUnstarted = async (
  statements: Statements,
  { state, models, before, limit }: UnstartedOptions,
): Promise<readonly RequestHead[]> => {
  const rows = await findRows(statements, 'svc_requests', {
    where: { state, started: 0, model: models, date_created: { below: before } },
    columns: headColumns,
    order: ['date_created'],
    limit,
  });
  return rows.map(toHead);
};

/** Returns requests admitted before a time, ordered by id and with ids above `after`; their workflows must exist. */
export const findSlotHolders = async (
  statements: Statements,
  { before, after, limit }: { readonly before: number; readonly after: string; readonly limit: number },
): Promise<readonly RequestHead[]> => {
  const rows = await findRows(statements, 'svc_requests', {
    where: { state: ['admitted', 'running'], date_admitted: { below: before }, id: { above: after } },
    columns: headColumns,
    order: ['id'],
    limit,
  });
  return rows.map(toHead);
};

/** Returns waiting requests that had to start before a Unix time in milliseconds. */
export const findOverdue = async (
  statements: Statements,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly RequestHead[]> => {
  const rows = await findRows(statements, 'svc_requests', {
    where: { state: 'waiting', start_before: { below: before } },
    columns: headColumns,
    limit,
  });
  return rows.map(toHead);
};

export interface ListFilter {
  readonly account: string;
  readonly model?: string;
  /** Ids of models, or their beginning followed by `*`. */
  readonly models?: readonly string[];
  readonly states?: readonly RequestState[];
  readonly tag?: { readonly key: string; readonly value: string };
  /** Bounds of the creation time, exclusive, as Unix times in milliseconds. */
  readonly after?: number;
  readonly before?: number;
  readonly limit: number;
}

/** Returns the requests of an account that match a filter, newest first. */
export const listRequests = async (
  statements: Statements,
  filter: ListFilter,
): Promise<readonly RequestHead[]> => {
  const conditions = conditionsOf(filter);
  const rows = await statements.query(
    `select ${headColumns.join(', ')} from svc_requests where ${conditions.map(({ text }) => text).join(' and ')} ` +
      `order by date_created desc, id desc limit ${filter.limit}`,
    conditions.flatMap(({ values }) => values),
  );
  return (rows as unknown as Parameters<typeof toHead>[0][]).map(toHead);
};

interface Condition {
  readonly text: string;
  readonly values: readonly (string | number)[];
}

const conditionsOf = ({
  account,
  model,
  models,
  states,
  tag,
  after,
  before,
}: ListFilter): readonly Condition[] => [
  { text: 'account = ?', values: [account] },
  ...(model === undefined ? [] : [{ text: 'model = ?', values: [model] }]),
  ...(models === undefined ? [] : [modelCondition(models)]),
  ...(states === undefined ? [] : [stateCondition(states)]),
  ...(tag === undefined ? [] : [tagCondition(tag)]),
  ...(after === undefined ? [] : [{ text: 'date_created > ?', values: [after] }]),
  ...(before === undefined ? [] : [{ text: 'date_created < ?', values: [before] }]),
];

const modelCondition = (models: readonly string[]): Condition => {
  const conditions = models.map((pattern): Condition => {
    if (!pattern.endsWith('*')) return { text: 'model = ?', values: [pattern] };
    const start = pattern.slice(0, -1);
    return { text: `substr(model, 1, ${start.length}) = ?`, values: [start] };
  });
  const text = conditions.map((condition) => condition.text).join(' or ');
  return { text: `(${text})`, values: conditions.flatMap(({ values }) => values) };
};

const stateCondition = (states: readonly RequestState[]): Condition => {
  const list = listPlaceholders(states);
  return { text: `state in (${list.placeholders})`, values: list.values };
};
