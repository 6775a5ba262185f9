/** Deliveries whose workflow was started: finds them, and repairs those whose workflow is gone. */
import { findRows, updateRows, type Statements } from '../../execute/system-rows.js';
import { endedColumns, type Delivery } from './deliveries.js';

/**
 * Returns pending deliveries whose workflow was started, created before a Unix time in milliseconds, by id.
 * @param after their highest id so far
 */
export const findStarted = (
  statements: Statements,
  { before, after, limit }: { readonly before: number; readonly after: string; readonly limit: number },
): Promise<readonly Pick<Delivery, 'id' | 'round'>[]> =>
  findRows(statements, 'svc_deliveries', {
    where: { state: 'pending', started: 1, date_created: { below: before }, id: { above: after } },
    columns: ['id', 'round'],
    order: ['id'],
    limit,
  });

/** Has the sweep start the workflow of a delivery again, unless it has ended or begun another round. */
export const returnDelivery = async (
  statements: Statements,
  { id, round }: Pick<Delivery, 'id' | 'round'>,
): Promise<void> => {
  await updateRows(statements, 'svc_deliveries', {
    set: { started: 0 },
    where: { id, round, state: 'pending' },
  });
};

/** Ends a delivery as failed, unless it has ended or begun another round. `now` is a Unix time in milliseconds. */
export const failDelivery = async (
  statements: Statements,
  { id, round }: Pick<Delivery, 'id' | 'round'>,
  now: number,
): Promise<void> => {
  await updateRows(statements, 'svc_deliveries', {
    set: endedColumns('failed', now),
    where: { id, round, state: 'pending' },
  });
};
