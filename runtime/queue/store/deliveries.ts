/** Stores webhook deliveries (`svc_deliveries`) and their attempts (`svc_delivery_attempts`). */
import {
  findRow,
  findRows,
  insertRow,
  insertRows,
  listPlaceholders,
  updateRows,
  type Statements,
  type SystemRow,
} from '../../execute/system-rows.js';
import type { PauseTarget } from './pauses.js';

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** Reason for which a delivery was postponed without an attempt. */
export type DeliveryPostponement = 'paused' | 'receiver_busy' | 'receiver_failing';

export interface Delivery {
  readonly id: string;
  /** `null` for a test delivery. */
  readonly request: string | null;
  readonly account: string;
  readonly url: string;
  readonly state: DeliveryState;
  /** 1 for the first delivery, one more for each redelivery. */
  readonly round: number;
  /** Number of attempts in this round. */
  readonly attempts: number;
  /** Unix time in milliseconds. */
  readonly created: number;
  readonly ended: number | null;
  /** Time of the next attempt, if one failed or was postponed. */
  readonly next: number | null;
  /** Reason for which the next attempt was postponed; null where the last one was made. */
  readonly postponed: DeliveryPostponement | null;
}

export interface DeliveryAttempt {
  /** Number of the attempt within its round, from 1. */
  readonly number: number;
  /** HTTP status of the receiver; `null` without a response. */
  readonly status: number | null;
  /** Error code; `null` if the delivery was accepted. */
  readonly error: string | null;
  /** Duration of the attempt. */
  readonly milliseconds: number;
  readonly created: number;
}

const columns = [
  'id',
  'request',
  'account',
  'url',
  'state',
  'round',
  'attempted',
  'date_created',
  'date_ended',
  'date_next',
  'postponed',
] as const;

type DeliveryRow = Pick<SystemRow<'svc_deliveries'>, (typeof columns)[number]>;

const toDelivery = ({ attempted, date_created, date_ended, date_next, ...row }: DeliveryRow): Delivery => ({
  ...row,
  state: row.state as DeliveryState,
  postponed: row.postponed as DeliveryPostponement | null,
  attempts: attempted,
  created: date_created,
  ended: date_ended,
  next: date_next,
});

/** Inserts a delivery without attempts, and returns it. */
export const insertDelivery = async (
  statements: Statements,
  delivery: Pick<Delivery, 'id' | 'request' | 'account' | 'url' | 'created'>,
): Promise<Delivery> => {
  const { id, request, account, url, created } = delivery;
  await insertRow(statements, 'svc_deliveries', {
    id,
    request,
    account,
    url,
    origin: new URL(url).origin.slice(0, 255),
    state: 'pending' satisfies DeliveryState,
    date_created: created,
  });
  return { ...delivery, ...begun, round: 1 };
};

const begun = { state: 'pending', attempts: 0, ended: null, next: null, postponed: null } as const;

/** Returns those that exist, in any order. */
export const findDeliveries = async (
  statements: Statements,
  ids: readonly string[],
): Promise<readonly Delivery[]> => {
  const rows = await findRows(statements, 'svc_deliveries', { where: { id: ids }, columns });
  return rows.map(toDelivery);
};

/** Returns the newest delivery of a request, or null if it has none. */
export const findDeliveryOf = async (statements: Statements, request: string): Promise<Delivery | null> =>
  (await findDeliveriesOf(statements, request))[0] ?? null;

/** Returns the deliveries of a request, newest first: one for each time that it ended with a webhook. */
export const findDeliveriesOf = async (
  statements: Statements,
  request: string,
): Promise<readonly Delivery[]> => {
  const order = ['-date_created', '-id'] as const;
  const rows = await findRows(statements, 'svc_deliveries', { where: { request }, columns, order });
  return rows.map(toDelivery);
};

/** Returns those whose first attempt in their round has not been made, nor postponed for another reason than too many of them. */
export const findUnattempted = async (
  statements: Statements,
  ids: readonly string[],
): Promise<readonly Pick<Delivery, 'id' | 'round'>[]> => {
  const rows = await findRows(statements, 'svc_deliveries', {
    where: { id: ids, state: 'pending', attempted: 0 },
    columns: ['id', 'round', 'postponed'],
  });
  return rows.filter(({ postponed }) => postponed === null || postponed === 'receiver_busy');
};

/** Returns deliveries of an account whose workflow may not have been started, oldest first. */
export const findWaitingOf = async (
  statements: Statements,
  account: string,
  limit: number,
): Promise<readonly Delivery[]> => {
  const rows = await findRows(statements, 'svc_deliveries', {
    where: { state: 'pending', started: 0, account },
    columns,
    order: ['date_created'],
    limit,
  });
  return rows.map(toDelivery);
};

/**
 * Returns the first account after `after` with a delivery whose workflow may not have been started, created before a Unix
 * time in milliseconds; null if there is none.
 */
export const findWaitingAccount = async (
  statements: Statements,
  { after, before }: { readonly after: string; readonly before: number },
): Promise<string | null> => {
  const row = await findRow(statements, 'svc_deliveries', {
    where: { state: 'pending', started: 0, account: { above: after }, date_created: { below: before } },
    columns: ['account'],
    order: ['account'],
    limit: 1,
  });
  return row?.account ?? null;
};

/** Returns deliveries of an account or to an endpoint that a pause has postponed, oldest first. @param after their highest id so far */
export const findPaused = (
  statements: Statements,
  { kind, name }: PauseTarget<'account' | 'endpoint'>,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly Pick<Delivery, 'id' | 'round'>[]> =>
  findRows(statements, 'svc_deliveries', {
    where: {
      ...(kind === 'account' ? { account: name } : { origin: name }),
      state: 'pending',
      postponed: 'paused',
      id: { above: after },
    },
    columns: ['id', 'round'],
    order: ['id'],
    limit,
  });

/** Returns the columns of a delivery that has ended. `now` is a Unix time in milliseconds. */
export const endedColumns = (state: DeliveryState, now: number) =>
  ({ state, date_ended: now, date_next: null, postponed: null }) as const;

/** Sets the final state. `now` is a Unix time in milliseconds. */
export const endDeliveries = async (
  statements: Statements,
  ids: readonly string[],
  { state, now }: { readonly state: DeliveryState; readonly now: number },
): Promise<void> => {
  if (ids.length === 0) return;
  await updateRows(statements, 'svc_deliveries', {
    set: endedColumns(state, now),
    where: { id: ids },
  });
};

/** Records that Temporal has the workflows, so that the sweep does not start them again. */
export const markDeliveriesStarted = async (
  statements: Statements,
  ids: readonly string[],
): Promise<void> => {
  await updateRows(statements, 'svc_deliveries', { set: { started: 1 }, where: { id: ids } });
};

/** Starts a new round of an ended delivery. @returns null if it had not ended or was reopened concurrently */
export const reopenDelivery = async (
  statements: Statements,
  delivery: Delivery,
): Promise<Delivery | null> => {
  const { affected } = await statements.write({
    text:
      "update svc_deliveries set state = 'pending', round = round + 1, attempted = 0, started = 0, " +
      "date_ended = null, date_next = null, postponed = null where id = ? and round = ? and state <> 'pending'",
    values: [delivery.id, delivery.round],
  });
  if (affected === 0) return null;
  return { ...delivery, ...begun, round: delivery.round + 1 };
};

/** Records when a delivery is attempted next: after a failure, or because it was postponed. */
export const scheduleNext = (
  statements: Statements,
  { id, next, postponed }: Pick<Delivery, 'id' | 'postponed'> & { readonly next: number },
): Promise<number> =>
  updateRows(statements, 'svc_deliveries', {
    set: { date_next: next, postponed, started: 1 },
    where: { id, state: 'pending' },
  });

export interface NewAttempt extends DeliveryAttempt {
  /** Id of the delivery. */
  readonly delivery: string;
}

/** Inserts finished attempts; their numbers are unique in a delivery. */
export const insertAttempts = async (
  statements: Statements,
  attempts: readonly NewAttempt[],
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
  const { placeholders, values } = listPlaceholders(attempts.map(({ delivery }) => delivery));
  await statements.write({
    text: `update svc_deliveries set attempted = attempted + 1, started = 1 where id in (${placeholders})`,
    values,
  });
};

/** Returns the attempts of a delivery, oldest first. */
export const listAttempts = async (
  statements: Statements,
  delivery: string,
): Promise<readonly DeliveryAttempt[]> => {
  const rows = await findRows(statements, 'svc_delivery_attempts', {
    where: { delivery },
    columns: ['number', 'status', 'error', 'milliseconds', 'date_created'],
    order: ['id'],
  });
  return rows.map(({ date_created: created, ...row }) => Object.assign(row, { created }));
};
