/** `svc_deliveries` and `svc_delivery_attempts`: webhooks, and every attempt to deliver them. */
import { insertRow, insertRows, listOf, number, text, type Row, type Statements } from './rows.js';

export type DeliveryState = 'pending' | 'delivered' | 'failed';

export interface Delivery {
  readonly id: string;
  /** `null`: a test. */
  readonly request: string | null;
  readonly account: string;
  readonly url: string;
  readonly state: DeliveryState;
  /** How often delivery was begun. */
  readonly round: number;
  /** Attempts of this round. */
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly ended: number | null;
}

export interface DeliveryAttempt {
  /** Within its round, from 1. */
  readonly number: number;
  /** Status of the receiver; `null`: there was no answer. */
  readonly status: number | null;
  /** What went wrong; `null`: it was accepted. */
  readonly error: string | null;
  readonly milliseconds: number;
  readonly created: number;
}

const columns = 'id, request, account, url, state, round, attempted, date_created, date_ended';

const toDelivery = (row: Row): Delivery => ({
  id: String(row.id),
  request: text(row.request),
  account: String(row.account),
  url: String(row.url),
  state: String(row.state) as DeliveryState,
  round: Number(row.round),
  attempts: Number(row.attempted),
  created: Number(row.date_created),
  ended: number(row.date_ended),
});

export const insertDelivery = async (
  statements: Statements,
  made: Pick<Delivery, 'id' | 'request' | 'account' | 'url' | 'created'>,
): Promise<Delivery> => {
  const { id, request, account, url, created } = made;
  await insertRow(statements, 'svc_deliveries', {
    id,
    request,
    account,
    url,
    host: hostOf(url),
    state: 'pending' satisfies DeliveryState,
    date_created: created,
  });
  return { ...made, state: 'pending', round: 1, attempts: 0, ended: null };
};

/** With its port: what is slow for one delivery is slow for all of them. */
const hostOf = (url: string): string => new URL(url).host.slice(0, 255);

export const findDelivery = async (statements: Statements, id: string): Promise<Delivery | null> => {
  const [row] = await statements.query(`select ${columns} from svc_deliveries where id = ?`, [id]);
  return row === undefined ? null : toDelivery(row);
};

export const findDeliveryOf = async (statements: Statements, request: string): Promise<Delivery | null> => {
  const [row] = await statements.query(`select ${columns} from svc_deliveries where request = ?`, [request]);
  return row === undefined ? null : toDelivery(row);
};

/** Milliseconds for which what was claimed is left to whoever did: longer than a first attempt takes. */
export const lease = 60_000;

/** Nobody is making the first attempt, or whoever was is gone. */
const unclaimed = "state = 'pending' and started = 0 and (date_claimed is null or date_claimed < ?)";

export interface PendingLimits {
  /** Created before, and nobody has claimed anything since. */
  readonly before: number;
  /** Claims before this are void. */
  readonly claimedBefore: number;
  readonly limit: number;
}

/** Deliveries that wait for their first attempt although there is no courier, or whose courier is gone; oldest first. */
export const findPending = async (
  statements: Statements,
  { before, claimedBefore, limit }: PendingLimits,
): Promise<readonly Delivery[]> => {
  const rows = await statements.query(
    `select ${columns} from svc_deliveries where ${unclaimed} and date_created < ? and ` +
      '(date_claimed is not null or not exists (select 1 from svc_deliveries as claimed ' +
      `where claimed.state = 'pending' and claimed.date_claimed > ?)) order by date_created limit ${limit}`,
    [claimedBefore, before, before],
  );
  return rows.map(toDelivery);
};

export interface ClaimLimits {
  readonly now: number;
  readonly claimedBefore: number;
  readonly limit: number;
  /** Of one host. */
  readonly limitOfHost: number;
  /** Hosts that have enough to do. */
  readonly without: readonly string[];
}

/** Whether there may be something to claim. */
export const hasUnclaimed = async (
  statements: Statements,
  { claimedBefore, without }: Pick<ClaimLimits, 'claimedBefore' | 'without'>,
): Promise<boolean> => {
  const [elsewhere, values] = notAt(without);
  const rows = await statements.query(
    `select id from svc_deliveries where ${unclaimed}${elsewhere} order by date_created limit 1`,
    [claimedBefore, ...values],
  );
  return rows.length > 0;
};

const notAt = (hosts: readonly string[]): readonly [condition: string, values: readonly string[]] => {
  if (hosts.length === 0) return ['', []];
  const { places, values } = listOf(hosts);
  return [` and host not in (${places})`, values];
};

/** The next to be attempted; call it inside a transaction that holds the lane of deliveries. */
export const claimDeliveries = async (
  statements: Statements,
  { now, claimedBefore, limit, limitOfHost, without }: ClaimLimits,
): Promise<readonly Delivery[]> => {
  const [elsewhere, hosts] = notAt(without);
  const rows = await statements.query(
    `select ${columns} from (select ${columns}, ` +
      'row_number() over (partition by host order by date_created, id) as place ' +
      `from svc_deliveries where ${unclaimed}${elsewhere}) as due ` +
      `where place <= ${limitOfHost} order by date_created, id limit ${limit}`,
    [claimedBefore, ...hosts],
  );
  if (rows.length === 0) return [];
  const { places, values } = listOf(rows.map((row) => String(row.id)));
  await statements.write({
    text: `update svc_deliveries set date_claimed = ? where id in (${places})`,
    values: [now, ...values],
  });
  return rows.map(toDelivery);
};

export const endDeliveries = async (
  statements: Statements,
  ids: readonly string[],
  { state, now }: { readonly state: DeliveryState; readonly now: number },
): Promise<void> => {
  if (ids.length === 0) return;
  const { places, values } = listOf(ids);
  await statements.write({
    text: `update svc_deliveries set state = ?, date_ended = ? where id in (${places})`,
    values: [state, now, ...values],
  });
};

export const markDeliveryStarted = async (statements: Statements, id: string): Promise<void> => {
  await statements.write({ text: 'update svc_deliveries set started = 1 where id = ?', values: [id] });
};

/** Begins anew what has ended. @returns whether it had */
export const reopenDelivery = async (statements: Statements, id: string): Promise<boolean> => {
  const { affected } = await statements.write({
    text:
      "update svc_deliveries set state = 'pending', round = round + 1, attempted = 0, started = 0, " +
      'date_claimed = null, date_ended = null ' +
      "where id = ? and state <> 'pending'",
    values: [id],
  });
  return affected > 0;
};

export interface MadeAttempt extends DeliveryAttempt {
  /** Id of its delivery. */
  readonly delivery: string;
}

export const insertAttempts = async (
  statements: Statements,
  attempts: readonly MadeAttempt[],
): Promise<void> => {
  await insertRows(
    statements,
    'svc_delivery_attempts',
    attempts.map(({ delivery, number, status, error, milliseconds, created }) => ({
      delivery,
      number,
      status,
      error,
      milliseconds,
      date_created: created,
    })),
  );
  const { places, values } = listOf(attempts.map(({ delivery }) => delivery));
  await statements.write({
    text: `update svc_deliveries set attempted = attempted + 1 where id in (${places})`,
    values,
  });
};

/** Oldest first. */
export const listAttempts = async (
  statements: Statements,
  delivery: string,
): Promise<readonly DeliveryAttempt[]> => {
  const rows = await statements.query(
    'select number, status, error, milliseconds, date_created from svc_delivery_attempts ' +
      'where delivery = ? order by id',
    [delivery],
  );
  return rows.map((row) => ({
    number: Number(row.number),
    status: number(row.status),
    error: text(row.error),
    milliseconds: Number(row.milliseconds),
    created: Number(row.date_created),
  }));
};
