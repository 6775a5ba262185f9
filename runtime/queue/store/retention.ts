/** Deletes expired requests in batches, so that no statement locks many rows for long. */
import { deleteRows, findRows, type Statements } from '../../execute/system-rows.js';

interface ExpireOptions {
  /** Unix time in milliseconds; requests that ended before it are deleted. */
  readonly before: number;
  readonly now: number;
}

const chunkSize = 200;

/** Milliseconds after the end for which payloads of a request with `storeIo` off can still be read. */
const payloadRetention = 600_000;

/** Milliseconds for which redeliveries count. */
const redeliveryRetention = 3_600_000;

/** Deletes expired payloads, requests, idempotency keys and test deliveries. @returns the number of deleted requests */
export const expire = async (statements: Statements, { before, now }: ExpireOptions): Promise<number> => {
  await deletePayloads(statements, now - payloadRetention);
  let removed = 0;
  for (;;) {
    const rows = await findRows(statements, 'svc_requests', {
      where: { state: 'ended', date_ended: { below: before } },
      columns: ['id'],
      order: ['date_ended'],
      limit: chunkSize,
    });
    if (rows.length > 0)
      await removeRequests(
        statements,
        rows.map(({ id }) => id),
      );
    removed += rows.length;
    if (rows.length < chunkSize) break;
  }
  await deleteRows(statements, 'svc_operator_actions', {
    state: ['done', 'aborted'],
    date_created: { below: before },
  });
  await deleteRows(statements, 'svc_redeliveries', { date_created: { below: now - redeliveryRetention } });
  await deleteRows(statements, 'svc_idempotency', { date_created: { below: before } });
  await deleteRows(statements, 'svc_deliveries', { request: null, date_created: { below: before } });
  return removed;
};

const deletePayloads = async (statements: Statements, before: number): Promise<void> => {
  await statements.write({
    text:
      'update svc_requests set input = null, output = null, stored_bytes = 0 where store_io = 0 and output is not null and ' +
      "state = 'ended' and date_ended < ? and not exists (select 1 from svc_deliveries " +
      "where svc_deliveries.request = svc_requests.id and svc_deliveries.state = 'pending')",
    values: [before],
  });
};

const removeRequests = async (statements: Statements, ids: readonly string[]): Promise<void> => {
  await deleteRows(statements, 'svc_request_logs', { request: ids });
  await deleteRows(statements, 'svc_request_attempts', { request: ids });
  await deleteRows(statements, 'svc_transfers', { id: ids });
  await deleteRows(statements, 'svc_deliveries', { request: ids });
  await deleteRows(statements, 'svc_requests', { id: ids });
};
