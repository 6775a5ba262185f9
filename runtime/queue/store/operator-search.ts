/** Searches requests and deliveries over all accounts, for operators. */
import { listPlaceholders, type Statements } from '../../execute/system-rows.js';
import { headColumns, toHead, type RequestHead, type RequestState } from './request-head.js';

export interface RequestSearch {
  readonly ids?: readonly string[];
  readonly account?: string;
  readonly model?: string;
  readonly states?: readonly RequestState[];
  readonly errorType?: string;
  readonly httpStatus?: number;
  /** Origin of the webhook: `https://example.com`. */
  readonly endpoint?: string;
  readonly deliveryState?: string;
  readonly tag?: { readonly key: string; readonly value: string };
  /** 32 hexadecimal digits. */
  readonly traceId?: string;
  /** Bounds of the creation time, exclusive, as Unix times in milliseconds. */
  readonly after?: number;
  readonly before?: number;
}

interface Condition {
  readonly text: string;
  readonly values: readonly (string | number)[];
}

export interface Page {
  readonly limit: number;
  /** Id of the last request of the page before; ids are in the order of creation. */
  readonly position?: string;
  /** Oldest first instead of newest first. */
  readonly ascending?: boolean;
}

/** Returns the requests that match a search, newest first. */
export const searchRequests = async (
  statements: Statements,
  search: RequestSearch,
  { limit, position, ascending = false }: Page,
): Promise<readonly RequestHead[]> => {
  const from: Condition[] =
    position === undefined ? [] : [{ text: `r.id ${ascending ? '>' : '<'} ?`, values: [position] }];
  const { text, values } = join([...conditionsOf(search), ...from]);
  const columns = headColumns.map((column) => `r.${column}`).join(', ');
  const rows = await statements.query(
    `select ${columns} from svc_requests r${text} order by r.id ${ascending ? 'asc' : 'desc'} limit ${limit}`,
    values,
  );
  return (rows as unknown as Parameters<typeof toHead>[0][]).map(toHead);
};

/** Counts all requests that match, which may take a while. */
export const countRequests = async (statements: Statements, search: RequestSearch): Promise<number> => {
  const { text, values } = join(conditionsOf(search));
  const [row] = await statements.query(`select count(*) as found from svc_requests r${text}`, values);
  return Number(row?.found ?? 0);
};

const join = (conditions: readonly Condition[]) => ({
  text: conditions.length === 0 ? '' : ` where ${conditions.map(({ text }) => text).join(' and ')}`,
  values: conditions.flatMap(({ values }) => values),
});

const conditionsOf = (search: RequestSearch): readonly Condition[] => {
  const { ids, account, model, states, errorType, httpStatus, tag, traceId, after, before } = search;
  return [
    ...(ids === undefined ? [] : [inCondition('r.id', ids)]),
    ...(states === undefined ? [] : [inCondition('r.state', states)]),
    ...equal('r.account', account),
    ...equal('r.model', model),
    ...equal('r.error_type', errorType),
    ...equal('r.http_status', httpStatus),
    ...deliveryCondition(search),
    ...(traceId === undefined ? [] : [traceCondition(traceId)]),
    ...(tag === undefined ? [] : [tagCondition(tag)]),
    ...(after === undefined ? [] : [{ text: 'r.date_created > ?', values: [after] }]),
    ...(before === undefined ? [] : [{ text: 'r.date_created < ?', values: [before] }]),
  ];
};

const equal = (column: string, value: string | number | undefined): readonly Condition[] =>
  value === undefined ? [] : [{ text: `${column} = ?`, values: [value] }];

const inCondition = (column: string, values: readonly string[]): Condition => {
  const list = listPlaceholders(values);
  return { text: `${column} in (${list.placeholders})`, values: list.values };
};

const deliveryCondition = ({ endpoint, deliveryState }: RequestSearch): readonly Condition[] => {
  const own = [...equal('d.origin', endpoint), ...equal('d.state', deliveryState)];
  if (own.length === 0) return [];
  const text = own.map((condition) => condition.text).join(' and ');
  return [
    {
      text: `exists (select 1 from svc_deliveries d where d.request = r.id and ${text})`,
      values: own.flatMap(({ values }) => values),
    },
  ];
};

/** A range, which the index answers on every database: `-` is followed by `.` in the order of their codes. */
const traceCondition = (traceId: string): Condition => ({
  text: 'r.traceparent > ? and r.traceparent < ?',
  values: [`00-${traceId}-`, `00-${traceId}.`],
});

/** Searches the stored JSON; `replace` compares alike on every database, LIKE does not. */
export const tagCondition = ({ key, value }: NonNullable<RequestSearch['tag']>): Condition => ({
  text: "replace(tags, ?, '') <> tags",
  values: [JSON.stringify({ [key]: value }).slice(1, -1)],
});

export interface DeliverySearch {
  readonly account?: string;
  readonly state?: string;
  readonly endpoint?: string;
}

/** Returns ids of the deliveries that match a search, newest first. */
export const searchDeliveries = async (
  statements: Statements,
  { account, state, endpoint }: DeliverySearch,
  { limit, position }: Page,
): Promise<readonly string[]> => {
  const { text, values } = join([
    ...equal('d.account', account),
    ...equal('d.state', state),
    ...equal('d.origin', endpoint),
    ...(position === undefined ? [] : [{ text: 'd.id < ?', values: [position] }]),
  ]);
  const rows = await statements.query(
    `select d.id as id from svc_deliveries d${text} order by d.id desc limit ${limit}`,
    values,
  );
  return rows.map(({ id }) => String(id));
};
