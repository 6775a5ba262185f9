/** `svc_deliveries` and `svc_delivery_attempts`: webhooks, and every attempt to deliver them. */
import { insertRow, number, text, type Row, type Statements } from './rows.js';

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

const columns = 'id, request, account, url, state, round, date_created, date_ended';

const toDelivery = (row: Row): Delivery => ({
  id: String(row.id),
  request: text(row.request),
  account: String(row.account),
  url: String(row.url),
  state: String(row.state) as DeliveryState,
  round: Number(row.round),
  created: Number(row.date_created),
  ended: number(row.date_ended),
});

export const insertDelivery = (
  statements: Statements,
  { id, request, account, url, created }: Pick<Delivery, 'id' | 'request' | 'account' | 'url' | 'created'>,
): Promise<void> =>
  insertRow(statements, 'svc_deliveries', {
    id,
    request,
    account,
    url,
    state: 'pending' satisfies DeliveryState,
    date_created: created,
  });

export const findDelivery = async (statements: Statements, id: string): Promise<Delivery | null> => {
  const [row] = await statements.query(`select ${columns} from svc_deliveries where id = ?`, [id]);
  return row === undefined ? null : toDelivery(row);
};

export const findDeliveryOf = async (statements: Statements, request: string): Promise<Delivery | null> => {
  const [row] = await statements.query(`select ${columns} from svc_deliveries where request = ?`, [request]);
  return row === undefined ? null : toDelivery(row);
};

/** Deliveries whose workflow is not known to be there, oldest first. */
export const findPending = async (
  statements: Statements,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly Delivery[]> => {
  const rows = await statements.query(
    `select ${columns} from svc_deliveries where state = 'pending' and started = 0 and date_created < ? ` +
      `order by date_created limit ${limit}`,
    [before],
  );
  return rows.map(toDelivery);
};

export const endDelivery = async (
  statements: Statements,
  id: string,
  { state, now }: { readonly state: DeliveryState; readonly now: number },
): Promise<void> => {
  await statements.write({
    text: 'update svc_deliveries set state = ?, date_ended = ? where id = ?',
    values: [state, now, id],
  });
};

export const markDeliveryStarted = async (statements: Statements, id: string): Promise<void> => {
  await statements.write({ text: 'update svc_deliveries set started = 1 where id = ?', values: [id] });
};

/** Begins anew what has ended. @returns whether it had */
export const reopenDelivery = async (statements: Statements, id: string): Promise<boolean> => {
  const { affected } = await statements.write({
    text:
      "update svc_deliveries set state = 'pending', round = round + 1, started = 0, date_ended = null " +
      "where id = ? and state <> 'pending'",
    values: [id],
  });
  return affected > 0;
};

export const insertAttempt = (
  statements: Statements,
  delivery: string,
  { number, status, error, milliseconds, created }: DeliveryAttempt,
): Promise<void> =>
  insertRow(statements, 'svc_delivery_attempts', {
    delivery,
    number,
    status,
    error,
    milliseconds,
    date_created: created,
  });

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
